//! Opens the embedding model that `kb.embeddings` names.

use std::sync::Arc;

use contract::{BoxFuture, EmbeddedTexts, Embedder, ModelFault};
use engine::Engine;
use models::{HttpClient, Limits, Provider, embed};

use crate::config::{Config, Configured};
use crate::exit::Failure;

/// A model of a provider of the settings.
struct ConfiguredModel {
    line: HttpClient,
    provider: Provider,
    model: String,
    id: String,
}

impl Embedder for ConfiguredModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<EmbeddedTexts, ModelFault>> {
        Box::pin(embed(&self.line, &self.provider, &self.model, texts))
    }
}

/// Documents are searched with the model of the settings. A provider that only the page has is
/// opened by `serve`.
pub(crate) fn open(config: &Config, engine: &Engine) -> Result<(), Failure> {
    let Some(id) = config.get("kb.embeddings") else { return Ok(()) };
    let Some((name, model)) = id.split_once(':').filter(|(_, model)| !model.is_empty()) else {
        let fix = "write it as `openai:text-embedding-3-small`";
        return Err(Failure::message(format!("`kb.embeddings` is `{id}`"), fix));
    };
    let is_named = |one: &&Configured| one.provider.name == name;
    let Some(configured) = config.providers.iter().find(is_named) else { return Ok(()) };
    let line = HttpClient::new(Limits::usual())
        .map_err(|fault| Failure::message(fault.message, fault.fix))?;
    let provider = configured.provider.clone();
    let (model, id) = (model.to_owned(), id.to_owned());
    let model = ConfiguredModel { line, provider, model, id };
    engine.knowledge().use_embeddings(Arc::new(model), tokens_per_day_max(config));
    Ok(())
}

pub(crate) fn tokens_per_day_max(config: &Config) -> u64 {
    config.number("kb.embedding_tokens_per_day").map_or(0, u64::from)
}
