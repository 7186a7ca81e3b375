//! Structured answers: how they are requested, and how they are read.
//!
//! In: an [`OutputSchema`] and its rung. Out: what the request needs for it; then, from the
//! reply, a [`StructuredReply`]. Must hold: blocks are found by kind, never by position.

use contract::{
    Block, ModelFault, OutputSchema, Part, Rung, StopReason, StructuredReply, ToolOffer,
};
use dialect::{Plan, Target};
use serde_json::Value;

use crate::fault;
use crate::salvage::salvage;

/// How a structured answer is requested.
#[derive(Debug)]
pub(crate) enum StructuredRequest {
    /// The provider's own field, and the plan back.
    Answer { fields: Value, plan: Plan },
    /// One tool; its calls are the answer.
    Tool(ToolOffer),
}

impl StructuredRequest {
    pub(crate) fn new(shape: &OutputSchema, target: &Target) -> Result<Self, ModelFault> {
        let OutputSchema { name, description, schema, rung } = shape;
        match rung {
            Rung::Native => {
                let output = dialect::compile_output(schema, name.as_str(), target);
                let output = output.map_err(|faults| {
                    fault::not_sendable(&format!("the shape `{name}`"), target.name, &faults)
                })?;
                Ok(StructuredRequest::Answer { fields: output.wire, plan: output.plan })
            }
            Rung::Forced | Rung::Automatic => Ok(StructuredRequest::Tool(ToolOffer {
                id: name.clone(),
                description: description.clone(),
                parameters: schema.clone(),
            })),
        }
    }

    /// Reads the answer. Calls already have their canonical names and arguments.
    pub(crate) fn read(
        &self,
        blocks: &[Block],
        stop: &StopReason,
        torn_plan: Option<&Plan>,
    ) -> StructuredReply {
        match self {
            StructuredRequest::Answer { plan, .. } => {
                let texts: Vec<_> = blocks.iter().filter_map(|block| block.part.text()).collect();
                let read = read_texts(&texts, plan, stop);
                let lone = only_call(blocks).filter(|_| read == StructuredReply::Missing);
                lone.unwrap_or(read)
            }
            StructuredRequest::Tool(offer) => {
                let plan = torn_plan.cloned().unwrap_or_default();
                let of_tool = |block: &Block| shaped_call(block, offer.id.as_str(), &plan, stop);
                let found = blocks.iter().find_map(of_tool).or_else(|| only_call(blocks));
                found.unwrap_or(StructuredReply::Missing)
            }
        }
    }
}

/// The whole text is the answer or, if other text came first, the last block.
fn read_texts(texts: &[&str], plan: &Plan, stop: &StopReason) -> StructuredReply {
    let text = texts.concat();
    if text.trim().is_empty() {
        return StructuredReply::Missing;
    }
    let parse = |text: &str| serde_json::from_str::<Value>(text);
    let last = texts.iter().rev().find_map(|text| parse(text).ok());
    match (parse(&text), last) {
        (Ok(value), _) | (Err(_), Some(value)) => StructuredReply::Whole(decoded(plan, value)),
        (Err(_), None) if is_cut(stop) => torn(&text, plan),
        (Err(error), None) => StructuredReply::NotJson { text, why: error.to_string() },
    }
}

fn shaped_call(
    block: &Block,
    name: &str,
    plan: &Plan,
    stop: &StopReason,
) -> Option<StructuredReply> {
    match &block.part {
        Part::Call(call) if call.tool == name => Some(StructuredReply::Whole(call.args.clone())),
        Part::TornCall { tool, text, .. } if tool == name && is_cut(stop) => Some(torn(text, plan)),
        Part::TornCall { tool, text, why, .. } if tool == name => {
            Some(StructuredReply::NotJson { text: text.clone(), why: why.clone() })
        }
        Part::Call(_)
        | Part::TornCall { .. }
        | Part::Text { .. }
        | Part::Thinking { .. }
        | Part::Result(_)
        | Part::Refusal { .. }
        | Part::Other { .. }
        | Part::File(_) => None,
    }
}

/// There is only one tool, so a single call under an invented name must mean it. The schema
/// is checked afterwards.
fn only_call(blocks: &[Block]) -> Option<StructuredReply> {
    let mut calls = blocks.iter().filter_map(|block| block.part.call());
    match (calls.next(), calls.next()) {
        (Some(call), None) => Some(StructuredReply::Whole(call.args.clone())),
        _ => None,
    }
}

fn is_cut(stop: &StopReason) -> bool {
    match stop {
        StopReason::MaxTokens
        | StopReason::ContextExceeded
        | StopReason::Refusal { .. }
        | StopReason::Other { .. } => true,
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::PauseTurn => false,
    }
}

fn torn(text: &str, plan: &Plan) -> StructuredReply {
    let complete = salvage(text).map(|value| decoded(plan, value)).unwrap_or_default();
    StructuredReply::Torn { complete, text: text.to_owned() }
}

/// A value that cannot be decoded stays unchanged: the schema is checked afterwards.
fn decoded(plan: &Plan, value: Value) -> Value {
    plan.decode(&value).unwrap_or(value)
}
