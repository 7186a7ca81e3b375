//! TK-13: what is retried, when, and how often.

use contract::{ErrorType, ToolError};

use super::*;
use crate::Limits;
use crate::test_fixtures::contract;

fn error(words: &str) -> ToolError {
    let has = |word: &str| words.split(' ').any(|found| found == word);
    let kind = if has("rate") { ErrorType::RateLimit } else { ErrorType::Transient };
    ToolError {
        retryable: !has("final"),
        partial_side_effects: has("partial"),
        idempotency_required: has("idempotent-only"),
        ..ToolError::before_start(kind, "no")
    }
}

/// Without jitter: `300`, or why not.
#[track_caller]
fn check(words: &str, tool: &str, tries: u32, expected: &str) {
    let limits = RetryLimits { jitter_percent: 0, ..Limits::text().retry };
    let shown = match may_retry(&error(words), &contract(tool), tries, &limits, 1) {
        Retry::After { ms } => ms.to_string(),
        Retry::No(why) => format!("{why:?}"),
    };
    assert_eq!(shown, expected, "{words} {tool} {tries}");
}

#[test]
fn tk_13_only_harmless_calls_are_retried() {
    check("", "kb_search", 1, "300");
    check("final", "kb_search", 1, "NotRetryable");
    check("partial", "kb_search", 1, "PartialSideEffects");
    check("idempotent-only", "kb_search", 1, "300");
    check("idempotent-only", "roll", 1, "NotIdempotent");
    check("", "roll", 1, "300");
    check("", "set_status", 1, "300");
    check("partial", "set_status", 1, "PartialSideEffects");
    check("", "send_mail", 1, "NotIdempotent");
    check("idempotent-only", "send_mail", 1, "NotIdempotent");
}

#[test]
fn tk_13_pauses_double_and_retries_end() {
    check("", "kb_search", 2, "600");
    check("", "kb_search", 3, "1200");
    check("", "kb_search", 4, "UsedUp { tries: 4 }");
    check("", "kb_search", u32::MAX, "UsedUp { tries: 4294967295 }");
    check("rate", "kb_search", 1, "1000");
    check("rate", "kb_search", 3, "4000");
}

#[test]
fn tk_13_a_pause_has_a_maximum_and_jitter_stays_within_a_fifth() {
    let limits = RetryLimits { retries_max: 100, ..Limits::text().retry };
    let pause = |words: &str, tries, seed| match may_retry(
        &error(words),
        &contract("kb_search"),
        tries,
        &limits,
        seed,
    ) {
        Retry::After { ms } => ms,
        Retry::No(why) => panic!("{why}"),
    };
    for seed in 0..500 {
        assert!((240..=360).contains(&pause("", 1, seed)));
        assert!((800..=1200).contains(&pause("rate", 1, seed)));
        assert!((2400..=3000).contains(&pause("", 90, seed)));
        assert!((8000..=10_000).contains(&pause("rate", 90, seed)));
    }
    assert_eq!(pause("", 1, 42), pause("", 1, 42));
    assert!((0..50).any(|seed| pause("", 1, seed) != pause("", 1, seed + 1)));
}

#[test]
fn tk_13_voice_does_not_retry() {
    let limits = Limits::voice().retry;
    let retry = may_retry(&error(""), &contract("kb_search"), 1, &limits, 1);
    assert_eq!(retry, Retry::No(NoRetry::UsedUp { tries: 1 }));
}

/// The first outputs of SplitMix64 for the seed 0; its state grows by this step.
#[test]
fn neighbouring_seeds_are_spread_as_splitmix64_does() {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    assert_eq!(mix(STEP), 0x6e78_9e6a_a1b9_65f4);
    assert_eq!(mix(STEP.wrapping_mul(2)), 0x06c4_5d18_8009_454f);
}
