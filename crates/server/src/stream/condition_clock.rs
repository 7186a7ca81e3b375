//! The beat at which conditions of tools are looked at: each second, or as a test wants it.

use std::time::Duration;

use policy::BoxFuture;

/// When to look again.
pub trait ConditionClock: Send + Sync {
    /// Ready when the next look is due.
    fn beat(&self) -> BoxFuture<'static, ()>;
}

/// The pulse of a machine's own clock.
#[derive(Debug, Clone, Copy)]
pub struct EverySecond;

impl ConditionClock for EverySecond {
    fn beat(&self) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_secs(1)))
    }
}
