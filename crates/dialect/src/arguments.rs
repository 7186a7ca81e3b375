//! Checks the arguments of a call against the contract's own schema.
//!
//! In: a compiled schema and one JSON value. Out: the value with its defaults filled
//! in, or every [`Complaint`] at once. Must hold: nothing is coerced (`"5"` is not
//! `5`), formats are asserted, nothing is fetched, and the work has a limit.

pub(crate) mod complaint;
pub(crate) mod defaults;

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Number, Value};

use crate::arguments::complaint::{Complaint, complain};
use crate::arguments::defaults::{fill_fitting, strip_unknown};
use crate::schema::subschemas::push_segment;

/// A compiled schema that checks values.
#[derive(Debug)]
pub struct Arguments {
    schema: Value,
    validator: Validator,
}

/// What happens to an argument that the contract does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownArguments {
    /// The call is refused: a model that invents arguments has misunderstood the tool.
    Refuse,
    /// The argument is left out and reported.
    Strip,
}

/// The arguments that will reach the handler.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedArguments {
    pub args: Value,
    /// JSON pointers of the removed arguments; empty unless [`UnknownArguments::Strip`].
    pub stripped: Vec<String>,
}

/// Why arguments were refused: every complaint, in the order of the document.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", join(.0))]
pub struct Rejection(pub Vec<Complaint>);

fn join(complaints: &[Complaint]) -> String {
    complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why a schema cannot be used, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaFault {
    /// JSON pointer into the schema.
    pub pointer: String,
    pub message: String,
}

/// How many backtracking steps a pattern may take before the argument is refused.
const BACKTRACK_MAX: usize = 100_000;
/// How much memory a compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// How many complaints are reported: a model acts on the first few.
const COMPLAINTS_MAX: usize = 20;
/// Integers from here on may not fit into 64 bits.
const INTEGER_LIMIT: f64 = 9_223_372_036_854_775_808.0;

impl Arguments {
    /// Compiles a 2020-12 schema. Remote references are a fault and are never fetched.
    pub fn compile(schema: &Value) -> Result<Self, SchemaFault> {
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(BACKTRACK_MAX)
            .size_limit(PATTERN_BYTES_MAX);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .offline()
            .with_pattern_options(patterns)
            .build(schema)
            .map_err(|error| schema_fault(&error))?;
        Ok(Self { schema: schema.clone(), validator })
    }

    /// Checks one set of arguments. Defaults are filled in first, if the whole still fits.
    pub fn check(
        &self,
        mut args: Value,
        unknown: UnknownArguments,
    ) -> Result<CheckedArguments, Rejection> {
        let stripped = match unknown {
            UnknownArguments::Refuse => Vec::new(),
            UnknownArguments::Strip => strip_unknown(&self.schema, &mut args),
        };
        let args = fill_fitting(&self.schema, &self.validator, args);
        let mut complaints = self.complaints(&args);
        if complaints.is_empty() {
            complaints = self.changed_integers(&args);
        }
        match complaints.is_empty() {
            true => Ok(CheckedArguments { args, stripped }),
            false => Err(Rejection(complaints)),
        }
    }

    /// Integers of more than 64 bits: they were parsed as floats, and their last digits are
    /// lost. Where any number is allowed, a float is correct.
    fn changed_integers(&self, args: &Value) -> Vec<Complaint> {
        let mut found = Vec::new();
        find_large(args, &mut String::new(), &mut found);
        found.truncate(COMPLAINTS_MAX);
        found.retain(|(pointer, _)| {
            let mut fraction = args.clone();
            if let Some(slot) = fraction.pointer_mut(pointer) {
                *slot = Value::from(0.5);
            }
            let complaints = self.complaints(&fraction);
            complaints.iter().any(|one| one.pointer == *pointer && one.keyword == "type")
        });
        let complain = |(pointer, number): (String, Number)| {
            let mut text = args.clone();
            if let Some(slot) = text.pointer_mut(&pointer) {
                *slot = Value::from("18446744073709551616");
            }
            let takes_text = !self.complaints(&text).iter().any(|one| one.pointer == pointer);
            let fix = match takes_text {
                true => "send all its digits as a string, which fits here too",
                false => "send a smaller one",
            };
            let what = "is an integer of more than 64 bits, whose digits cannot all be kept";
            let message = format!("`{number}` {what}; {fix}");
            Complaint { pointer, keyword: "type".to_owned(), message }
        };
        found.into_iter().map(complain).collect()
    }

    /// Every complaint about a value.
    pub fn complaints(&self, value: &Value) -> Vec<Complaint> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        let mut complaints: Vec<Complaint> = Vec::new();
        for error in self.validator.iter_errors(value).take(COMPLAINTS_MAX) {
            for complaint in complain(&error, &self.schema) {
                if !complaints.contains(&complaint) {
                    complaints.push(complaint);
                }
            }
        }
        complaints
    }
}

/// Integers that were too large to be parsed as such.
fn find_large(value: &Value, pointer: &mut String, found: &mut Vec<(String, Number)>) {
    let length = pointer.len();
    match value {
        Value::Number(number) if number.is_f64() => {
            let large = |value: f64| value.fract() == 0.0 && value.abs() >= INTEGER_LIMIT;
            if number.as_f64().is_some_and(large) {
                found.push((pointer.clone(), number.clone()));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                push_segment(pointer, &index.to_string());
                find_large(item, pointer, found);
                pointer.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                push_segment(pointer, name);
                find_large(field, pointer, found);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn schema_fault(error: &ValidationError<'_>) -> SchemaFault {
    SchemaFault {
        pointer: error.instance_path().to_string(),
        message: complain(error, &Value::Null)
            .into_iter()
            .next()
            .map_or_else(|| error.to_string(), |complaint| complaint.message),
    }
}

#[cfg(test)]
mod tests;
