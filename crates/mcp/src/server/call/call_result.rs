//! How settled calls look to a client: data twice, as a value and as the whole text;
//! errors as results that a model can act on.

use contract::{CallId, ErrorType, ToolError};
use engine::{ApprovalRecord, Settled};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::call::text;
use super::door::DoorOptions;
use super::pieces::{Piece, READ_ON};

/// The text that says everything the data says.
pub(super) fn text_of(data: &Value) -> String {
    match data {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            data.to_string()
        }
    }
}

/// Data that is a list of content blocks goes out as such; all other data as a value with
/// its text beside it. The value is an object in both eras.
pub(super) fn success(data: &Value, whole: String) -> CallToolResult {
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

/// `{"content": [{"type": "image", …}]}`: what an imported tool gave, or a handler that
/// shows pictures.
fn blocks(data: &Value) -> Option<Vec<ContentBlock>> {
    let fields = data.as_object().filter(|fields| fields.len() == 1)?;
    let items = fields.get("content")?.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

pub(super) fn failure(error: &ToolError) -> CallToolResult {
    let ToolError { kind, message, retryable, .. } = error;
    let said = json!({ "type": kind, "message": message, "retryable": retryable });
    CallToolResult::error(text(said.to_string()))
}

/// A result that was cut has no value beside it. A tool that promises one cannot keep its
/// promise then, and clients check that: so it is flagged, and the text says what it is.
pub(super) fn first_piece(
    first: &str,
    bytes: usize,
    cursor: Option<&str>,
    promised: bool,
) -> CallToolResult {
    let shown = first.len();
    let rest = match cursor {
        Some(cursor) => format!("call `{READ_ON}` with {}", json!({ "cursor": cursor })),
        None => "the rest could not be kept; ask for less".to_owned(),
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

pub(super) fn piece(piece: Piece) -> CallToolResult {
    let mut blocks = text(piece.text);
    blocks.push(ContentBlock::text(match piece.next {
        Some(cursor) => {
            format!("[More: call `{READ_ON}` with {}]", json!({ "cursor": cursor }))
        }
        None => "[This is the end of the result.]".to_owned(),
    }));
    CallToolResult::success(blocks)
}

/// The client cannot ask a person: it is told where a person can agree.
pub(super) fn ask_elsewhere(
    settled: &Settled,
    asked: &ApprovalRecord,
    time: &str,
    options: &DoorOptions,
) -> CallToolResult {
    let id: String = asked.request.id.0.trim_start_matches("ask:").chars().take(8).collect();
    // Whoever has a page may be on another machine, which the folders here are nothing to.
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

/// A call whose task came to grief. What it did is unknown, and the ledger says so.
pub(super) fn broken(call: &CallId, why: &str) -> CallToolResult {
    tracing::error!(%call, why, "a call broke down");
    failure(&ToolError::broken("The call broke down; what it did is unknown."))
}

#[cfg(test)]
mod tests;
