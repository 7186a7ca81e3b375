//! The facts of single models, and at which providers they apply.

use contract::Rung::{self, Automatic, Forced, Native};

use super::*;
use crate::provider::Key;

fn rungs_of(provider: &Provider, model: &str) -> Vec<Rung> {
    facts(provider, model).rungs
}

#[test]
fn rungs_follow_the_model_and_not_the_provider() {
    let anthropic = || Provider::anthropic(Key::NotNeeded);
    assert_eq!(rungs_of(&anthropic(), "claude-opus-5-5"), [Native, Automatic]);
    assert_eq!(rungs_of(&anthropic(), "claude-haiku-5-5"), [Native, Forced, Automatic]);
    assert_eq!(rungs_of(&Provider::openai(Key::NotNeeded), "gpt-5"), [Native, Forced, Automatic]);
    assert_eq!(
        rungs_of(&Provider::gemini(Key::NotNeeded), "gemini-3-pro"),
        [Native, Forced, Automatic]
    );
    assert_eq!(rungs_of(&Provider::ollama("http://localhost"), "llama3.2"), [Native, Automatic]);
}

#[test]
fn an_unknown_model_gets_the_cautious_default() {
    assert_eq!(rungs_of(&Provider::openai(Key::NotNeeded), "zebra-1"), [Automatic]);
    let local = Provider::compatible("local", "http://localhost", Key::NotNeeded);
    assert_eq!(rungs_of(&local, "gpt-oss-20b"), [Native, Forced, Automatic], "by trying");
    let configured = Provider { rungs: Some(vec![Native]), ..local };
    assert_eq!(rungs_of(&configured, "gpt-oss-20b"), [Native]);
}

#[test]
fn the_maximum_answer_length_is_known_or_none() {
    let limit = |model| facts(&Provider::anthropic(Key::NotNeeded), model).output_tokens_max;
    assert_eq!(limit("claude-opus-5-5"), Some(128_000));
    assert_eq!(limit("claude-haiku-4-5-20251001"), Some(64_000));
    assert_eq!(limit("claude-opus-4-1-20250805"), Some(32_000));
    assert_eq!(limit("claude-zebra-9"), None);
}
