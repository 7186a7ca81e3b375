//! Delays before retries and before polling a batch. Pure; the clock is elsewhere.

use std::time::Duration;

use contract::{FaultKind, ModelFault};

/// Retries, on top of those that the client makes.
pub(crate) const RETRIES_MAX: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// A longer pause stops the run; a person resumes it later.
const LONGEST_ASKED_WAIT: Duration = Duration::from_secs(300);

/// The delay before try number `tries + 1`; none if the fault is not retryable.
pub(crate) fn wait(fault: &ModelFault, tries: u32, dice: f64) -> Option<Duration> {
    let passes = fault.kind.is_retryable() || fault.kind == FaultKind::Garbled;
    if !passes || tries >= RETRIES_MAX {
        return None;
    }
    match fault.retry_after.filter(|asked| !asked.is_zero()) {
        Some(asked) => (asked <= LONGEST_ASKED_WAIT).then_some(asked),
        None => {
            let doubled = FIRST_WAIT.saturating_mul(1 << tries.min(10)).min(LONGEST_WAIT);
            Some(doubled.mul_f64(1.0 - 0.25 * dice.clamp(0.0, 1.0)))
        }
    }
}

/// The delay before polling a batch of this age again.
pub(crate) fn next_look(age: Duration, dice: f64) -> Duration {
    let (least, most) = match age.as_secs() {
        0..10 => (1.0, 2.0),
        10..60 => (3.0, 5.0),
        60..600 => (10.0, 30.0),
        _ => (30.0, 60.0),
    };
    Duration::from_secs_f64(least + (most - least) * dice.clamp(0.0, 1.0))
}

/// Providers keep results for 29 days.
const KEPT: Duration = Duration::from_secs(29 * 24 * 60 * 60);

/// Have the results of a batch of this age expired?
pub(crate) fn is_expired(age: Duration) -> bool {
    age >= KEPT
}

#[cfg(test)]
mod tests;
