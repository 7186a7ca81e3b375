//! Works on a run until there is nothing left to do, or a reason to stop.
//!
//! In: a run in the store, an [`Answerer`], [`WorkOptions`]. Out: a [`WorkEnd`]. Must hold:
//! events are in the log before they are reported; one process at a time; a sentence whose
//! result is in the log is not sent again unless a person asks for it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use cancel::Cancel;
use contract::Model;
use models::{Client, Clock, Cost, PriceTier};
use store::Store;

use super::batch;
use super::brake::Brake;
use super::event::RunEvent;
use super::interactive;
use super::journal;
use super::known_forms::KnownForms;
use super::lease::Lease;
use super::progress::{Progress, Stage, WorkStart};
use super::reuse::Reusable;
use super::run_info::RunId;
use super::snapshot::Snapshot;
use super::state::{RunState, SentenceState};
use crate::deck::quality::doubtful;
use crate::fault::CardsFault;
use crate::model::ask_settings::AskSettings;
use crate::model::error_code::ErrorCode;

/// Who makes the cards.
#[derive(Clone)]
pub struct Answerer {
    pub model: Arc<dyn Model>,
    /// The same model for batches, where its provider has them.
    pub batches: Option<Arc<Client>>,
}

/// How requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    Live,
    /// At half the price, within a day.
    Batch,
}

impl Sending {
    pub fn order(self) -> PriceTier {
        match self {
            Sending::Live => PriceTier::Live,
            Sending::Batch => PriceTier::Batch,
        }
    }
}

/// Whether to wait for a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Poll until it has ended.
    UntilEnded,
    /// Poll once.
    OneLook,
}

/// No `Default`: callers state what the work may cost.
#[derive(Debug, Clone)]
pub struct WorkOptions {
    pub sending: Sending,
    pub requests_at_once_max: usize,
    /// For the whole run, its retries and batches together; none for the one set before.
    pub cost_max: Option<Cost>,
    pub ask: AskSettings,
    pub patience: Patience,
    pub cancel: Cancel,
}

/// Receives the progress.
pub type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// How work on a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkEnd {
    /// Every sentence has its cards or was skipped.
    Ready,
    /// This many sentences have no cards; the others can be used.
    Holes(usize),
    /// It cannot continue now.
    Stopped {
        code: ErrorCode,
        message: String,
    },
    /// The provider is still working on a batch.
    BatchAtWork {
        id: String,
        since: u64,
    },
    Cancelled,
}

/// Results in one record of the log.
const REUSED_AT_ONCE: usize = 100;

/// Milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Writes the log of a run, and reports progress.
pub(crate) struct RunWriter {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub snapshot: Snapshot,
    lease: Lease,
    watcher: Watcher,
    start: WorkStart,
    pub stage: Stage,
    pub in_flight: usize,
    /// Sentences whose batch this process has read; what is missing of them is sent live.
    pub batched: BTreeSet<usize>,
    /// Words that need no card.
    pub known: KnownForms,
}

/// What a run need not ask for.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Answers to the same sentences.
    pub reusable: Reusable,
    /// Words that the person knows.
    pub known: KnownForms,
}

impl RunWriter {
    pub(crate) fn now(&self) -> u64 {
        millis(self.clock.now())
    }

    /// First the log, then the snapshot, then the watcher.
    pub(crate) async fn write(&mut self, event: RunEvent) -> Result<(), CardsFault> {
        self.lease.check()?;
        let log = journal::log_name(&self.snapshot.head.id, "events")?;
        journal::append(&*self.store, &log, &event, None).await?;
        self.snapshot.apply(event);
        self.tell();
        Ok(())
    }

    pub(crate) fn tell(&self) {
        let progress = Progress::of(&self.snapshot, self.stage.clone());
        let mut progress = progress.timed(self.start, self.now());
        progress.in_flight = self.in_flight;
        (self.watcher)(&progress);
    }
}

pub(crate) async fn work(
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    run: &RunId,
    by: &Answerer,
    options: &WorkOptions,
    given: Given,
    watcher: Watcher,
) -> Result<WorkEnd, CardsFault> {
    let lease = Lease::take(store, run).await?;
    let snapshot = journal::load(&**store, run).await?;
    let settled = snapshot.machine.sentences().len() - snapshot.machine.waiting();
    let mut writer = RunWriter {
        store: Arc::clone(store),
        clock: Arc::clone(clock),
        snapshot,
        lease,
        watcher,
        start: WorkStart { at: millis(clock.now()), settled },
        stage: Stage::Working,
        in_flight: 0,
        batched: BTreeSet::new(),
        known: given.known,
    };
    let ended = steer(&mut writer, by, options, &given.reusable).await;
    writer.in_flight = 0;
    if let Ok(end) = &ended {
        if !matches!(end, WorkEnd::BatchAtWork { .. }) {
            writer.stage = Stage::Ended;
        }
        writer.tell();
    }
    writer.lease.give_back().await;
    ended
}

