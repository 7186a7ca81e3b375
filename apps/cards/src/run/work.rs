//! Works on a run until there is nothing left to do, or a reason to stop.
//!
//! In: a run in the store, an [`Answerer`], [`WorkOptions`]. Out: a [`WorkEnd`]. Must hold:
//! what is said to have happened is in the log first; one process at a time; a sentence
//! whose result is in the log is not sent again unless a person asks for it.

use std::sync::Arc;
use std::time::SystemTime;

use cancel::Cancel;
use contract::Model;
use models::{Client, Clock, Cost, Order};
use store::Store;

use super::event::RunEvent;
use super::head::RunId;
use super::lease::Lease;
use super::progress::{Beginning, Progress, Stage};
use super::record::Record;
use super::state::RunState;
use super::{batched, journal, live};
use crate::error_code::ErrorCode;
use crate::fault::CardsFault;

/// Who makes the cards.
#[derive(Clone)]
pub struct Answerer {
    pub model: Arc<dyn Model>,
    /// The same model for batches, where its provider takes them.
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
    pub fn order(self) -> Order {
        match self {
            Sending::Live => Order::Live,
            Sending::Batch => Order::Batch,
        }
    }
}

/// What a batch that is still at work means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Look until it has ended.
    UntilEnded,
    /// Look once.
    OneLook,
}

/// No `Default`: whoever starts work says what it may cost.
#[derive(Debug, Clone)]
pub struct WorkOptions {
    pub sending: Sending,
    pub requests_at_once_max: usize,
    pub cost_max: Option<Cost>,
    pub patience: Patience,
    pub cancel: Cancel,
}

/// Who hears how it goes.
pub type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// How work on a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkEnd {
    /// Every sentence has its cards or was skipped.
    Ready,
    /// So many sentences have none; the others can be used.
    Holes(usize),
    /// It cannot go on now.
    Stopped {
        code: ErrorCode,
        message: String,
    },
    /// The provider is still at work on a batch.
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

/// Writes the log of a run, and tells those who watch.
pub(crate) struct Scribe {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub record: Record,
    lease: Lease,
    watcher: Watcher,
    beginning: Beginning,
    pub stage: Stage,
    pub in_flight: usize,
}

impl Scribe {
    pub(crate) fn now(&self) -> u64 {
        millis(self.clock.now())
    }

    /// First the log, then the record, then the watcher.
    pub(crate) async fn write(&mut self, event: RunEvent) -> Result<(), CardsFault> {
        self.lease.check()?;
        let log = journal::log_name(&self.record.head.id, "events")?;
        journal::append(&*self.store, &log, &event, None).await?;
        self.record.apply(event);
        self.tell();
        Ok(())
    }

    pub(crate) fn tell(&self) {
        let progress = Progress::of(&self.record, self.stage.clone());
        let mut progress = progress.timed(self.beginning, self.now());
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
    let record = journal::load(&**store, run).await?;
    let settled = record.machine.sentences().len() - record.machine.waiting();
    let mut scribe = Scribe {
        store: Arc::clone(store),
        clock: Arc::clone(clock),
        record,
        lease,
        watcher,
        beginning: Beginning { at: millis(clock.now()), settled },
        stage: Stage::Working,
        in_flight: 0,
    };
    let ended = steer(&mut scribe, by, options).await;
    scribe.in_flight = 0;
    if let Ok(end) = &ended {
        if !matches!(end, WorkEnd::BatchAtWork { .. }) {
            scribe.stage = Stage::Ended;
        }
        scribe.tell();
    }
    scribe.lease.give_back().await;
    ended
}

/// Every road of a run is on this screen.
async fn steer(
    scribe: &mut Scribe,
    by: &Answerer,
    options: &WorkOptions,
) -> Result<WorkEnd, CardsFault> {
    begin(scribe, by).await?;
    if scribe.record.batch.is_some() || options.sending == Sending::Batch {
        match batched::run(scribe, by, options).await? {
            batched::End::Read => {}
            batched::End::AtWork { id, since } => return Ok(WorkEnd::BatchAtWork { id, since }),
            batched::End::Cancelled => return Ok(WorkEnd::Cancelled),
            batched::End::Stopped(code, message) => return abort(scribe, code, message).await,
        }
    }
    match live::run(scribe, by, options).await? {
        live::End::Done => {}
        live::End::Cancelled => return Ok(WorkEnd::Cancelled),
        live::End::Stopped(code, message) => return abort(scribe, code, message).await,
    }
    if scribe.record.machine.state() == RunState::InProgress {
        let at = scribe.now();
        scribe.write(RunEvent::Completed { at }).await?;
    }
    match scribe.record.holes.len() {
        0 => Ok(WorkEnd::Ready),
        holes => Ok(WorkEnd::Holes(holes)),
    }
}

/// Brings a run to where sentences can be received.
async fn begin(scribe: &mut Scribe, by: &Answerer) -> Result<(), CardsFault> {
    let at = scribe.now();
    if scribe.record.machine.state() == RunState::Idle {
        let model = by.model.facts().to_string();
        scribe.write(RunEvent::Submitted { at, model }).await?;
    }
    if scribe.record.machine.state() == RunState::Submitted {
        scribe.write(RunEvent::Started { at }).await?;
    }
    if scribe.record.machine.state() == RunState::Failed && scribe.record.machine.waiting() > 0 {
        scribe.write(RunEvent::Resumed { at }).await?;
    }
    let wordless = |index: &usize| !scribe.record.text(*index).chars().any(char::is_alphabetic);
    let sentences: Vec<_> = scribe.record.waiting().into_iter().filter(wordless).collect();
    if !sentences.is_empty() {
        scribe.write(RunEvent::Skipped { at, sentences }).await?;
    }
    Ok(())
}

async fn abort(
    scribe: &mut Scribe,
    code: ErrorCode,
    message: String,
) -> Result<WorkEnd, CardsFault> {
    let at = scribe.now();
    scribe.write(RunEvent::Aborted { at, code, message: message.clone() }).await?;
    Ok(WorkEnd::Stopped { code, message })
}
