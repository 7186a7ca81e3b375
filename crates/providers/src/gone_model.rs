//! Answers in the place of a model that is not there any more: with the fault that says so.

use contract::{Deltas, FaultKind, Model, ModelFacts, ModelFault, ReplyFuture, Request};

/// A model that cannot be asked, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct GoneModel {
    facts: ModelFacts,
    because: String,
}

impl GoneModel {
    pub(crate) fn new(id: &str, because: String) -> Self {
        let (provider, model) = id.split_once(':').unwrap_or((id, id));
        let facts = ModelFacts::named(provider, model);
        Self { facts, because }
    }

    /// Why it is not there.
    pub fn because(&self) -> &str {
        &self.because
    }
}

impl Model for GoneModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(&'a self, _request: &'a Request, _deltas: Deltas<'a>) -> ReplyFuture<'a> {
        let fault = ModelFault {
            kind: FaultKind::UnknownModel,
            message: format!("the model `{}` is not available: {}", self.facts, self.because),
            fix: "choose another model for this conversation".to_owned(),
            status: None,
            retry_after: None,
        };
        Box::pin(async move { Err(fault) })
    }
}
