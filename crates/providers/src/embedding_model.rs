//! An embedding model of a provider, found anew for each request, so that a provider or key that
//! the page adds or removes counts at once.

use contract::{BoxFuture, EmbeddedTexts, Embedder, FaultKind, ModelFault};
use models::embed;

use crate::providers::Providers;

pub struct EmbeddingModel {
    providers: Providers,
    /// `provider:name`.
    id: String,
}

impl EmbeddingModel {
    /// The model of this name, as `provider:name`. One that is not there answers with its fault.
    pub fn new(providers: Providers, id: &str) -> Self {
        Self { providers, id: id.to_owned() }
    }
}

impl Embedder for EmbeddingModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<EmbeddedTexts, ModelFault>> {
        Box::pin(async move {
            let found = self.providers.provider_of(&self.id).await;
            let (known, model) = found.map_err(|because| gone(&self.id, &because))?;
            let line = self.providers.0.lines.of(known.reach);
            embed(line, &known.provider, &model, texts).await
        })
    }
}

fn gone(id: &str, because: &str) -> ModelFault {
    ModelFault {
        kind: FaultKind::UnknownModel,
        message: format!("the embedding model `{id}` cannot be used: {because}"),
        fix: "correct `kb.embeddings`, or add the provider on the page".to_owned(),
        status: None,
        retry_after: None,
    }
}
