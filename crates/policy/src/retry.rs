//! Whether a failed call may be retried, and after which pause.
//!
//! In: the error, the contract, the number of attempts, a seed. Out: [`Retry`]. Must hold: a
//! call that may have had an effect is never retried automatically, and the number of attempts
//! is limited.

use contract::{Contract, ErrorType, SideEffects, ToolError};

use crate::{Backoff, RetryLimits};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    No(NoRetry),
    After { ms: u64 },
}

/// Why a call is not retried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRetry {
    #[error("the error is not retryable")]
    NotRetryable,
    #[error("it may have had partial effects")]
    PartialSideEffects,
    #[error("only idempotent tools are retried, and this one is not")]
    NotIdempotent,
    #[error("it was tried {tries} times, which is all this mode allows")]
    UsedUp { tries: u32 },
}

/// Whether to retry a call after `tries` failed attempts. The same seed gives the same pause.
pub fn may_retry(
    error: &ToolError,
    contract: &Contract,
    tries: u32,
    limits: &RetryLimits,
    seed: u64,
) -> Retry {
    // A handler's claim that nothing happened is trusted only where a second effect would do
    // no harm: a tool that writes must be idempotent as well.
    let must_be_idempotent =
        error.idempotency_required || contract.side_effects == SideEffects::Writes;
    if !error.retryable {
        return Retry::No(NoRetry::NotRetryable);
    }
    if error.partial_side_effects {
        return Retry::No(NoRetry::PartialSideEffects);
    }
    if must_be_idempotent && !contract.idempotent {
        return Retry::No(NoRetry::NotIdempotent);
    }
    if tries > limits.retries_max {
        return Retry::No(NoRetry::UsedUp { tries });
    }
    let pause = match error.kind == ErrorType::RateLimit {
        true => limits.rate_limit_ms,
        false => limits.pause_ms,
    };
    Retry::After { ms: jitter(doubled(pause, tries), limits.jitter_percent, seed, pause.max) }
}

/// The pause after so many attempts, before jitter.
fn doubled(pause: Backoff, tries: u32) -> u64 {
    let doublings = tries.saturating_sub(1).min(63);
    pause.first.saturating_mul(1 << doublings).min(pause.max)
}

/// Changes a pause by up to `percent` either way; never above `max`.
fn jitter(ms: u64, percent: u32, seed: u64, max: u64) -> u64 {
    let width = ms.saturating_mul(percent.min(100).into()) / 100;
    let shift = mix(seed) % (width.saturating_mul(2).saturating_add(1));
    (ms - width).saturating_add(shift).min(max)
}

/// Spreads neighbouring seeds (SplitMix64's last step).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
