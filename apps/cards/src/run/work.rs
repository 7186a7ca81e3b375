//! Works on a run until there is nothing left to do, or a reason to stop.
//!
//! In: a run in the store, an [`Answerer`], [`WorkOptions`]. Out: a [`WorkEnd`]. Must hold:
//! events are in the log before they are reported; one process at a time; a sentence whose
//! result is in the log is not sent again unless a person asks for it.

use std::sync::Arc;
use std::time::SystemTime;

use cancel::Cancel;
use contract::Model;
use models::{Client, Clock, Cost, PriceTier};
use store::Store;

use super::batch;
use super::event::RunEvent;
use super::interactive;
use super::journal;
use super::lease::Lease;
use super::progress::{Progress, Stage, WorkStart};
use super::run_info::RunId;
use super::snapshot::Snapshot;
use super::state::RunState;
use crate::fault::CardsFault;
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
    pub cost_max: Option<Cost>,
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
    };
    let ended = steer(&mut writer, by, options).await;
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
) -> Result<WorkEnd, CardsFault> {
    begin(writer, by).await?;
    if writer.snapshot.batch.is_some() || options.sending == Sending::Batch {
        match batch::run(writer, by, options).await? {
            batch::End::Read => {}
            batch::End::AtWork { id, since } => return Ok(WorkEnd::BatchAtWork { id, since }),
            batch::End::Cancelled => return Ok(WorkEnd::Cancelled),
            batch::End::Stopped(code, message) => return abort(writer, code, message).await,
        }
    }
    match interactive::run(writer, by, options).await? {
        interactive::End::Done => {}
        interactive::End::Cancelled => return Ok(WorkEnd::Cancelled),
        interactive::End::Stopped(code, message) => return abort(writer, code, message).await,
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

/// Brings a run into the state in which results are accepted.
async fn begin(writer: &mut RunWriter, by: &Answerer) -> Result<(), CardsFault> {
    let at = writer.now();
    if writer.snapshot.machine.state() == RunState::Idle {
        let model = by.model.facts().to_string();
        writer.write(RunEvent::Submitted { at, model }).await?;
    }
    if writer.snapshot.machine.state() == RunState::Submitted {
        writer.write(RunEvent::Started { at }).await?;
    }
    if writer.snapshot.machine.state() == RunState::Failed && writer.snapshot.machine.waiting() > 0
    {
        writer.write(RunEvent::Resumed { at }).await?;
    }
    let wordless = |index: &usize| !writer.snapshot.text(*index).chars().any(char::is_alphabetic);
    let sentences: Vec<_> = writer.snapshot.waiting().into_iter().filter(wordless).collect();
    if !sentences.is_empty() {
        writer.write(RunEvent::Skipped { at, sentences }).await?;
    }
    Ok(())
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
