//! A model that stops before a run costs more than its limit.
//!
//! Must hold: before a request is sent, its maximum cost is reserved; spent and reserved costs
//! together never exceed the limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{
    Deltas, FaultKind, Model, ModelFacts, ModelFault, ReplyFuture, Request, RungMemory, Usage,
};
use models::{Cost, PriceTier, cost};

use super::event::Spent;

/// The limit, and what was spent.
#[derive(Debug)]
pub(crate) struct CostLimit {
    cap: Option<Cost>,
    /// Held for single sums only, never across an await.
    inner: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    spent: Cost,
    set_aside: Cost,
    tripped: bool,
    closed: bool,
}

impl CostLimit {
    pub(crate) fn new(cap: Option<Cost>, spent: Spent) -> Arc<Self> {
        let spent = Cost { picodollars: u128::from(spent.picodollars.unwrap_or(0)) };
        Arc::new(Self { cap, inner: Mutex::new(Sums { spent, ..Sums::default() }) })
    }

    /// Did the limit stop a request?
    pub(crate) fn is_tripped(&self) -> bool {
        self.lock().tripped
    }

    /// Lets no further request through.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, Sums> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_aside(&self, most: Cost) -> Result<(), ModelFault> {
        let mut sums = self.lock();
        if sums.closed {
            return Err(closed());
        }
        let sum = sums.spent.picodollars + sums.set_aside.picodollars + most.picodollars;
        match self.cap {
            Some(cap) if sum > cap.picodollars => {
                sums.tripped = true;
                Err(over(cap, sums.spent))
            }
            Some(_) | None => {
                sums.set_aside += most;
                Ok(())
            }
        }
    }

    fn settle(&self, most: Cost, real: Cost) {
        let mut sums = self.lock();
        sums.set_aside.picodollars = sums.set_aside.picodollars.saturating_sub(most.picodollars);
        sums.spent += real;
    }
}

fn over(cap: Cost, spent: Cost) -> ModelFault {
    ModelFault {
        kind: FaultKind::SpendCap,
        message: format!("the next request could cost more than is left: {spent} of {cap} spent"),
        fix: "raise --max-cost to continue".to_owned(),
        status: None,
        retry_after: None,
    }
}

fn closed() -> ModelFault {
    ModelFault {
        kind: FaultKind::SpendCap,
        message: "the run is stopping".to_owned(),
        fix: "resume it".to_owned(),
        status: None,
        retry_after: None,
    }
}

/// The maximum cost of a request. A token has at least one byte of the body.
pub(crate) fn most(facts: &ModelFacts, request: &Request, order: PriceTier) -> Cost {
    let bytes = serde_json::to_string(request).map_or(0, |text| text.len());
    let output = u64::from(request.output_tokens_max.unwrap_or(0));
    let usage = Usage { input: bytes as u64 / 2, output, ..Usage::default() };
    cost(facts, &usage, order).unwrap_or_default()
}

/// A model under a cost limit.
pub(crate) struct CostLimitedModel {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) cost_limit: Arc<CostLimit>,
}

impl CostLimitedModel {
    fn price(&self, usage: &Usage) -> Cost {
        cost(self.model.facts(), usage, PriceTier::Live).unwrap_or_default()
    }
}

impl Model for CostLimitedModel {
    fn facts(&self) -> &ModelFacts {
        self.model.facts()
    }

    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let most = most(self.model.facts(), request, PriceTier::Live);
            self.cost_limit.set_aside(most)?;
            let reply = self.model.ask(request, deltas).await;
            let real = reply.as_ref().map(|reply| self.price(&reply.usage)).unwrap_or_default();
            self.cost_limit.settle(most, real);
            reply
        })
    }

    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        self.model.rung_memory()
    }
}

/// The cost of some answers together.
pub(crate) fn spent(
    facts: &ModelFacts,
    usages: impl Iterator<Item = Usage>,
    order: PriceTier,
) -> Spent {
    let mut sum = Spent::default();
    for usage in usages {
        let picodollars = cost(facts, &usage, order)
            .map(|cost| u64::try_from(cost.picodollars).unwrap_or(u64::MAX));
        sum += Spent {
            input_tokens: usage.input.saturating_add(usage.cache_write),
            output_tokens: usage.output,
            cached_tokens: usage.cache_read,
            picodollars,
        };
    }
    sum
}
