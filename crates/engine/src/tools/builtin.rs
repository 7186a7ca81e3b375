//! Built-in tools: offered with the registry's tools and run here, without a directory.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{READ_DOCUMENT, SEARCH_DOCUMENTS};
use knowledge::{read_document_schema, search_documents_schema};
use policy::{
    HandlerException, HandlerOutcome, QUERY_TOOL_MEMORY, query_tool_memory,
    query_tool_memory_schema,
};
use registry::Tool;
use serde_json::{Value, json};

use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::engine::Engine;

/// The built-in tools by id.
#[derive(Debug)]
pub(crate) struct BuiltinTools(BTreeMap<&'static str, Arc<Tool>>);

impl BuiltinTools {
    pub(crate) fn new() -> Self {
        let schemas = [
            (QUERY_TOOL_MEMORY, query_tool_memory_schema()),
            (SEARCH_DOCUMENTS, search_documents_schema()),
            (READ_DOCUMENT, read_document_schema()),
        ];
        let tool =
            |(id, schema): (&'static str, Value)| Some((id, Arc::new(Tool::from_schema(&schema)?)));
        Self(schemas.into_iter().filter_map(tool).collect())
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

impl Engine {
    /// Whether it is a built-in tool.
    pub fn is_builtin(&self, tool: &Arc<Tool>) -> bool {
        self.inner.builtin.has(tool)
    }

    /// Whether a built-in tool can find anything in this conversation.
    pub async fn is_of_use(
        &self,
        origin: &CallOrigin,
        tool: &Arc<Tool>,
        has_results: bool,
    ) -> bool {
        match tool.contract.tool_id.as_str() {
            _ if !self.is_builtin(tool) => true,
            SEARCH_DOCUMENTS | READ_DOCUMENT => {
                self.knowledge().has_documents(&origin.client, &origin.conversation.0).await
            }
            _ => has_results,
        }
    }

    /// Runs a built-in tool. It reads the session state, or the documents of the caller.
    pub(crate) async fn run_builtin(
        &self,
        tool: &str,
        facts: &Facts<'_>,
        args: &Value,
    ) -> HandlerOutcome {
        let (owner, conversation) = (&facts.origin.client, &facts.origin.conversation.0);
        let answer = match tool {
            SEARCH_DOCUMENTS => self.knowledge().run_search(owner, conversation, args).await,
            READ_DOCUMENT => self.knowledge().run_read(owner, conversation, args).await,
            _ => match &facts.session {
                Ok(session) => {
                    query_tool_memory(&session.memory, args, facts.origin.turn, facts.now)
                }
                Err(_) => return HandlerOutcome::Threw(unreadable()),
            },
        };
        match answer {
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
