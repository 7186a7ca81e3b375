//! The provider-independent interface to embedding models: texts in, vectors out.

use super::{BoxFuture, ModelFault};

/// A model that turns texts into vectors; texts of similar meaning have similar directions.
pub trait Embedder: Send + Sync {
    /// `provider:name`. Vectors of different ids cannot be compared.
    fn id(&self) -> &str;

    /// One vector for each text, in their order. Dropping the future cancels the request.
    fn embed<'a>(&'a self, texts: &'a [String])
    -> BoxFuture<'a, Result<EmbeddedTexts, ModelFault>>;
}

/// The vectors of some texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmbeddedTexts {
    pub vectors: Vec<Vec<f32>>,
    /// As the provider counts them; none if it does not say.
    pub tokens: Option<u64>,
}
