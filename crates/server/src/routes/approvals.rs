//! Open questions to a person: listed and answered.

pub(crate) mod approval_stream;
pub(crate) mod in_doubt;
pub(crate) mod inbox;
pub(crate) mod questions;

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::{ApprovalFault, ApprovalRecord};
use policy::{ApprovalRequest, PreviewLine, preview_lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::tools::run_tool::{RunResult, is_by_hand, settle};
use crate::state::AppState;

/// A question to a person. Times are milliseconds since 1970.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    id: String,
    conversation: String,
    call: String,
    tool: String,
    args: Value,
    preview: Value,
    /// The preview as data, line by line.
    preview_lines: Vec<ApprovalLine>,
    why: Value,
    asked_at: u64,
    expires_at: u64,
    may_be_remembered: bool,
    /// The title of the owner's conversation that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Who asks, unless it is one of the owner's conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    asker: Option<String>,
}

/// One line of a preview. `kind` is `text`, `description`, `argument`, `answer`, `reason` or
/// `earlier`.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ApprovalLine {
    kind: &'static str,
    /// Of an argument or an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    text: String,
}

pub(crate) fn approval_lines(preview: &str) -> Vec<ApprovalLine> {
    let line = |PreviewLine { kind, name, text }| ApprovalLine { kind: kind.as_str(), name, text };
    preview_lines(preview).into_iter().map(line).collect()
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<Question>>> {
    Ok(Json(questions(&app, &owner).await?))
}

/// The owner's open questions, for people.
pub(crate) async fn questions(app: &AppState, owner: &str) -> HandlerResult<Vec<Question>> {
    let open = open(app, owner).await?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let titles = titles(app, owner).await?;
    let lines = open.into_iter().map(|ApprovalRecord { request, origin, .. }| {
        let title = titles.get(&origin.conversation.0).cloned();
        let asker = title.is_none().then(|| asker(&origin.conversation.0));
        line(request, title, asker)
    });
    Ok(lines.collect())
}

/// The titles of the owner's conversations, by id.
pub(crate) async fn titles(app: &AppState, owner: &str) -> HandlerResult<BTreeMap<String, String>> {
    let all = app.index.list(owner).await?;
    Ok(all.into_iter().map(|one| (one.id, one.title)).collect())
}

fn line(request: ApprovalRequest, title: Option<String>, asker: Option<String>) -> Question {
    Question {
        id: request.id.0,
        conversation: request.conversation.0,
        call: request.call.0,
        tool: request.tool.to_string(),
        args: request.args,
        preview_lines: approval_lines(&request.preview),
        preview: json!(request.preview),
        why: json!(request.why),
        asked_at: request.asked_at.0,
        expires_at: request.expires_at.0,
        may_be_remembered: request.may_be_remembered,
        title,
        asker,
    }
}

/// Describes the caller in `PROTOCOL-OWNER@PROGRAM-DAY`.
pub(crate) fn asker(conversation: &str) -> String {
    let (protocol, rest) = conversation.split_once('-').unwrap_or_default();
    let program = rest.split_once('@').and_then(|(_, rest)| Some(rest.rsplit_once('-')?.0));
    let program = program.map(|program| program.trim_matches('-'));
    let program = program.filter(|program| !program.is_empty()).unwrap_or("a program");
    match protocol {
        "mcp" => format!("{program} over MCP"),
        "http" => format!("{program} over HTTP"),
        _ => "a form on this page".to_owned(),
    }
}

/// The owner's open questions.
async fn open(app: &AppState, owner: &str) -> HandlerResult<Vec<ApprovalRecord>> {
    let mut open = app.engine.open_approvals().await?;
    open.retain(|asked| asked.origin.client == owner);
    Ok(open)
}

/// A person's answer; policy validates it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenAnswer {
    /// `approve`, `decline`, `edit` or `instead`.
    answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// What continues: the turn of a conversation, this call, or nothing until a program repeats
/// its call.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct AnswerAccepted {
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    /// The result of a call that a person made.
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<RunResult>,
}

pub(crate) async fn answer(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(answer): JsonBody<GivenAnswer>,
) -> HandlerResult<(StatusCode, Json<AnswerAccepted>)> {
    let payload = serde_json::to_value(&answer).map_err(|fault| Fault::ours(&fault))?;
    let asked = take(&app, &owner, &id, payload).await?;
    if is_by_hand(&asked.call.id) {
        let settled = settle(&app, &asked.origin, &asked.call).await?;
        let accepted = AnswerAccepted { settled: Some(settled), ..AnswerAccepted::default() };
        return Ok((StatusCode::ACCEPTED, Json(accepted)));
    }
    // A program's call runs when the program sends it again.
    let id = asked.origin.conversation;
    if app.index.has(&owner, &id).await? {
        app.turns.resume(&app, &owner, &id).await?;
        let accepted = AnswerAccepted { conversation: Some(id.0), ..AnswerAccepted::default() };
        return Ok((StatusCode::ACCEPTED, Json(accepted)));
    }
    Ok((StatusCode::ACCEPTED, Json(AnswerAccepted::default())))
}

/// Records the answer to one of the owner's open questions.
pub(crate) async fn take(
    app: &AppState,
    owner: &str,
    id: &str,
    mut answer: Value,
) -> HandlerResult<ApprovalRecord> {
    let waits = match app.engine.open_approval(id).await {
        Ok(asked) => asked.origin.client == owner,
        Err(ApprovalFault::Expired { asked, ago }) if asked.origin.client == owner => {
            let message = format!("this question expired {ago} ago; nothing was run");
            return Err(Fault::expired(message));
        }
        Err(ApprovalFault::Store(fault)) => return Err(fault.into()),
        Err(_) => false,
    };
    if !waits {
        let fix = "it was answered or withdrawn; see the conversation";
        return Err(Fault::conflict("this question is not open", fix));
    }
    answer["request"] = id.into();
    Ok(app.engine.answer(&answer.to_string()).await?)
}

#[cfg(test)]
mod tests {
    use super::asker;

    #[test]
    fn a_program_is_described_by_its_protocol_and_name() {
        let check = |conversation: &str, expected: &str| {
            assert_eq!(asker(conversation), expected);
        };
        check("mcp-ana@-claude-code-20773", "claude-code over MCP");
        check("mcp-ana@phone-claude-code-20773", "phone-claude-code over MCP");
        check("mcp-ana@--20773", "a program over MCP");
        check("http-ana@-20773", "a program over HTTP");
        check("http-ana@phone-20773", "phone over HTTP");
        check("page-ana", "a form on this page");
    }

    /// The page draws each kind of line by its word.
    #[test]
    fn the_page_knows_every_kind_of_line() {
        let page = include_str!("../../page/preview.js");
        for kind in policy::PreviewLineKind::ALL {
            let entry = format!("\n  {}: (", kind.as_str());
            assert!(page.contains(&entry), "preview.js does not draw `{}`", kind.as_str());
        }
    }
}
