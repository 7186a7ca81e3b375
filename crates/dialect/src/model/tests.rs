//! Known models, their dated names, and what an unknown one gets.

use super::{ForcedChoice, Sampling, StrictMode, Thinking, model, models};

#[track_caller]
fn check(name: &str, family: &str, forced: ForcedChoice) {
    let facts = model(name);
    assert_eq!((facts.name, facts.forced_choice), (family, forced), "{name}");
}

#[test]
fn the_longest_known_family_answers() {
    check("claude-opus-5-5", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-opus-5-5-20261001", "claude-opus-5-5", ForcedChoice::Refused);
    check("claude-opus-5", "claude-opus-5", ForcedChoice::WithoutManualThinking);
    check("anthropic/claude-fable-5-2", "claude-fable-5-2", ForcedChoice::Refused);
    check("claude-haiku-5-5", "claude-haiku-5-5", ForcedChoice::WithoutManualThinking);
    check("gpt-5.4-mini", "gpt-", ForcedChoice::Accepted);
    check("gemini-3-pro", "gemini-", ForcedChoice::Accepted);
}

#[test]
fn an_unknown_model_gets_nothing_that_could_be_refused() {
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
