//! The runs that this server works on: each once, with a limit for each owner.
//!
//! Must hold: a client that watches a run learns of its end, also if it failed; at shutdown
//! runs stay as they are, and any program can continue them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cancel::Cancel;
use cards::{Answerer, AskSettings, Library, Patience, Progress, RunId, Sending, WorkOptions};
use models::Cost;
use serde_json::{Value, json};
use server::{ConcurrencyLimit, Fault, Permit};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::runs::WorkRequest;
use crate::{HandlerResult, Meter};

/// Concurrent model requests of one run.
const REQUESTS_AT_ONCE: usize = 4;
const DOLLARS_MAX: f64 = 10_000.0;

pub(crate) struct Workers {
    pub library: Library,
    pub by: Answerer,
    meter: Meter,
    ask: AskSettings,
    limit: ConcurrencyLimit,
    /// Never held across an await.
    working: Working,
}

type Working = Arc<Mutex<BTreeMap<RunId, Worker>>>;

struct Worker {
    cancel: Cancel,
    news: watch::Receiver<RunUpdate>,
    task: Option<JoinHandle<()>>,
}

/// The latest state of a run in progress.
#[derive(Debug, Clone)]
pub(crate) enum RunUpdate {
    Begun,
    Progress(Value),
    /// It failed, which the store does not record.
    Failed(String),
}

impl Workers {
    pub(crate) fn new(
        library: Library,
        (by, meter): (Answerer, Meter),
        ask: AskSettings,
        per_owner_max: usize,
    ) -> Self {
        let limit = ConcurrencyLimit::new(per_owner_max, "too many runs are in progress");
        Self { library, by, meter, ask, limit, working: Working::default() }
    }

    /// Whether the provider supports batches.
    pub(crate) fn takes_batches(&self) -> bool {
        self.by.batches.as_ref().is_some_and(|client| client.batches().is_ok())
    }

    pub(crate) fn is_busy(&self, run: &RunId) -> bool {
        lock(&self.working).contains_key(run)
    }

    pub(crate) fn news(&self, run: &RunId) -> Option<watch::Receiver<RunUpdate>> {
        lock(&self.working).get(run).map(|worker| worker.news.clone())
    }

    /// Stops a run; false if it is not running here.
    pub(crate) fn stop(&self, run: &RunId) -> bool {
        let working = lock(&self.working);
        let worker = working.get(run);
        worker.inspect(|worker| worker.cancel.cancel()).is_some()
    }

    /// Starts work on a run, unless it is in progress.
    pub(crate) async fn start(
        &self,
        owner: &str,
        library: &Library,
        run: &RunId,
        order: &WorkRequest,
    ) -> HandlerResult<()> {
        let options = self.options(library, run, order).await?;
        let mut working = lock(&self.working);
        if working.contains_key(run) {
            return Ok(());
        }
        let permit = self.limit.acquire(owner)?;
        let (sender, news) = watch::channel(RunUpdate::Begun);
        let cancel = options.cancel.clone();
        let by = (self.meter)(owner, self.by.clone());
        let job = Job { library: library.clone(), by, run: run.clone(), options };
        // The lock is held, so it cannot end before it is in the map.
        let task = tokio::spawn(job.done(sender, Arc::clone(&self.working), permit));
        working.insert(run.clone(), Worker { cancel, news, task: Some(task) });
        Ok(())
    }

    async fn options(
        &self,
        library: &Library,
        run: &RunId,
        WorkRequest { batch, max_cost, .. }: &WorkRequest,
    ) -> HandlerResult<WorkOptions> {
        let sending = if *batch { Sending::Batch } else { Sending::Live };
        if *batch && !self.takes_batches() {
            return Err(
                Fault::bad_request("this model does not support batches", "omit `batch`").into()
            );
        }
        let cost_max = max_cost.map(dollars).transpose()?;
        if cost_max.is_some() {
            let facts = self.by.model.facts();
            if library.estimate(run, facts, sending).await?.cost.is_none() {
                let message =
                    "the price of this model is unknown, so a cost limit cannot be enforced";
                return Err(Fault::bad_request(message, "omit `max_cost`").into());
            }
        }
        Ok(WorkOptions {
            sending,
            requests_at_once_max: REQUESTS_AT_ONCE,
            cost_max,
            ask: self.ask.clone(),
            patience: Patience::UntilEnded,
            cancel: Cancel::default(),
        })
    }

    /// Stops all work and waits until it has ended, within the time limit.
    pub(crate) async fn shut_down(&self, time_max: Duration) {
        let mut tasks = Vec::new();
        for worker in lock(&self.working).values_mut() {
            worker.cancel.cancel();
            tasks.extend(worker.task.take());
        }
        let all = async {
            for task in tasks {
                drop(task.await);
            }
        };
        if tokio::time::timeout(time_max, all).await.is_err() {
            tracing::warn!(
                "runs of flashcards still work at shutdown; they can be continued later"
            );
        }
    }
}

struct Job {
    library: Library,
    by: Answerer,
    run: RunId,
    options: WorkOptions,
}

impl Job {
    async fn done(self, sender: watch::Sender<RunUpdate>, working: Working, permit: Permit) {
        let sender = Arc::new(sender);
        let told = Arc::clone(&sender);
        let watcher = Arc::new(move |progress: &Progress| {
            told.send_replace(RunUpdate::Progress(json!(progress)));
        });
        let Self { library, by, run, options } = self;
        if let Err(fault) = library.work(&run, &by, &options, watcher).await {
            tracing::warn!(%fault, %run, "work on a run failed");
            sender.send_replace(RunUpdate::Failed(fault.to_string()));
        }
        lock(&working).remove(&run);
        drop(permit);
    }
}

fn lock(working: &Working) -> MutexGuard<'_, BTreeMap<RunId, Worker>> {
    working.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn dollars(amount: f64) -> HandlerResult<Cost> {
    if !(0.0..=DOLLARS_MAX).contains(&amount) {
        let fix = format!("give 0 to {DOLLARS_MAX}");
        return Err(Fault::bad_request("must be an amount in dollars", fix).into());
    }
    Ok(Cost { picodollars: (amount * 1e12) as u128 })
}
