//! What an answer costs, from a dated price list.
//!
//! In: the facts of a model, its [`Usage`], how it was requested. Out: a [`Cost`], or none if
//! the price is not known. Must hold: no guesses; prices apply only to the provider that
//! publishes them.

use std::fmt;

use contract::{ModelFacts, Usage};

use crate::facts::is_of;

/// When the list was last checked.
pub const PRICES_AS_OF: &str = "2026-11-15";

/// How the answer was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceTier {
    Live,
    /// Through a batch, at half the price.
    Batch,
}

/// Money, exact to a millionth of a millionth of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost {
    pub picodollars: u128,
}

impl Cost {
    pub fn dollars(self) -> f64 {
        self.picodollars as f64 / 1e12
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.picodollars += other.picodollars;
    }
}

/// `$0.0123`: rounded up to a hundredth of a cent, so that no cost is shown as free.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.picodollars.div_ceil(100_000_000);
        write!(f, "${}.{:04}", parts / 10_000, parts % 10_000)
    }
}

/// One line of the list, in cents per million tokens: a token then costs 10 000 picodollars
/// per cent.
struct Price {
    model: &'static str,
    input: u128,
    output: u128,
    /// The price of the cache, in hundredths of the input price.
    cache_read: u128,
    cache_write: u128,
    long: Option<LongPrompt>,
}

/// Other prices for the whole request once its prompt is longer than this.
struct LongPrompt {
    above_tokens: u64,
    input: u128,
    output: u128,
}

const fn price(model: &'static str, input: u128, output: u128) -> Price {
    Price { model, input, output, cache_read: 10, cache_write: 125, long: None }
}

static ANTHROPIC: [Price; 5] = [
    price("claude-fable-5-1", 1_000, 5_000),
    Price { cache_read: 5, ..price("claude-opus-5-5", 400, 2_000) },
    price("claude-sonnet-5-5", 200, 1_000),
    Price {
        long: Some(LongPrompt { above_tokens: 100_000, input: 50, output: 250 }),
        ..price("claude-haiku-5-5", 10, 50)
    },
    price("claude-haiku-4-5", 100, 500),
];

/// Dollars per million tokens of input and output; none if the list does not have the model.
pub fn list_price(model: &ModelFacts) -> Option<(f64, f64)> {
    let price = find(model)?;
    Some((price.input as f64 / 100.0, price.output as f64 / 100.0))
}

fn find(model: &ModelFacts) -> Option<&'static Price> {
    let list = if model.provider == "anthropic" { ANTHROPIC.iter() } else { return None };
    list.into_iter().find(|price| is_of(&model.model, price.model))
}

/// The cost of this usage; none if the list does not have the model.
pub fn cost(model: &ModelFacts, usage: &Usage, order: PriceTier) -> Option<Cost> {
    let price = find(model)?;
    let Usage { input, output, cache_read, cache_write, thinking: _ } = *usage;
    let prompt = input.saturating_add(cache_read).saturating_add(cache_write);
    let (input_cents, output_cents) = match &price.long {
        Some(long) if prompt > long.above_tokens => (long.input, long.output),
        Some(_) | None => (price.input, price.output),
    };
    // In hundredths of a cent per million tokens, so that the cache's share is a whole number.
    let read = u128::from(cache_read) * input_cents * price.cache_read;
    let write = u128::from(cache_write) * input_cents * price.cache_write;
    let fresh = u128::from(input) * input_cents * 100;
    let answer = u128::from(output) * output_cents * 100;
    let full = (read + write + fresh + answer) * 100;
    let picodollars = match order {
        PriceTier::Live => full,
        PriceTier::Batch => full / 2,
    };
    Some(Cost { picodollars })
}

#[cfg(test)]
mod tests;
