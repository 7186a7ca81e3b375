//! The audit: one line per call with its verdict and outcome, never its content.

pub(crate) mod metrics;

use contract::{Category, ErrorType, Mode, SideEffects};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::rule_id::RuleId;
use crate::timestamp::Timestamp;
use crate::verdict::VerdictKind;

/// What the audit log keeps of a call. Arguments are redacted: names and sizes, no values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag is an independent fact about the call"
)]
pub struct AuditLine {
    pub event: String,
    pub at: Timestamp,
    pub tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    pub registry_version: String,
    pub call: String,
    pub conversation: String,
    pub mode: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effects: Option<SideEffects>,
    pub verdict: VerdictKind,
    pub rule: RuleId,
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorType>,
    /// Milliseconds in the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// Whether the latency budget was exceeded.
    #[serde(default)]
    pub over_budget: bool,
    #[serde(default)]
    pub degraded: bool,
    /// The size of the result, in bytes of JSON.
    #[serde(default)]
    pub result_bytes: usize,
    pub args: Value,
    /// A person changed the arguments before it ran; `args` are theirs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

/// Names from outside may have any length; they are cut, so that every line fits into the log.
const NAME_BYTES_MAX: usize = 256;

/// A name as it is in a line.
pub fn audit_name(text: &str) -> String {
    match text.floor_char_boundary(NAME_BYTES_MAX) {
        end if end == text.len() => text.to_owned(),
        end => format!("{}…", &text[..end]),
    }
}

/// The shape of arguments without their content: `{"to": "string(14)"}`.
pub fn redacted(args: &Value) -> Value {
    let Value::Object(fields) = args else { return json!(shape(args)) };
    let entry = |(field, value): (&String, &Value)| (audit_name(field), json!(shape(value)));
    Value::Object(fields.iter().take(64).map(entry).collect::<Map<_, _>>())
}

fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(text) => format!("string({})", text.chars().count()),
        Value::Array(items) => format!("list({})", items.len()),
        Value::Object(fields) => format!("object({})", fields.len()),
    }
}