/// Every path of a run is in this function.
async fn steer(
    writer: &mut RunWriter,
    by: &Answerer,
    options: &WorkOptions,
    reusable: &Reusable,
) -> Result<WorkEnd, CardsFault> {
    begin(writer, by, reusable).await?;
    let cost_max = limit_cost(writer, options).await?;
    let mut brake = Brake::default();
    if writer.snapshot.batch.is_some() || options.sending == Sending::Batch {
        match batch::run(writer, by, options, cost_max, &mut brake).await? {
            batch::End::Read => {}
            batch::End::AtWork { id, since } => return Ok(WorkEnd::BatchAtWork { id, since }),
            batch::End::Cancelled => return Ok(WorkEnd::Cancelled),
            batch::End::Stopped(code, message) => return abort(writer, code, message).await,
        }
    }
    match interactive::run(writer, by, options, cost_max, &mut brake).await? {
        interactive::End::Done => {}
        interactive::End::Cancelled => return Ok(WorkEnd::Cancelled),
        interactive::End::Stopped(code, message) => return abort(writer, code, message).await,
    }
    let sentences = doubtful(&writer.snapshot);
    if writer.snapshot.machine.state() == RunState::InProgress && !sentences.is_empty() {
        let at = writer.now();
        writer.write(RunEvent::Rechecked { at, sentences }).await?;
        match interactive::run(writer, by, options, cost_max, &mut brake).await? {
            interactive::End::Done => {}
            interactive::End::Cancelled => return Ok(WorkEnd::Cancelled),
            // Every sentence has its first answer, so nothing is missing.
            interactive::End::Stopped(..) => {
                let at = writer.now();
                writer.write(RunEvent::RecheckEnded { at }).await?;
            }
        }
    }
    if writer.snapshot.machine.state() == RunState::InProgress {
        let at = writer.now();
        writer.write(RunEvent::Completed { at }).await?;
    }
    match writer.snapshot.holes.len() {
        0 => Ok(WorkEnd::Ready),
        holes => Ok(WorkEnd::Holes(holes)),
    }
}

/// The cost limit of the run: a new one, or the one that a person set before.
async fn limit_cost(
    writer: &mut RunWriter,
    options: &WorkOptions,
) -> Result<Option<Cost>, CardsFault> {
    let before = writer.snapshot.cost_max;
    let given = options.cost_max.map(|cost| u64::try_from(cost.picodollars).unwrap_or(u64::MAX));
    if let Some(picodollars) = given.filter(|given| before != Some(*given)) {
        let at = writer.now();
        writer.write(RunEvent::CostLimited { at, picodollars }).await?;
    }
    Ok(given.or(before).map(|pico| Cost { picodollars: u128::from(pico) }))
}

/// Brings a run into the state in which results are accepted.
async fn begin(
    writer: &mut RunWriter,
    by: &Answerer,
    reusable: &Reusable,
) -> Result<(), CardsFault> {
    let at = writer.now();
    if writer.snapshot.machine.state() == RunState::Idle {
        let model = by.model.facts().to_string();
        writer.write(RunEvent::Submitted { at, model }).await?;
    }
    if writer.snapshot.machine.state() == RunState::Submitted {
        writer.write(RunEvent::Started { at }).await?;
    }
    let stopped =
        matches!(writer.snapshot.machine.state(), RunState::PartlyReady | RunState::Failed);
    if stopped && writer.snapshot.machine.waiting() > 0 {
        writer.write(RunEvent::Resumed { at }).await?;
    }
    let wordless = |index: &usize| !writer.snapshot.text(*index).chars().any(char::is_alphabetic);
    let sentences: Vec<_> = writer.snapshot.waiting().into_iter().filter(wordless).collect();
    if !sentences.is_empty() {
        writer.write(RunEvent::Skipped { at, sentences }).await?;
    }
    let reused: Vec<_> = reusable.of(&writer.snapshot).into_values().collect();
    for results in reused.chunks(REUSED_AT_ONCE) {
        writer.write(RunEvent::Reused { at, results: results.to_vec() }).await?;
    }
    let sentences = known_sentences(&writer.snapshot, &writer.known);
    if !sentences.is_empty() {
        writer.write(RunEvent::Skipped { at, sentences }).await?;
    }
    Ok(())
}

/// Sentences of known words only that were never sent; one that a person asks for is sent.
pub(crate) fn known_sentences(snapshot: &Snapshot, known: &KnownForms) -> Vec<usize> {
    let states = snapshot.machine.sentences();
    let new = |index: &usize| states.get(*index) == Some(&SentenceState::Pending);
    let covered = |index: &usize| known.covers(snapshot.text(*index));
    snapshot.waiting().into_iter().filter(new).filter(covered).collect()
}

async fn abort(
    writer: &mut RunWriter,
    code: ErrorCode,
    message: String,
) -> Result<WorkEnd, CardsFault> {
    let at = writer.now();
    writer.write(RunEvent::Aborted { at, code, message: message.clone() }).await?;
    Ok(WorkEnd::Stopped { code, message })
}
