//! What answers cost and how large the windows of models are, from what is known without asking
//! a provider.
//!
//! Must hold: no guesses. A model that neither its provider's recent list nor our dated tables
//! have costs an unknown amount, which is none.

use std::ops::AddAssign;

use contract::Usage;
use models::{Cost, PriceTier};

use super::lists::unlisted;
use super::{Known, Providers};
use crate::model_line::{ModelLine, Price};

/// The prices and windows of all providers, as of now.
pub struct PriceBook {
    known: Vec<(Known, Vec<ModelLine>)>,
    stand_in: String,
}

/// Money for answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub cost: Cost,
    /// Whether it may be less: tokens from the provider's cache counted in full, because only
    /// the full price is known.
    pub is_most: bool,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.cost += other.cost;
        self.is_most |= other.is_most;
    }
}

impl Providers {
    /// Reads the providers and their recent lists.
    pub async fn price_book(&self) -> PriceBook {
        let known = self.all().await.unwrap_or_default().into_iter();
        let known = known.map(|one| {
            let listed = self.recent_lines(&one.provider);
            (one, listed)
        });
        PriceBook { known: known.collect(), stand_in: self.stand_in().facts().to_string() }
    }
}

impl PriceBook {
    /// The window of a model, in tokens; none if nobody says it.
    pub fn window(&self, id: &str) -> Option<u64> {
        self.line(id)?.window
    }

    /// What this usage of a model cost; none if its price is unknown. `answered` is the model's
    /// name as the provider gave it, which may have a date.
    pub fn spent(&self, id: &str, answered: &str, usage: &Usage) -> Option<Spent> {
        if id == self.stand_in {
            return Some(Spent::default());
        }
        let (provider, name) = id.split_once(':')?;
        if !answered.starts_with(name) && !name.starts_with(answered) {
            return None;
        }
        let line = self.line(id)?;
        let (known, _) = self.known.iter().find(|(known, _)| known.provider.name == provider)?;
        let facts = models::facts(&known.provider, name);
        let listed = models::cost(&facts, usage, PriceTier::Live);
        let listed = listed.map(|cost| Spent { cost, is_most: false });
        listed.or_else(|| Some(in_full(line.price?, usage)))
    }

    fn line(&self, id: &str) -> Option<ModelLine> {
        let (provider, name) = id.split_once(':')?;
        let (known, listed) = self.known.iter().find(|(one, _)| one.provider.name == provider)?;
        let found = listed.iter().find(|line| line.name == name).cloned();
        Some(found.unwrap_or_else(|| ModelLine::of(&known.provider, &unlisted(name))))
    }
}

/// At the prices of input and output alone.
fn in_full(price: Price, usage: &Usage) -> Spent {
    let Usage { input, output, cache_read, cache_write, thinking: _ } = *usage;
    let cached = cache_read.saturating_add(cache_write);
    // A dollar per million tokens is a million picodollars per token.
    let each = |dollars: f64| (dollars * 1e6).round().max(0.0) as u128;
    let read = u128::from(input.saturating_add(cached)) * each(price.input);
    let picodollars = read + u128::from(output) * each(price.output);
    Spent { cost: Cost { picodollars }, is_most: cached > 0 }
}

#[cfg(test)]
mod tests {
    use contract::Usage;

    use super::{Price, in_full};

    #[test]
    fn cached_tokens_count_in_full_and_make_it_the_most_that_it_can_be() {
        let price = Price { input: 2.0, output: 8.5 };
        let check = |usage: Usage, dollars: f64, is_most: bool| {
            let spent = in_full(price, &usage);
            assert_eq!((spent.cost.dollars(), spent.is_most), (dollars, is_most), "{usage:?}");
        };
        check(Usage::default(), 0.0, false);
        check(Usage { input: 1_000_000, output: 2_000_000, ..Usage::default() }, 19.0, false);
        check(Usage { cache_read: 500_000, ..Usage::default() }, 1.0, true);
        check(Usage { input: 500_000, cache_write: 500_000, ..Usage::default() }, 2.0, true);
    }
}
