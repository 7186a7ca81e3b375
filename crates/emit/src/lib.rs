//! Structured output: asks a model for an answer that fits a schema or a Rust type.
//!
//! In: a [`Model`], the rungs it refused before ([`RefusedRungs`]) and an [`Ask`]. Out: an
//! [`EmitOutput`]: the whole answer, or the complete records and the reason why the rest is
//! missing; with every request made. Must hold: every returned value fits the caller's
//! schema, and no record is incomplete; requests only grow at their end, and everything
//! before the input is the same for every input, so that providers can cache it; the number
//! of requests is limited. `Err` means that the ask itself is invalid and nothing was sent.
//!
//! Start at [`emit`]; `run` handles every kind of reply.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod deferred;
mod fallback;
mod fault;
mod history;
mod request;
mod validate;

use contract::{Model, Pointer, Rung, ToolId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::deferred::DeferredRequest;
pub use self::fallback::RefusedRungs;
pub use self::fault::{AnswerFault, AskFault};
pub use self::history::{Attempt, AttemptStatus, History};
use self::request::EmitRequest;
use self::validate::{ReplyStatus, Validation, Validator};

/// What to ask the model, apart from the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Names the answer; on some rungs this is the tool that the model calls.
    pub name: ToolId,
    pub description: String,
    /// The system prompt: the same for every input, so that a provider can cache it.
    pub instructions: String,
    pub input: String,
    /// The limit of the first request.
    pub output_tokens: u32,
    /// The limit after an answer was cut off.
    pub output_tokens_ceiling: u32,
    /// The list of records in the answer. Without it, an incomplete answer yields nothing.
    pub list: Option<Pointer>,
    pub limits: EmitLimits,
}

impl Ask {
    /// Checks that there is input, and not too much.
    fn check(&self) -> Result<(), AskFault> {
        if self.input.trim().is_empty() {
            return Err(AskFault::Empty);
        }
        let (bytes, max) =
            (self.instructions.len().saturating_add(self.input.len()), self.limits.input_bytes_max);
        if bytes > max { Err(AskFault::TooLarge { bytes, max }) } else { Ok(()) }
    }
}

/// Limits for one answer. No `Default`: callers choose explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmitLimits {
    /// All requests, including fallbacks, repairs and pauses.
    pub requests_max: u32,
    /// How often a paused model is resumed.
    pub pauses_max: u32,
    /// Instructions and input together.
    pub input_bytes_max: usize,
}

impl EmitLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self { requests_max: 10, pauses_max: 4, input_bytes_max: 4 << 20 }
    }
}

/// The answer to an [`Ask`], and every request made for it.
#[derive(Debug, Clone, PartialEq)]
pub struct EmitOutput<T> {
    pub answer: StructuredAnswer<T>,
    pub history: History,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StructuredAnswer<T> {
    Whole(T),
    /// The complete records that fit, in the order of the answer; there may be none. The
    /// caller can ask again with the rest of its input.
    Partial {
        complete: Vec<Value>,
        why: AnswerFault,
    },
}

impl<T> EmitOutput<T> {
    /// The whole answer, for callers that cannot use a partial one.
    pub fn whole(self) -> Result<T, AnswerFault> {
        match self.answer {
            StructuredAnswer::Whole(answer) => Ok(answer),
            StructuredAnswer::Partial { why, .. } => Err(why),
        }
    }
}

/// Asks for a `T`.
pub async fn emit<T: JsonSchema + DeserializeOwned>(
    model: &dyn Model,
    refused: &RefusedRungs,
    ask: &Ask,
) -> Result<EmitOutput<T>, AskFault> {
    let schema = dialect::parameters_of::<T>();
    let read = |value: &Value| T::deserialize(value).map_err(|error| error.to_string());
    run(model, refused, &schema, ask, read).await
}

/// Asks for a value that fits a JSON Schema of any draft.
pub async fn emit_value(
    model: &dyn Model,
    refused: &RefusedRungs,
    schema: &Value,
    ask: &Ask,
) -> Result<EmitOutput<Value>, AskFault> {
    run(model, refused, schema, ask, |value| Ok(value.clone())).await
}

/// How often each remedy for an incomplete answer may still be used.
struct Remaining {
    requests: u32,
    pauses: u32,
    repairs: u32,
    reminders: u32,
    limit_raises: u32,
}

/// Uses one up; false if none is left.
fn take(remaining: &mut u32) -> bool {
    remaining.checked_sub(1).map(|less| *remaining = less).is_some()
}

async fn run<T>(
    model: &dyn Model,
    refused: &RefusedRungs,
    schema: &Value,
    ask: &Ask,
    read: fn(&Value) -> Result<T, String>,
) -> Result<EmitOutput<T>, AskFault> {
    let EmitLimits { requests_max, pauses_max, input_bytes_max: _ } = ask.limits;
    ask.check()?;
    let validator = Validator::new(schema, ask.list.as_ref(), read)?;
    let mut fallback = refused.fallback(model.facts(), schema, model.rung_memory())?;
    let mut request = EmitRequest::new(ask, schema, fallback.rung(), model.facts());
    let mut left = Remaining {
        requests: requests_max,
        pauses: pauses_max,
        repairs: 1,
        reminders: 1,
        limit_raises: 1,
    };
    let mut history = History::default();
    let mut complete = Vec::new();
    let why = loop {
        if !take(&mut left.requests) {
            break AnswerFault::Requests { max: requests_max };
        }
        let reply = match model.ask(request.as_request(), &mut |_| {}).await {
            Ok(reply) => reply,
            Err(fault) => {
                history.add_fault(&request, &fault);
                if fallback.step_down(&fault) {
                    request.set_rung(fallback.rung());
                    continue;
                }
                break AnswerFault::from(fault);
            }
        };
        fallback.record_answer();
        let Validation { status, salvage } = validator.validate(&reply);
        history.add_reply(&request, &reply, &status, &salvage);
        if salvage.complete.len() >= complete.len() {
            complete = salvage.complete;
        }
        match status {
            ReplyStatus::Fits(answer) => {
                return Ok(EmitOutput { answer: StructuredAnswer::Whole(answer), history });
            }
            ReplyStatus::Cut if take(&mut left.limit_raises) && request.raise_output_limit() => {}
            ReplyStatus::Cut => break AnswerFault::OutputLimit { tokens: request.output_tokens() },
            ReplyStatus::Prose(_) | ReplyStatus::Missing
                if request.rung() == Rung::Native
                    && request.is_first()
                    && fallback.skip_ignored() =>
            {
                request.set_rung(fallback.rung());
            }
            ReplyStatus::Unfit(complaints) | ReplyStatus::Prose(complaints)
                if take(&mut left.repairs) =>
            {
                request.add_repair(&reply, &complaints);
            }
            ReplyStatus::Unfit(complaints) | ReplyStatus::Prose(complaints) => {
                break AnswerFault::Unfit { complaints };
            }
            ReplyStatus::Missing if take(&mut left.reminders) => request.add_reminder(&reply),
            ReplyStatus::Missing => break AnswerFault::Missing,
            ReplyStatus::Paused if take(&mut left.pauses) => request.resume(&reply),
            ReplyStatus::Paused => break AnswerFault::Paused { times: pauses_max },
            ReplyStatus::Refused { text } => break AnswerFault::Refused { text },
            ReplyStatus::ContextExceeded => break AnswerFault::ContextExceeded,
        }
    };
    Ok(EmitOutput { answer: StructuredAnswer::Partial { complete, why }, history })
}

#[cfg(test)]
mod tests;
