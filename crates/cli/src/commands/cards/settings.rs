//! The settings below `[cards]`, and the model that they apply to.

use std::sync::Arc;

use cards::{Answerer, AskSettings, Chunking, OfflineModel};
use contract::{Model, Secret, Wire};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_model::open_client;

/// How cards are asked for, from `[cards]`.
pub(in crate::commands) fn ask_settings(config: &Config) -> AskSettings {
    let usual = AskSettings::usual();
    AskSettings {
        // Checked when it was read.
        tool_name: config.get("cards.emit_tool_name").and_then(|name| name.parse().ok()),
        output_tokens: config.number("cards.max_tokens"),
        output_tokens_bump: config
            .number("cards.retry.max_tokens_bump")
            .unwrap_or(usual.output_tokens_bump),
        sentences_min: config
            .number("cards.chunking.min_sentences")
            .map_or(usual.sentences_min, |number| number as usize),
    }
}

/// How sentences are grouped at first.
pub(in crate::commands) fn chunking(config: &Config) -> Chunking {
    let usual = Chunking::usual();
    let sentences_max = config.number("cards.chunking.max_sentences");
    let sentences_max = sentences_max.map_or(usual.sentences_max, |number| number as usize);
    Chunking { sentences_max, ..usual }
}

/// Refuses if flashcards are switched off.
pub(in crate::commands) fn check_enabled(config: &Config) -> Result<(), Failure> {
    match is_enabled(config) {
        true => Ok(()),
        false => Err(Failure::message(
            "flashcards are switched off",
            "set `enabled = true` below `[cards]`; `ghosthand config` shows where it is set",
        )),
    }
}

pub(in crate::commands) fn is_enabled(config: &Config) -> bool {
    config.get("cards.enabled") != Some("false")
}

/// The model that makes the cards: the configured one, or the offline one.
pub(in crate::commands) fn answerer(config: &Config) -> Result<Answerer, Failure> {
    let config = with_betas(config);
    // A run retries by itself; a batch is asked for once, so its client retries.
    let (model, batches) = (open_client(&config)?, open_client(&config)?);
    Ok(match model {
        Some(client) => {
            let model: Arc<dyn Model> = Arc::new(client.without_retries());
            Answerer { model, batches: batches.map(Arc::new) }
        }
        None => Answerer { model: Arc::new(OfflineModel::default()), batches: None },
    })
}

/// A key from the environment.
pub(super) fn key_in(variable: &str) -> Option<Secret> {
    #[expect(clippy::disallowed_methods, reason = "secrets are read here")]
    let value = std::env::var(variable).ok();
    value.filter(|key| !key.is_empty()).map(Secret::new)
}

/// The settings with the beta features in the headers of Anthropic's providers.
fn with_betas(config: &Config) -> Config {
    let mut config = config.clone();
    let betas = config.names("cards.betas").join(",");
    if !betas.is_empty() {
        for configured in &mut config.providers {
            if configured.provider.wire == Wire::Anthropic {
                let header = ("anthropic-beta".to_owned(), Secret::new(betas.clone()));
                configured.provider.headers.push(header);
            }
        }
    }
    config
}
