//! Questions of handlers to a model, answered by the configured one.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Action, Ask, AskKind, Block, Call, HandlerAnswer, Message, Model, Request};
use serde_json::json;

use crate::call::origin::CallOrigin;
use crate::call::settle::{Settled, Waiting};
use crate::engine::Engine;

/// The provider that works without a key; it cannot answer a handler's questions.
const REHEARSAL: &str = "rehearsal";

impl Engine {
    /// Answers a handler's questions to a model, unless the caller does. Returns whether no
    /// question is left, so that the call can continue.
    pub(crate) async fn answer_as_model(
        &self,
        origin: &CallOrigin,
        call: &Call,
        settled: &mut Settled,
    ) -> bool {
        let Some(Waiting::Input(questions)) = &settled.waiting else { return false };
        if origin.can_ask.contains(&AskKind::Model) {
            return false;
        }
        let Some(model) = self.configured_model() else { return false };
        let mut given = BTreeMap::new();
        for (name, ask) in questions.asks.iter() {
            let Ask::Model { message, system, max_tokens } = ask else { continue };
            let request = Request {
                system: system.clone().unwrap_or_default(),
                messages: vec![Message::user(vec![Block::text(message)])],
                output_tokens_max: Some(*max_tokens),
                ..Request::default()
            };
            match model.ask(&request, &mut |_| {}).await {
                Ok(reply) => {
                    let content = json!({ "text": reply.text() });
                    given
                        .insert(name.to_owned(), HandlerAnswer { action: Action::Accept, content });
                }
                Err(fault) => {
                    tracing::warn!(
                        fault = fault.message,
                        "the model did not answer a handler's question"
                    );
                    return false;
                }
            }
        }
        if given.is_empty() {
            return false;
        }
        match self.answer_input(origin, call, &given).await {
            Ok(Some(rest)) => {
                settled.waiting = Some(Waiting::Input(Box::new(rest)));
                false
            }
            answered => matches!(answered, Ok(None)),
        }
    }

    /// Whom a handler can ask here.
    pub(crate) fn can_ask(&self, origin: &CallOrigin) -> Vec<AskKind> {
        let own = self.configured_model().map(|_| AskKind::Model);
        let own = own.filter(|kind| !origin.can_ask.contains(kind));
        origin.can_ask.iter().copied().chain(own).collect()
    }

    fn configured_model(&self) -> Option<&Arc<dyn Model>> {
        self.wiring().model.as_ref().filter(|model| model.facts().provider != REHEARSAL)
    }
}
