//! Known models, their dated names, and unknown ones.

use super::{ForcedChoice, Sampling, StrictMode, Thinking, model, models};

#[track_caller]
fn check(name: &str, family: &str, forced: ForcedChoice) {
    let facts = model(name);
    assert_eq!((facts.name, facts.forced_choice), (family, forced), "{name}");
}

#[test]
fn the_longest_known_prefix_wins() {
    check("claude-opus-5-5", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-opus-5-5-20261001", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-opus-5", "claude-opus-5", ForcedChoice::WithoutManualThinking);
    check("anthropic/claude-fable-5-2", "claude-fable-5-2", ForcedChoice::Refused);
    check("claude-haiku-5-5", "claude-haiku-5-5", ForcedChoice::WithoutManualThinking);
    check("gpt-5.4-mini", "gpt-", ForcedChoice::Accepted);
    check("gemini-3-pro", "gemini-", ForcedChoice::Accepted);
}

#[test]
fn a_newer_version_is_treated_like_the_newest_known_one() {
    check("claude-opus-5-6", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-opus-5-12-20270101", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-fable-5-3", "claude-fable-5-2", ForcedChoice::Refused);
    check("claude-mythos-5-2", "claude-mythos-5-1", ForcedChoice::Refused);
    check("claude-haiku-5-6", "claude-haiku-5-5", ForcedChoice::WithoutManualThinking);
    check("claude-opus-5-4", "claude-opus-5", ForcedChoice::WithoutManualThinking);
    check("claude-opus-4-9", "claude-opus-4-8", ForcedChoice::WithoutManualThinking);
    check("claude-opus-4-20250514", "claude-opus-4", ForcedChoice::WithoutManualThinking);
    check("claude-opus-6", "claude-", ForcedChoice::Refused);
    assert!(!model("claude-sonnet-5-6").thinking.contains(&Thinking::Disabled));
}

#[test]
fn o3_and_o4_mini_are_strict_and_support_no_sampling() {
    for name in ["o3", "o3-2025-04-16", "o4-mini", "openai/o4-mini"] {
        let facts = model(name);
        assert_eq!((facts.strict, facts.sampling), (StrictMode::PerTool, Sampling::Refused));
        assert_eq!(facts.forced_choice, ForcedChoice::Accepted, "{name}");
    }
}

#[test]
fn an_unknown_model_gets_no_option_that_could_be_refused() {
    let facts = model("something-new-1");
    assert_eq!(facts.forced_choice, ForcedChoice::Refused);
    assert_eq!(facts.strict, StrictMode::Missing);
    assert_eq!(facts.sampling, Sampling::Refused);
    assert_eq!(model("claude-next-9").forced_choice, ForcedChoice::Refused);
}

#[test]
fn sonnet_five_five_thinks_between_tools() {
    assert_eq!(model("claude-sonnet-5-5").thinking, [Thinking::Adaptive, Thinking::BetweenTools]);
    assert!(!models().is_empty());
}
