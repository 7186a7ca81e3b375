//! Whether and when a request is retried, as the official clients do.
//!
//! In: the server's answer, the number of the attempt, the time, a random number. Out: how long
//! to wait, or that the fault is final. Must hold: pure; time and chance are behind [`Clock`].

use std::time::{Duration, SystemTime};

use contract::{BoxFuture, FaultKind, ModelFault};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// The time, sleeping and random numbers, replaced in tests.
pub trait Clock: Send + Sync {
    fn now(&self) -> SystemTime;
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
    /// A number from 0 up to, and not including, 1.
    fn dice(&self) -> f64;
}

/// The system's clock and random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }

    /// Good enough to spread the retries of several clients.
    fn dice(&self) -> f64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        f64::from(since.subsec_nanos() % 100_003) / 100_003.0
    }
}

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// If a server asks for a longer pause than this, the request is not retried.
const LONGEST_ASKED_WAIT: Duration = Duration::from_secs(120);

/// What the headers of an answer say about retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Advice {
    /// `x-should-retry`
    pub(crate) should_retry: Option<bool>,
    pub(crate) retry_after: Option<Duration>,
}

impl Advice {
    pub(crate) fn read<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Self {
        let should_retry = match header("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) | None => None,
        };
        let exact = header("retry-after-ms").and_then(|ms| seconds(ms, 1_000.0));
        let after = || {
            let text = header("retry-after")?;
            seconds(text, 1.0).or_else(|| until(text, now))
        };
        Self { should_retry, retry_after: exact.or_else(after) }
    }
}

fn seconds(text: &str, per_second: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(number / per_second).ok()
}

/// A date in the past means immediately.
fn until(date: &str, now: SystemTime) -> Option<Duration> {
    let then = DateTimeParser::new().parse_timestamp(date.trim()).ok()?;
    let now = Timestamp::try_from(now).ok()?;
    Some(Duration::try_from(then.duration_since(now)).unwrap_or_default())
}

/// How long to wait before attempt number `tries + 1`, or `None` if the fault is final.
pub(crate) fn wait(fault: &ModelFault, advice: Advice, tries: u32, dice: f64) -> Option<Duration> {
    if !is_worth_it(fault, advice) {
        return None;
    }
    let asked = fault.retry_after.or(advice.retry_after);
    match asked.filter(|asked| !asked.is_zero()) {
        Some(asked) => (asked <= LONGEST_ASKED_WAIT).then_some(asked),
        None => Some(backoff(tries, dice)),
    }
}

/// How long to wait after this many attempts if the server did not say.
pub fn backoff(tries: u32, dice: f64) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(10));
    doubled.min(LONGEST_WAIT).mul_f64(1.0 - 0.25 * dice.clamp(0.0, 1.0))
}

fn is_worth_it(fault: &ModelFault, advice: Advice) -> bool {
    match (advice.should_retry, fault.status) {
        (Some(should_retry), _) => should_retry,
        (None, Some(status)) => {
            let again = matches!(status, 408 | 409 | 429 | 500..);
            again && fault.kind != FaultKind::SpendCap
        }
        (None, None) => fault.kind.is_retryable(),
    }
}

#[cfg(test)]
mod tests;
