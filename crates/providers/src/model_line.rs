//! One model in the list: its name, and what it can do.
//!
//! What the provider's own list says counts first, then the dated tables. What nobody says stays
//! unknown.

use contract::ModelFacts;
use dialect::{Sampling, Thinking};
use models::{Family, ListedModel, Provider};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model_table::table_facts;

/// A model that a conversation can choose.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelLine {
    /// `provider:name`, by which it is chosen.
    pub id: String,
    pub provider: String,
    pub name: String,
    /// Its display name, if it has one.
    pub title: Option<String>,
    /// Whether it calls tools; unknown if missing. So for pictures and thinking.
    pub tools: Option<bool>,
    pub pictures: Option<bool>,
    pub thinking: Option<bool>,
    /// Whether temperature and its like are sent to it.
    pub sampling: bool,
    /// Tokens of the prompt and the answer together.
    pub window: Option<u64>,
    /// Tokens of one answer.
    pub output_tokens_max: Option<u64>,
    pub price: Option<Price>,
    /// Whether it is the built-in stand-in.
    pub stand_in: bool,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

impl ModelLine {
    pub(crate) fn of(provider: &Provider, listed: &ListedModel) -> Self {
        let name = &listed.name;
        let abilities = models::abilities(provider, name);
        let facts = models::facts(provider, name);
        let table = table_facts(provider.family, name);
        let said = &listed.said;
        let is_known = !matches!(provider.family, Family::Other | Family::Ollama);
        let thinks = || {
            let thinking = dialect::model(name).thinking;
            is_known.then(|| thinking.iter().any(|way| *way != Thinking::Disabled))
        };
        let table_price = table.price.map(|[input, output]| Price { input, output });
        let listed_price = models::list_price(&facts);
        let listed_price = listed_price.map(|(input, output)| Price { input, output });
        let said_price = said.price.map(|price| Price {
            input: price.input_picodollars as f64 / 1e6,
            output: price.output_picodollars as f64 / 1e6,
        });
        Self {
            id: facts.to_string(),
            provider: provider.name.clone(),
            name: name.clone(),
            title: listed.title.clone().filter(|title| title != name),
            tools: said.tools.or(is_known.then_some(true)),
            pictures: said.pictures.or(table.pictures),
            thinking: said.thinking.or_else(thinks),
            sampling: abilities.sampling == Sampling::Accepted && takes_sampling(provider),
            window: said.window.or(table.window),
            output_tokens_max: said
                .output_tokens_max
                .or(table.output_tokens_max)
                .or(abilities.output_tokens_max.map(u64::from)),
            price: said_price.or(listed_price).or(table_price),
            stand_in: false,
        }
    }

    /// A model that no list has: the server's own, or the stand-in.
    pub(crate) fn plain(facts: &ModelFacts, stand_in: bool) -> Self {
        Self {
            id: facts.to_string(),
            provider: facts.provider.clone(),
            name: facts.model.clone(),
            title: None,
            tools: stand_in.then_some(true),
            pictures: stand_in.then_some(false),
            thinking: stand_in.then_some(false),
            sampling: false,
            window: None,
            output_tokens_max: facts.output_tokens_max.map(u64::from),
            price: None,
            stand_in,
        }
    }
}

/// Anthropic's wire sends no sampling settings.
fn takes_sampling(provider: &Provider) -> bool {
    provider.wire != contract::Wire::Anthropic
}
