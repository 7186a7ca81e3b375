//! Settled calls as MCP results: data both as structured content and as text, errors as results
//! that a model can act on.

use contract::{CallId, ErrorType, ToolError};
use engine::{ApprovalRecord, Settled};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::paged_result::{READ_RESULT_TOOL, ResultPage};
use super::text;
use crate::server::mcp_server::McpServerOptions;

/// The complete data as text.
pub(crate) fn text_of(data: &Value) -> String {
    match data {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            data.to_string()
        }
    }
}

/// Sends a list of content blocks as is, and any other data as structured content plus text. The
/// structured content is an object in both protocols.
pub(crate) fn success(data: &Value, whole: String) -> CallToolResult {
    if let Some(blocks) = blocks(data) {
        return CallToolResult::success(blocks);
    }
    let mut result = CallToolResult::success(text(whole));
    result.structured_content = Some(match data {
        Value::Object(_) => data.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            json!({ "result": data })
        }
    });
    result
}

/// `{"content": [{"type": "image", …}]}`: from an imported tool, or from a handler that returns
/// images.
fn blocks(data: &Value) -> Option<Vec<ContentBlock>> {
    let fields = data.as_object().filter(|fields| fields.len() == 1)?;
    let items = fields.get("content")?.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

pub(crate) fn failure(error: &ToolError) -> CallToolResult {
    let ToolError { kind, message, retryable, .. } = error;
    let error = json!({ "type": kind, "message": message, "retryable": retryable });
    CallToolResult::error(text(error.to_string()))
}

/// A paged result has no structured content. Clients validate results against the output schema,
/// so for a tool with such a schema the result is flagged as an error that explains itself.
pub(crate) fn first_page(
    first: &str,
    bytes: usize,
    cursor: Option<&str>,
    promised: bool,
) -> CallToolResult {
    let shown = first.len();
    let rest = match cursor {
        Some(cursor) => format!("call `{READ_RESULT_TOOL}` with {}", json!({ "cursor": cursor })),
        None => "the rest could not be stored; request less".to_owned(),
    };
    let note = format!(
        "[The call succeeded. Its result has {bytes} bytes, of which these are the first \
         {shown}. For more: {rest}]"
    );
    let blocks = vec![ContentBlock::text(first.to_owned()), ContentBlock::text(note)];
    match promised {
        true => CallToolResult::error(blocks),
        false => CallToolResult::success(blocks),
    }
}

pub(crate) fn page(page: ResultPage) -> CallToolResult {
    let mut blocks = text(page.text);
    blocks.push(ContentBlock::text(match page.next {
        Some(cursor) => {
            format!("[More: call `{READ_RESULT_TOOL}` with {}]", json!({ "cursor": cursor }))
        }
        None => "[This is the end of the result.]".to_owned(),
    }));
    CallToolResult::success(blocks)
}

/// The client cannot ask a person, so the result says where to approve.
pub(crate) fn ask_elsewhere(
    settled: &Settled,
    asked: &ApprovalRecord,
    time: &str,
    options: &McpServerOptions,
) -> CallToolResult {
    let id: String = asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect();
    // With a page, the user may be on another machine, where our folders mean nothing.
    let place = match (&options.page, &options.project) {
        (Some(page), _) => format!(", or open {page}"),
        (None, Some(project)) => {
            let project = std::path::absolute(project).unwrap_or_else(|_| project.clone());
            format!(" in the folder {}", project.display())
        }
        (None, None) => String::new(),
    };
    let message = format!(
        "A person must agree before `{}` runs; it has not run. Tell the user: run `ghosthand \
         approvals approve {id}` in a terminal{place}, within {time}. When they have agreed, call \
         this tool again with the same arguments: it will run once.",
        settled.tool
    );
    failure(&ToolError::before_start(ErrorType::ConfirmationRequired, message))
}

/// The task of a call failed. Its effects are unknown, and the ledger says so.
pub(crate) fn broken(call: &CallId, why: &str) -> CallToolResult {
    tracing::error!(%call, why, "the task of a call failed");
    failure(&ToolError::broken("The call failed internally; its effects are unknown."))
}

#[cfg(test)]
mod tests;
