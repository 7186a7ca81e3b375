//! When to evaluate the conditions of tools: every second, or on demand in tests.

use std::time::Duration;

use policy::BoxFuture;

/// The schedule of evaluations.
pub trait ConditionClock: Send + Sync {
    /// Ready when the next evaluation is due.
    fn tick(&self) -> BoxFuture<'static, ()>;
}

/// Every second of real time.
#[derive(Debug, Clone, Copy)]
pub struct EverySecond;

impl ConditionClock for EverySecond {
    fn tick(&self) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_secs(1)))
    }
}
