//! Built-in tools: offered with the registry's tools and run here, without a directory.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Contract, Digest, canonical_bytes};
use policy::{
    HandlerException, HandlerOutcome, QUERY_TOOL_MEMORY, query_tool_memory,
    query_tool_memory_schema,
};
use registry::{Digests, Handler, HandlerKind, Tool};
use serde_json::{Value, json};

use crate::call::facts::Facts;
use crate::engine::Engine;

/// The built-in tools by id.
#[derive(Debug)]
pub(crate) struct BuiltinTools(BTreeMap<&'static str, Arc<Tool>>);

impl BuiltinTools {
    pub(crate) fn new() -> Self {
        let schema = query_tool_memory_schema();
        let tool = tool_of(&schema).map(|tool| (QUERY_TOOL_MEMORY, Arc::new(tool)));
        Self(tool.into_iter().collect())
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Tool>> {
        self.0.get(id)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.0.values()
    }

    /// Whether this is a built-in tool, and not a registry tool of the same name.
    pub(crate) fn has(&self, tool: &Arc<Tool>) -> bool {
        self.get(tool.contract.tool_id.as_str()).is_some_and(|own| Arc::ptr_eq(own, tool))
    }
}

/// A tool made from its schema alone; none if the schema is not a contract, which a test
/// excludes.
fn tool_of(schema: &Value) -> Option<Tool> {
    let contract: Contract = serde_json::from_value(schema.clone()).ok()?;
    let digest = Digest::of(&canonical_bytes(schema));
    Some(Tool {
        summary: contract.description.clone(),
        documentation: contract.description.clone(),
        examples: Vec::new(),
        handler: Handler { kind: HandlerKind::Native, path: String::new(), environment: None },
        features: registry::Features::default(),
        ui: None,
        ui_handlers: Vec::new(),
        order: 0,
        digests: Digests {
            schema: digest,
            summary: digest,
            doc: digest,
            handler: digest,
            shared: None,
        },
        code: Arc::default(),
        contract,
    })
}

impl Engine {
    /// Whether it is a built-in tool.
    pub fn is_builtin(&self, tool: &Arc<Tool>) -> bool {
        self.inner.builtin.has(tool)
    }

    /// Runs a built-in tool, which reads only the session state.
    pub(crate) fn run_builtin(&self, facts: &Facts<'_>, args: &Value) -> HandlerOutcome {
        let Ok(session) = &facts.session else {
            return HandlerOutcome::Threw(unreadable());
        };
        match query_tool_memory(&session.memory, args, facts.origin.turn, facts.now) {
            Ok(data) => HandlerOutcome::Returned(json!({ "ok": true, "data": data })),
            Err(error) => HandlerOutcome::Returned(json!({ "ok": false, "error": error })),
        }
    }
}

fn unreadable() -> HandlerException {
    HandlerException {
        kind: None,
        message: "the session state of the conversation cannot be read".to_owned(),
        retryable: false,
        partial_side_effects: false,
        details: Value::Null,
        place: None,
    }
}
