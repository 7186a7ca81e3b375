//! The answer to a program: the tool's envelope, with a matching status.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use contract::{ErrorType, ToolError};
use engine::{ApprovalRecord, Settled, Waiting};
use policy::{LedgerEntry, VerdictKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::routes::approvals::{ApprovalLine, approval_lines};

/// An answer that can be stored and replayed.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Envelope {
    status: u16,
    body: Value,
}

/// A question that a person has to answer before the call runs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval {
    id: String,
    /// What the call would do.
    preview: String,
    /// The preview as data, line by line.
    preview_lines: Vec<ApprovalLine>,
    /// Where a person can answer.
    page: String,
    /// Milliseconds since 1970.
    expires_at: u64,
}

impl Envelope {
    pub(crate) fn of(settled: &Settled, shown: &[String], page: &str) -> Self {
        let mut body = Map::new();
        body.insert("ok".to_owned(), settled.outcome.is_ok().into());
        let asked = match &settled.waiting {
            Some(Waiting::Approval(asked)) => Some(asked.as_ref()),
            // A handler's own question is reported as the error that it is.
            Some(Waiting::InDoubt(_) | Waiting::Input(_)) | None => None,
        };
        let in_doubt = match &settled.waiting {
            Some(Waiting::InDoubt(entry)) => Some(in_doubt(entry)),
            Some(Waiting::Approval(_) | Waiting::Input(_)) | None => None,
        };
        let status = match (&settled.outcome, asked) {
            (Ok(data), _) => {
                body.insert("data".to_owned(), data.clone());
                StatusCode::OK
            }
            (Err(_), Some(asked)) => {
                let approval = approval(asked, page);
                body.insert("error".to_owned(), json!(waits(settled, &approval)));
                body.insert("approval".to_owned(), json!(approval));
                StatusCode::CONFLICT
            }
            (Err(error), None) => {
                body.insert("error".to_owned(), json!(error));
                if in_doubt.is_some() { StatusCode::CONFLICT } else { status(error.kind) }
            }
        };
        body.extend(in_doubt.map(|in_doubt| ("inDoubt".to_owned(), json!(in_doubt))));
        body.insert("intents".to_owned(), json!(settled.intents));
        if !settled.artifacts.is_empty() {
            body.insert("artifacts".to_owned(), json!(settled.artifacts));
        }
        let verdict = if asked.is_some() { VerdictKind::Ask } else { settled.verdict };
        body.insert("verdict".to_owned(), verdict.as_str().into());
        body.extend(settled.meta.as_ref().map(|meta| ("meta".to_owned(), json!(meta))));
        let lists = [("notes", settled.notes.as_slice()), ("said", shown)];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        body.extend(lists.map(|(name, list)| (name.to_owned(), json!(list))));
        Self { status: status.as_u16(), body: Value::Object(body) }
    }

    /// The stored answer, marked as a replay.
    pub(crate) fn replayed(self) -> Response {
        let mut response = self.into_response();
        let name = HeaderName::from_static("idempotent-replayed");
        response.headers_mut().insert(name, HeaderValue::from_static("true"));
        response
    }
}

impl IntoResponse for Envelope {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        (status, Json(self.body)).into_response()
    }
}

fn approval(asked: &ApprovalRecord, page: &str) -> Approval {
    let request = &asked.request;
    Approval {
        id: request.id.0.clone(),
        preview: request.preview.clone(),
        preview_lines: approval_lines(&request.preview),
        page: format!("{page}#approvals"),
        expires_at: request.expires_at.0,
    }
}

/// A person checks the outcome and records it with `ghosthand ledger resolve`.
fn in_doubt(entry: &LedgerEntry) -> Value {
    json!({
        "tool": entry.tool,
        "call": entry.call,
        "idempotencyKey": entry.idempotency_key,
        "since": entry.changed_at(),
        "resolve": "ghosthand ledger list",
    })
}

fn waits(settled: &Settled, approval: &Approval) -> ToolError {
    let message = format!(
        "A person must agree before `{}` runs; it has not run. They can agree at {}. Then send \
         the same request again: it will run once.",
        settled.tool, approval.page
    );
    ToolError::before_start(ErrorType::ConfirmationRequired, message)
}

/// Errors of a remote service are not the program's fault.
fn status(kind: ErrorType) -> StatusCode {
    match kind {
        ErrorType::Validation => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorType::NotFound => StatusCode::NOT_FOUND,
        ErrorType::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorType::ModeRestricted => StatusCode::FORBIDDEN,
        ErrorType::BudgetExceeded | ErrorType::LoopDetected | ErrorType::RateLimit => {
            StatusCode::TOO_MANY_REQUESTS
        }
        ErrorType::ConfirmationRequired | ErrorType::SessionInactive | ErrorType::Conflict => {
            StatusCode::CONFLICT
        }
        ErrorType::Transient => StatusCode::SERVICE_UNAVAILABLE,
        ErrorType::Permanent | ErrorType::Auth => StatusCode::BAD_GATEWAY,
    }
}
