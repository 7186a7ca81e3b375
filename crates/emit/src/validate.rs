//! Validates one reply: whether it fits, what is wrong with it, which records are usable.
//!
//! Must hold: the caller's own schema decides, with its defaults filled in; a record is kept
//! only if it is complete and fits; the same reply always gives the same status.

mod records;

use contract::{Pointer, Reply, StopReason, StructuredReply};
use dialect::{Arguments, Complaint, Normalised, Plan, UnknownArguments, normalise, repair_plan};
use serde_json::Value;

use self::records::record_schema;
use super::AskFault;

pub(super) struct Validator<T> {
    whole: SchemaCheck,
    records: Option<(Pointer, SchemaCheck)>,
    read: fn(&Value) -> Result<T, String>,
}

pub(super) struct Validation<T> {
    pub(super) status: ReplyStatus<T>,
    pub(super) salvage: Salvage,
}

pub(super) enum ReplyStatus<T> {
    Fits(T),
    /// Cut off at the token limit: more tokens may help.
    Cut,
    /// Sending the complaints to the model may help.
    Unfit(Vec<Complaint>),
    /// Does not contain any JSON.
    Prose(Vec<Complaint>),
    Missing,
    Paused,
    Refused {
        text: String,
    },
    ContextExceeded,
}

/// The usable records of an incomplete answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Salvage {
    pub(super) complete: Vec<Value>,
    /// How many complete records do not fit.
    pub(super) unfit: usize,
}

/// The longest parser message that is passed on.
const WHY_CHARS_MAX: usize = 300;

impl<T> Validator<T> {
    pub(super) fn new(
        schema: &Value,
        list: Option<&Pointer>,
        read: fn(&Value) -> Result<T, String>,
    ) -> Result<Self, AskFault> {
        let schema = normalised(schema)?;
        let records = match list {
            Some(list) => {
                let record = record_schema(&schema.schema, list)
                    .ok_or_else(|| AskFault::List(list.clone()))?;
                Some((list.clone(), SchemaCheck::new(&normalised(&record)?)?))
            }
            None => None,
        };
        Ok(Self { whole: SchemaCheck::new(&schema)?, records, read })
    }

    pub(super) fn validate(&self, reply: &Reply) -> Validation<T> {
        if let Some(text) = refusal(reply) {
            // Text before a refusal is not an answer.
            return Validation {
                status: ReplyStatus::Refused { text },
                salvage: Salvage::default(),
            };
        }
        let (status, salvage) = match &reply.shaped {
            Some(StructuredReply::Whole(value)) => match self.check(value) {
                Ok(answer) => {
                    let status = ReplyStatus::Fits(answer);
                    return Validation { status, salvage: Salvage::default() };
                }
                Err(complaints) => (ReplyStatus::Unfit(complaints), self.salvage(value)),
            },
            Some(StructuredReply::Torn { complete, text: _ }) => {
                (unfit("the JSON ends too early"), self.salvage(complete))
            }
            Some(StructuredReply::NotJson { text, why }) => {
                let why: String = why.chars().take(WHY_CHARS_MAX).collect();
                let complaints = vec![about_whole(&format!("is not JSON: {why}"))];
                // Broken JSON attempts the requested form; prose ignores it.
                match text.contains(['{', '[']) {
                    true => (ReplyStatus::Unfit(complaints), Salvage::default()),
                    false => (ReplyStatus::Prose(complaints), Salvage::default()),
                }
            }
            Some(StructuredReply::Missing) | None => (ReplyStatus::Missing, Salvage::default()),
        };
        let status = match &reply.stop {
            StopReason::MaxTokens => ReplyStatus::Cut,
            StopReason::ContextExceeded => ReplyStatus::ContextExceeded,
            StopReason::PauseTurn => ReplyStatus::Paused,
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::StopSequence
            | StopReason::Refusal { .. }
            | StopReason::Other { .. } => status,
        };
        Validation { status, salvage }
    }

    fn check(&self, value: &Value) -> Result<T, Vec<Complaint>> {
        let value = self.whole.check(value)?;
        (self.read)(&value).map_err(|message| vec![about_whole(&message)])
    }

    fn salvage(&self, value: &Value) -> Salvage {
        let Some((list, check)) = &self.records else { return Salvage::default() };
        let Some(records) = list.find(value).and_then(Value::as_array) else {
            return Salvage::default();
        };
        let complete: Vec<Value> =
            records.iter().filter_map(|record| check.check(record).ok()).collect();
        let unfit = records.len() - complete.len();
        Salvage { complete, unfit }
    }
}

/// A compiled schema, and the repair plan for values that nearly fit it.
struct SchemaCheck {
    arguments: Arguments,
    repair: Plan,
}

impl SchemaCheck {
    fn new(schema: &Normalised) -> Result<Self, AskFault> {
        let arguments = Arguments::compile(&schema.schema)
            .map_err(|fault| AskFault::Schema(format!("{}: {fault}", fault.pointer)))?;
        Ok(Self { arguments, repair: repair_plan(schema) })
    }

    /// The value with defaults filled in and enum texts in the schema's letter case;
    /// providers guarantee neither.
    fn check(&self, value: &Value) -> Result<Value, Vec<Complaint>> {
        if let Ok(checked) = self.arguments.check(value.clone(), UnknownArguments::Refuse) {
            return Ok(checked.args);
        }
        let repaired = self.repair.decode(value).unwrap_or_else(|_| value.clone());
        match self.arguments.check(repaired, UnknownArguments::Refuse) {
            Ok(checked) => Ok(checked.args),
            Err(rejection) => Err(rejection.0),
        }
    }
}

fn normalised(schema: &Value) -> Result<Normalised, AskFault> {
    normalise(schema).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        AskFault::Schema(faults.join("; "))
    })
}

/// The text of a refusal, given as the stop reason or instead of an answer.
fn refusal(reply: &Reply) -> Option<String> {
    let block = reply.blocks.iter().find_map(|block| block.part.refusal());
    match (&reply.stop, block) {
        (StopReason::Refusal { text }, None) => Some(text.clone()),
        (StopReason::Refusal { text }, Some(block)) if text.is_empty() => Some(block.to_owned()),
        (StopReason::Refusal { text }, Some(_)) => Some(text.clone()),
        (_, Some(block)) if !matches!(reply.shaped, Some(StructuredReply::Whole(_))) => {
            Some(block.to_owned())
        }
        (_, _) => None,
    }
}

fn unfit<T>(message: &str) -> ReplyStatus<T> {
    ReplyStatus::Unfit(vec![about_whole(message)])
}

fn about_whole(message: &str) -> Complaint {
    Complaint { pointer: String::new(), keyword: String::new(), message: message.to_owned() }
}
