//! A tool as its server defines it, and the digest that an approval is bound to.

use contract::{Digest, canonical_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The parts of a definition that a model reads or that affect approvals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    /// The server's name for it.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub description: String,
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The server's claims about the tool. They only set defaults for approvals.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub annotations: Value,
}

impl Definition {
    /// Larger definitions are left out.
    pub const BYTES_MAX: usize = 128 << 10;

    pub fn digest(&self) -> Digest {
        let whole = serde_json::to_value(self).unwrap_or_default();
        Digest::of(&canonical_bytes(&whole))
    }

    pub fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |bytes| bytes.len())
    }

    /// Whether it claims to only read.
    pub fn claims_read_only(&self) -> bool {
        self.hint("readOnlyHint")
    }

    /// Whether it claims that repeating a call has no further effect.
    pub(crate) fn claims_idempotent(&self) -> bool {
        self.hint("idempotentHint") || self.claims_read_only()
    }

    fn hint(&self, name: &str) -> bool {
        self.annotations.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn of(tool: rmcp::model::Tool) -> Self {
        let object = |schema: &rmcp::model::JsonObject| Value::Object(schema.clone());
        let annotations = tool.annotations.and_then(|hints| serde_json::to_value(hints).ok());
        Self {
            name: tool.name.into_owned(),
            title: tool.title,
            description: tool.description.map(|text| text.into_owned()).unwrap_or_default(),
            input_schema: object(&tool.input_schema),
            output_schema: tool.output_schema.as_deref().map(object),
            annotations: annotations.unwrap_or_default(),
        }
    }
}
