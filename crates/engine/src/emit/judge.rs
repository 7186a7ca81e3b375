//! Judges one reply: does it fit, what is wrong with it, what of it can be kept?
//!
//! Must hold: only the caller's own schema has the last word, with its defaults filled
//! in; a record is kept only if it came whole and fits. The same reply gives the same
//! verdict.

mod records;

use contract::{Part, Pointer, Reply, Shaped, Stop};
use dialect::{Arguments, Complaint, Normalised, Plan, Unknown, mending, normalise};
use serde_json::Value;

use self::records::record_schema;
use super::EmitFault;

pub(super) struct Judge<T> {
    whole: Fit,
    records: Option<(Pointer, Fit)>,
    read: fn(&Value) -> Result<T, String>,
}

pub(super) struct Judged<T> {
    pub(super) verdict: Verdict<T>,
    pub(super) salvage: Salvage,
}

pub(super) enum Verdict<T> {
    Fits(T),
    /// More tokens may help.
    Cut,
    /// Telling the model may help.
    Unfit(Vec<Complaint>),
    /// There is no JSON in it at all.
    Prose(Vec<Complaint>),
    Missing,
    Paused,
    Refused {
        text: String,
    },
    ContextExceeded,
}

/// What can be kept of an answer that is not whole.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Salvage {
    pub(super) complete: Vec<Value>,
    /// How many came whole and do not fit.
    pub(super) unfit: usize,
}

/// How much of a reader's own words about bad JSON is passed on.
const WHY_CHARS_MAX: usize = 300;

impl<T> Judge<T> {
    pub(super) fn new(
        schema: &Value,
        list: Option<&Pointer>,
        read: fn(&Value) -> Result<T, String>,
    ) -> Result<Self, EmitFault> {
        let schema = normalised(schema)?;
        let records = match list {
            Some(list) => {
                let record = record_schema(&schema.schema, list)
                    .ok_or_else(|| EmitFault::List(list.clone()))?;
                Some((list.clone(), Fit::new(&normalised(&record)?)?))
            }
            None => None,
        };
        Ok(Self { whole: Fit::new(&schema)?, records, read })
    }

    pub(super) fn judge(&self, reply: &Reply) -> Judged<T> {
        if let Some(text) = refusal(reply) {
            // What stands before a refusal was not meant to be read.
            return Judged { verdict: Verdict::Refused { text }, salvage: Salvage::default() };
        }
        let (unfinished, salvage) = match &reply.shaped {
            Some(Shaped::Whole(value)) => match self.check(value) {
                Ok(answer) => {
                    let verdict = Verdict::Fits(answer);
                    return Judged { verdict, salvage: Salvage::default() };
                }
                Err(complaints) => (Verdict::Unfit(complaints), self.salvage(value)),
            },
            Some(Shaped::Torn { complete, text: _ }) => {
                (unfit("the JSON breaks off before its end"), self.salvage(complete))
            }
            Some(Shaped::NotJson { text, why }) => {
                let why: String = why.chars().take(WHY_CHARS_MAX).collect();
                let complaints = vec![about_all(&format!("is not JSON: {why}"))];
                // Broken JSON is an attempt at the shape; only prose says that it was ignored.
                match text.contains(['{', '[']) {
                    true => (Verdict::Unfit(complaints), Salvage::default()),
                    false => (Verdict::Prose(complaints), Salvage::default()),
                }
            }
            Some(Shaped::Missing) | None => (Verdict::Missing, Salvage::default()),
        };
        let verdict = match &reply.stop {
            Stop::MaxTokens => Verdict::Cut,
            Stop::ContextExceeded => Verdict::ContextExceeded,
            Stop::PauseTurn => Verdict::Paused,
            Stop::EndTurn
            | Stop::ToolUse
            | Stop::StopSequence
            | Stop::Refusal { .. }
            | Stop::Other { .. } => unfinished,
        };
        Judged { verdict, salvage }
    }

    fn check(&self, value: &Value) -> Result<T, Vec<Complaint>> {
        let value = self.whole.check(value)?;
        (self.read)(&value).map_err(|message| vec![about_all(&message)])
    }

    fn salvage(&self, value: &Value) -> Salvage {
        let Some((list, fit)) = &self.records else { return Salvage::default() };
        let Some(records) = list.find(value).and_then(Value::as_array) else {
            return Salvage::default();
        };
        let complete: Vec<Value> =
            records.iter().filter_map(|record| fit.check(record).ok()).collect();
        let unfit = records.len() - complete.len();
        Salvage { complete, unfit }
    }
}

/// A schema that values are held to.
struct Fit {
    arguments: Arguments,
    mend: Plan,
}

impl Fit {
    fn new(schema: &Normalised) -> Result<Self, EmitFault> {
        let arguments = Arguments::compile(&schema.schema)
            .map_err(|fault| EmitFault::Schema(format!("{}: {fault}", fault.pointer)))?;
        Ok(Self { arguments, mend: mending(schema) })
    }

    /// The value as the schema has it: its defaults filled in, its listed texts in the
    /// schema's own capital letters. No provider promises those.
    fn check(&self, value: &Value) -> Result<Value, Vec<Complaint>> {
        if let Ok(checked) = self.arguments.check(value.clone(), Unknown::Refuse) {
            return Ok(checked.args);
        }
        let mended = self.mend.decode(value).unwrap_or_else(|_| value.clone());
        match self.arguments.check(mended, Unknown::Refuse) {
            Ok(checked) => Ok(checked.args),
            Err(rejection) => Err(rejection.0),
        }
    }
}

fn normalised(schema: &Value) -> Result<Normalised, EmitFault> {
    normalise(schema).map_err(|faults| {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        EmitFault::Schema(faults.join("; "))
    })
}

/// A refusal, whether the answer ends with one or has one in the answer's place.
fn refusal(reply: &Reply) -> Option<String> {
    let said = reply.blocks.iter().find_map(|block| match &block.part {
        Part::Refusal { text } => Some(text),
        Part::Text { .. }
        | Part::Thinking { .. }
        | Part::Call(_)
        | Part::TornCall { .. }
        | Part::Result(_)
        | Part::Other { .. } => None,
    });
    match (&reply.stop, said) {
        (Stop::Refusal { text }, None) => Some(text.clone()),
        (Stop::Refusal { text }, Some(said)) if text.is_empty() => Some(said.clone()),
        (Stop::Refusal { text }, Some(_)) => Some(text.clone()),
        (_, Some(said)) if !matches!(reply.shaped, Some(Shaped::Whole(_))) => Some(said.clone()),
        (_, _) => None,
    }
}

fn unfit<T>(message: &str) -> Verdict<T> {
    Verdict::Unfit(vec![about_all(message)])
}

fn about_all(message: &str) -> Complaint {
    Complaint { pointer: String::new(), keyword: String::new(), message: message.to_owned() }
}
