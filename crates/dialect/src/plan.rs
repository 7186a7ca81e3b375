//! Encodes a contract's arguments for one target's wire, and decodes them.
//!
//! In: arguments, or what a model sent. Out: the other form, or a fault with its
//! location. Must hold: `decode(encode(x)) == x`, or `encode` fails; `decode` leaves values
//! that it does not understand unchanged, because the contract's schema is checked afterwards.
//!
//! A plan is made together with the wire schema, so the two cannot diverge. It has two parts:
//! `lower` exactly undoes what the wire schema changed; `repair` then corrects common mistakes
//! of models, and changes only values that the contract would refuse.

mod check;
mod closed_objects;
mod decode;
mod encode;
mod guard;
mod print;
mod step;

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

pub(crate) use self::check::{Check, CheckPlace};
#[cfg(test)]
pub(crate) use self::closed_objects::closed;
pub(crate) use self::guard::{Guard, all_disjoint};
pub(crate) use self::step::{Absence, Branch, FieldStep, Program, RestStep, Step, union};
use crate::schema::equality::same_value;

/// Turns arguments into their wire form and back.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    #[serde(rename = "shape", skip_serializing_if = "Program::is_same")]
    pub(crate) lower: Program,
    #[serde(rename = "mend", skip_serializing_if = "Program::is_same")]
    pub(crate) repair: Program,
    /// Contract schemas that distinguish the branches of a union.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) checks: Vec<Check>,
    /// The contract that those checks refer to; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "inner_value")]
    pub(crate) contract: Option<Arc<Value>>,
}

/// Why arguments have no wire form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", place(pointer))]
pub struct PlanFault {
    /// JSON pointer into the arguments.
    pub pointer: String,
    pub what: String,
}

/// Why a model's arguments cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", place(pointer))]
pub struct DecodeFault {
    /// JSON pointer into the wire value.
    pub pointer: String,
    /// A sentence that the model can act on.
    pub what: String,
}

impl Default for Plan {
    fn default() -> Self {
        Self::same()
    }
}

fn inner_value<S: Serializer>(
    contract: &Option<Arc<Value>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    contract.as_deref().serialize(serializer)
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the arguments" } else { pointer }
}

impl Plan {
    /// The plan for a target that accepts the contract unchanged.
    pub fn same() -> Self {
        Self { lower: Program::same(), repair: Program::same(), checks: Vec::new(), contract: None }
    }

    /// Whether the wire form is the same as the contract's.
    pub fn is_same(&self) -> bool {
        self.lower.is_same()
    }

    /// Contract to wire, for the history and for examples.
    pub fn encode(&self, args: &Value) -> Result<Value, PlanFault> {
        let wire = encode::Encoder::new(self).program(args)?;
        match self.decode(&wire) {
            Ok(back) if same_value(&back, args) => Ok(wire),
            Ok(back) => Err(PlanFault {
                pointer: difference(args, &back),
                what: "the value does not fit the contract and cannot be encoded".to_owned(),
            }),
            Err(fault) => Err(PlanFault { pointer: String::new(), what: fault.to_string() }),
        }
    }

    /// Wire to contract. The result still has to be checked against the contract.
    pub fn decode(&self, wire: &Value) -> Result<Value, DecodeFault> {
        let value = decode::Decoder::new(&self.lower).program(wire)?;
        if self.repair.is_same() {
            return Ok(value);
        }
        decode::Decoder::new(&self.repair).program(&value)
    }
}

/// The first location where two values differ.
fn difference(left: &Value, right: &Value) -> String {
    let mut pointer = String::new();
    let (mut left, mut right) = (left, right);
    loop {
        let step = match (left, right) {
            (Value::Object(a), Value::Object(b)) => a.iter().find_map(|(key, value)| {
                let other = b.get(key)?;
                (!same_value(value, other)).then(|| (key.clone(), value, other))
            }),
            (Value::Array(a), Value::Array(b)) => {
                a.iter().zip(b).enumerate().find_map(|(index, (value, other))| {
                    (!same_value(value, other)).then(|| (index.to_string(), value, other))
                })
            }
            _ => None,
        };
        let Some((segment, value, other)) = step else { return pointer };
        crate::schema::subschemas::push_segment(&mut pointer, &segment);
        (left, right) = (value, other);
    }
}

#[cfg(test)]
mod tests;
