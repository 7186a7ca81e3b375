//! FC-13: delays before retries.

use std::time::Duration;

use contract::{FaultKind, ModelFault};

use super::{is_expired, next_look, wait};

fn fault(kind: FaultKind, retry_after: Option<u64>) -> ModelFault {
    ModelFault {
        kind,
        message: String::new(),
        fix: String::new(),
        status: None,
        retry_after: retry_after.map(Duration::from_secs),
    }
}

#[test]
fn fc_13_waits_double_with_jitter_and_a_server_that_says_when_is_believed() {
    let check = |kind, after, tries, dice, expected: Option<u64>| {
        let found = wait(&fault(kind, after), tries, dice).map(|wait| wait.as_millis() as u64);
        assert_eq!(found, expected);
    };
    check(FaultKind::RateLimited, None, 0, 0.0, Some(1_000));
    check(FaultKind::RateLimited, None, 1, 0.0, Some(2_000));
    check(FaultKind::Overloaded, None, 2, 1.0, Some(3_000));
    check(FaultKind::Overloaded, None, 3, 0.0, None);
    check(FaultKind::RateLimited, Some(42), 0, 1.0, Some(42_000));
    check(FaultKind::RateLimited, Some(3_600), 0, 0.0, None);
    check(FaultKind::WrongKey, None, 0, 0.0, None);
    check(FaultKind::SpendCap, Some(1), 0, 0.0, None);
}

#[test]
fn fc_13_a_batch_is_looked_at_ever_less_often() {
    let check = |age, least: f64, most: f64| {
        let age = Duration::from_secs(age);
        assert_eq!(next_look(age, 0.0).as_secs_f64(), least);
        assert_eq!(next_look(age, 1.0).as_secs_f64(), most);
    };
    check(0, 1.0, 2.0);
    check(10, 3.0, 5.0);
    check(59, 3.0, 5.0);
    check(60, 10.0, 30.0);
    check(600, 30.0, 60.0);
    check(90_000, 30.0, 60.0);
}

#[test]
fn fc_12_results_are_gone_after_29_days() {
    let days = |days: u64| Duration::from_secs(days * 86_400);
    assert!(!is_expired(days(28)) && is_expired(days(29)));
}
