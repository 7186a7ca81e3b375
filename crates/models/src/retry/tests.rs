//! What is retried, and after how long.

use super::*;

fn fault(status: Option<u16>, kind: FaultKind) -> ModelFault {
    ModelFault { kind, message: String::new(), fix: String::new(), status, retry_after: None }
}

/// 1 January 2026, noon.
fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_268_800)
}

fn advice(headers: &'static [(&str, &str)]) -> Advice {
    let find = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    Advice::read(find, noon())
}

#[track_caller]
fn check(status: u16, kind: FaultKind, headers: &'static [(&str, &str)], expected: Option<u64>) {
    let advice = advice(headers);
    let fault = ModelFault { retry_after: advice.retry_after, ..fault(Some(status), kind) };
    let waited = wait(&fault, advice, 1, 0.0).map(|wait| wait.as_millis() as u64);
    assert_eq!(waited, expected, "{status} {headers:?}");
}

#[test]
fn headers_decide_before_statuses() {
    use FaultKind::{BadRequest, Overloaded, RateLimited, SpendCap, TimedOut};
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        check(status, Overloaded, &[], Some(500));
    }
    check(400, BadRequest, &[], None);
    check(404, BadRequest, &[], None);
    check(400, BadRequest, &[("x-should-retry", "true")], Some(500));
    check(503, Overloaded, &[("x-should-retry", "false")], None);
    check(429, SpendCap, &[], None);
    check(429, RateLimited, &[("retry-after", "3")], Some(3_000));
    check(429, RateLimited, &[("retry-after", "0.25")], Some(250));
    check(429, RateLimited, &[("retry-after-ms", "70"), ("retry-after", "3")], Some(70));
    check(429, RateLimited, &[("retry-after", "Thu, 01 Jan 2026 12:00:05 GMT")], Some(5_000));
    check(429, RateLimited, &[("retry-after", "Thu, 01 Jan 2026 11:00:00 GMT")], Some(500));
    check(429, RateLimited, &[("retry-after", "soon")], Some(500));
    check(429, RateLimited, &[("retry-after", "-1")], Some(500));
    check(429, RateLimited, &[("retry-after", "121")], None);
    check(408, TimedOut, &[], Some(500));
}

#[test]
fn waits_double_up_to_a_limit_with_jitter() {
    let fault = &fault(None, FaultKind::Unreachable);
    let waits =
        |dice| (1..=6).map(move |tries| wait(fault, Advice::default(), tries, dice).unwrap());
    let full: Vec<_> = waits(0.0).map(|wait| wait.as_millis()).collect();
    assert_eq!(full, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    let shortest: Vec<_> = waits(1.0).map(|wait| wait.as_millis()).collect();
    assert_eq!(shortest, [375, 750, 1_500, 3_000, 6_000, 6_000]);
}

#[test]
fn a_broken_connection_is_retried_and_a_garbled_answer_is_not() {
    let waited = |kind| wait(&fault(None, kind), Advice::default(), 1, 0.0).is_some();
    assert!(waited(FaultKind::Unreachable) && waited(FaultKind::Truncated));
    assert!(waited(FaultKind::TimedOut));
    assert!(!waited(FaultKind::Garbled) && !waited(FaultKind::TooLarge));
}

#[test]
fn random_numbers_are_between_0_and_1() {
    let thrown = SystemClock.dice();
    assert!((0.0..1.0).contains(&thrown));
}
