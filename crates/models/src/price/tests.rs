//! Prices, compared with sums done by hand.

use super::*;

fn facts(provider: &str, model: &str) -> ModelFacts {
    ModelFacts::named(provider, model)
}

#[track_caller]
fn check(model: &str, usage: (u64, u64, u64, u64), order: PriceTier, expected: &str) {
    let (input, output, cache_read, cache_write) = usage;
    let usage = Usage { input, output, cache_read, cache_write, thinking: 0 };
    let cost = cost(&facts("anthropic", model), &usage, order);
    assert_eq!(cost.map_or("unknown".to_owned(), |cost| cost.to_string()), expected);
}

#[test]
fn tokens_cost_what_the_list_says() {
    check("claude-fable-5-1", (1_000_000, 1_000_000, 0, 0), PriceTier::Live, "$60.0000");
    check("claude-sonnet-5-5", (1_000_000, 0, 0, 0), PriceTier::Live, "$2.0000");
    check("claude-sonnet-5-5-20260928", (0, 1_000_000, 0, 0), PriceTier::Live, "$10.0000");
    check("claude-haiku-4-5", (1_000_000, 0, 0, 0), PriceTier::Batch, "$0.5000");
    check("claude-haiku-4-5", (1, 0, 0, 0), PriceTier::Live, "$0.0001");
    check("claude-haiku-4-5", (0, 0, 0, 0), PriceTier::Live, "$0.0000");
}

#[test]
fn cache_reads_are_cheaper_and_cache_writes_dearer_than_input() {
    check("claude-sonnet-5-5", (0, 0, 1_000_000, 0), PriceTier::Live, "$0.2000");
    check("claude-sonnet-5-5", (0, 0, 0, 1_000_000), PriceTier::Live, "$2.5000");
    check("claude-opus-5-5", (0, 0, 1_000_000, 0), PriceTier::Live, "$0.2000");
}

#[test]
fn a_long_prompt_costs_more_and_the_cache_counts_as_prompt() {
    check("claude-haiku-5-5", (100_000, 0, 0, 0), PriceTier::Live, "$0.0100");
    check("claude-haiku-5-5", (100_001, 0, 0, 0), PriceTier::Live, "$0.0501");
    check("claude-haiku-5-5", (1, 100_000, 100_000, 0), PriceTier::Live, "$0.2551");
}

#[test]
fn an_unlisted_model_has_no_price() {
    check("claude-opus-5", (1, 1, 0, 0), PriceTier::Live, "unknown");
    check("claude-opus-5-55", (1, 1, 0, 0), PriceTier::Live, "unknown");
    let usage = Usage { input: 1, ..Usage::default() };
    assert_eq!(cost(&facts("my-proxy", "claude-opus-5-5"), &usage, PriceTier::Live), None);
}

#[test]
fn the_list_price_is_in_dollars_per_million_tokens() {
    assert_eq!(list_price(&facts("anthropic", "claude-haiku-5-5")), Some((0.1, 0.5)));
    assert_eq!(list_price(&facts("anthropic", "claude-opus-5-5-20260922")), Some((4.0, 20.0)));
    assert_eq!(list_price(&facts("elsewhere", "claude-opus-5-5")), None);
}
