//! Runs that this server works on: each once, with a limit for each owner.
//!
//! Must hold: whoever watches a run is told of its end, also when it ended in a fault; when
//! the server ends, runs are left as they are, and any program goes on with them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cancel::Cancel;
use cards::{Answerer, Library, Patience, Progress, RunId, Sending, WorkOptions};
use models::Cost;
use serde_json::{Value, json};
use server::{ConcurrencyLimit, Fault, Permit};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::HandlerResult;
use crate::runs::WorkRequest;

/// Requests that one run has under way.
const REQUESTS_AT_ONCE: usize = 4;
const DOLLARS_MAX: f64 = 10_000.0;

pub(crate) struct Workers {
    pub library: Library,
    pub by: Answerer,
    limit: ConcurrencyLimit,
    /// Held for one look.
    working: Working,
}

type Working = Arc<Mutex<BTreeMap<RunId, Worker>>>;

struct Worker {
    cancel: Cancel,
    news: watch::Receiver<RunUpdate>,
    task: Option<JoinHandle<()>>,
}

/// The newest that is known of a run at work.
#[derive(Debug, Clone)]
pub(crate) enum RunUpdate {
    Begun,
    Progress(Value),
    /// It ended in a fault, which nothing in the store tells.
    Failed(String),
}

impl Workers {
    pub(crate) fn new(library: Library, by: Answerer, per_owner_max: usize) -> Self {
        let limit =
            ConcurrencyLimit::new(per_owner_max, "cards are being made of too many texts at once");
        Self { library, by, limit, working: Working::default() }
    }

    /// Does the provider take batches?
    pub(crate) fn takes_batches(&self) -> bool {
        self.by.batches.as_ref().is_some_and(|client| client.batches().is_ok())
    }

    pub(crate) fn is_busy(&self, run: &RunId) -> bool {
        lock(&self.working).contains_key(run)
    }

    pub(crate) fn news(&self, run: &RunId) -> Option<watch::Receiver<RunUpdate>> {
        lock(&self.working).get(run).map(|worker| worker.news.clone())
    }

    /// Stops a run; false if it does not run here.
    pub(crate) fn stop(&self, run: &RunId) -> bool {
        let working = lock(&self.working);
        let worker = working.get(run);
        worker.inspect(|worker| worker.cancel.cancel()).is_some()
    }

    /// Begins to work on a run, unless somebody here does.
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
        let job = Job { library: library.clone(), by: self.by.clone(), run: run.clone(), options };
        // It cannot end before it is in the map: the map is held.
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
                Fault::bad_request("this model takes no batches", "leave `batch` out").into()
            );
        }
        let cost_max = max_cost.map(dollars).transpose()?;
        if cost_max.is_some() {
            let facts = self.by.model.facts();
            if library.estimate(run, facts, sending).await?.cost.is_none() {
                let message = "no price is known for this model, so no limit can hold";
                return Err(Fault::bad_request(message, "leave `max_cost` out").into());
            }
        }
        Ok(WorkOptions {
            sending,
            requests_at_once_max: REQUESTS_AT_ONCE,
            cost_max,
            patience: Patience::UntilEnded,
            cancel: Cancel::default(),
        })
    }

    /// Stops all work and waits a while until it has.
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
            tracing::warn!("runs of cards are left to the next program");
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
            tracing::warn!(%fault, %run, "work on a run ended");
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
