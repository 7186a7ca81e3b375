//! The tool `query_tool_memory`: a model looks up its earlier calls.
//!
//! In: the memory of one conversation and checked arguments. Out: the data of the tool's
//! result. The schema is in the same file, so that both change together.

use contract::{ErrorType, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{MemoryEntry, RememberedOutcome, ToolMemory};
use crate::Timestamp;
use crate::display_text::visible_json;

/// The tool's id.
pub const QUERY_TOOL_MEMORY: &str = contract::QUERY_TOOL_MEMORY;

const SUMMARY_CHARS_MAX: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    filter_tool: Option<String>,
    #[serde(default)]
    filter_time_range: Range,
    #[serde(default)]
    include_errors: bool,
    get_full_response_for: Option<String>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Range {
    LastTurn,
    #[serde(rename = "last_3_turns")]
    Last3Turns,
    #[default]
    All,
}

impl Range {
    /// The first turn to include; the current turn is always included.
    fn first_turn(self, turn: u64) -> u64 {
        match self {
            Range::LastTurn => turn.saturating_sub(1),
            Range::Last3Turns => turn.saturating_sub(3),
            Range::All => 0,
        }
    }
}

/// Runs the tool: lists the matching calls, newest first, or returns one whole result.
#[expect(clippy::result_large_err, reason = "the outcome of a tool is this type everywhere")]
pub fn query_tool_memory(
    memory: &ToolMemory,
    args: &Value,
    turn: u64,
    now: Timestamp,
) -> Result<Value, ToolError> {
    let args: Args = serde_json::from_value(args.clone()).map_err(|fault| {
        ToolError::before_start(ErrorType::Validation, format!("the arguments do not fit: {fault}"))
    })?;
    if let Some(id) = &args.get_full_response_for {
        return full_response(memory, id, now);
    }
    let first_turn = args.filter_time_range.first_turn(turn);
    let calls: Vec<Value> = memory
        .recent(now)
        .rev()
        .filter(|call| args.filter_tool.as_deref().is_none_or(|tool| call.tool.as_str() == tool))
        .filter(|call| call.turn >= first_turn)
        .filter(|call| args.include_errors || !call.answer.is_error())
        .map(line)
        .collect();
    Ok(json!({ "total": calls.len(), "calls": calls }))
}

/// One call of the list.
fn line(call: &MemoryEntry) -> Value {
    json!({
        "call_id": call.id,
        "tool": call.tool,
        "turn": call.turn,
        "ok": !call.answer.is_error(),
        "arguments": visible_json(&call.args, SUMMARY_CHARS_MAX),
        "summary": call.answer.summary(SUMMARY_CHARS_MAX),
        "full_response": matches!(call.answer, RememberedOutcome::Data(_) | RememberedOutcome::Error(_)),
    })
}

#[expect(clippy::result_large_err, reason = "the outcome of a tool is this type everywhere")]
fn full_response(memory: &ToolMemory, id: &str, now: Timestamp) -> Result<Value, ToolError> {
    let Some(call) = memory.recent(now).rev().find(|call| call.id.0 == id) else {
        let message = "no call of this conversation with that id is remembered; call again \
                       without `get_full_response_for` to see the ids";
        return Err(ToolError::before_start(ErrorType::NotFound, message));
    };
    let whole = match &call.answer {
        RememberedOutcome::Data(data) => json!({ "data": data }),
        RememberedOutcome::Error(error) => {
            json!({ "error": {
                "type": error.kind, "message": error.message, "retryable": error.retryable
            }})
        }
        RememberedOutcome::DataSummary(text) | RememberedOutcome::ErrorSummary(text) => json!({
            "summary": text,
            "note": "only the last 10 answers are kept whole; call the tool again if you need it",
        }),
    };
    Ok(json!({ "call_id": call.id, "tool": call.tool, "turn": call.turn, "response": whole }))
}

/// The tool's `schema.json`. A utility: it reads only the conversation's memory, does not count
/// as retrieval, and is never answered from that memory.
pub fn query_tool_memory_schema() -> Value {
    json!({
        "toolId": QUERY_TOOL_MEMORY,
        "version": "1.0.0",
        "description": "Look up the tool calls made earlier in this conversation and what they \
            answered. Use it before repeating a search.",
        "category": "utility",
        "sideEffects": "none",
        "idempotent": true,
        "requiresConfirmation": false,
        "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 50,
        "parameters": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "filter_tool": {
                    "type": "string", "minLength": 1, "maxLength": 64,
                    "description": "Only calls of this tool"
                },
                "filter_time_range": {
                    "type": "string", "enum": ["last_turn", "last_3_turns", "all"],
                    "default": "all",
                    "description": "How far back to look; the current turn is always included"
                },
                "include_errors": {
                    "type": "boolean", "default": false,
                    "description": "Also list calls that failed"
                },
                "get_full_response_for": {
                    "type": "string", "minLength": 1, "maxLength": 256,
                    "description": "The call_id of one call whose whole answer is wanted"
                }
            }
        }
    })
}
