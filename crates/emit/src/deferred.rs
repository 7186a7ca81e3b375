//! A request whose reply arrives later, perhaps in another process: for batches.
//!
//! Must hold: the same [`Ask`] gives the same request, and a reply is validated as in
//! [`emit`]. Nothing is asked again; the caller handles incomplete answers.
//!
//! [`emit`]: super::emit

use contract::{ModelFacts, Reply, Request};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::request::EmitRequest;
use super::validate::{ReplyStatus, Validation, Validator};
use super::{AnswerFault, Ask, AskFault, EmitOutput, History, RefusedRungs, StructuredAnswer};

/// A request, and the validator of its reply.
pub struct DeferredRequest<T> {
    request: EmitRequest,
    validator: Validator<T>,
}

impl<T: JsonSchema + DeserializeOwned> DeferredRequest<T> {
    pub fn new(facts: &ModelFacts, refused: &RefusedRungs, ask: &Ask) -> Result<Self, AskFault> {
        ask.check()?;
        let schema = dialect::parameters_of::<T>();
        let read = |value: &Value| T::deserialize(value).map_err(|error| error.to_string());
        let validator = Validator::new(&schema, ask.list.as_ref(), read)?;
        let rung = refused.fallback(facts, &schema, None)?.rung();
        Ok(Self { request: EmitRequest::new(ask, &schema, rung, facts), validator })
    }

    pub fn request(&self) -> &Request {
        self.request.as_request()
    }

    /// Validates the reply.
    pub fn read(&self, reply: &Reply) -> EmitOutput<T> {
        let Validation { status, salvage } = self.validator.validate(reply);
        let mut history = History::default();
        history.add_reply(&self.request, reply, &status, &salvage);
        let why = match status {
            ReplyStatus::Fits(answer) => {
                return EmitOutput { answer: StructuredAnswer::Whole(answer), history };
            }
            ReplyStatus::Cut => AnswerFault::OutputLimit { tokens: self.request.output_tokens() },
            ReplyStatus::Unfit(complaints) | ReplyStatus::Prose(complaints) => {
                AnswerFault::Unfit { complaints }
            }
            ReplyStatus::Missing => AnswerFault::Missing,
            ReplyStatus::Paused => AnswerFault::Paused { times: 0 },
            ReplyStatus::Refused { text } => AnswerFault::Refused { text },
            ReplyStatus::ContextExceeded => AnswerFault::ContextExceeded,
        };
        EmitOutput {
            answer: StructuredAnswer::Partial { complete: salvage.complete, why },
            history,
        }
    }
}
