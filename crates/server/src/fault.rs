//! Refusals of the API: a code, what is wrong, and how to fix it.

use attachments::AttachmentFault;
use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{ErrorType, Meta, ModelFault};
use conversation::ConversationFault;
use engine::ApprovalFault;
use policy::VerdictKind;
use serde_json::json;
use services::QuotaFault;
use store::StoreFault;

use crate::render::render_pool::NotRendered;

/// A refusal, as JSON: `{"error": {"code", "message", "fix"}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
    fix: String,
}

pub type HandlerResult<T> = Result<T, Fault>;

impl Fault {
    fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status, code, message: message.into(), fix: fix.into() }
    }

    /// The code, for programs.
    pub fn code(&self) -> &'static str {
        self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn fix(&self) -> &str {
        &self.fix
    }

    pub fn bad_request(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message, fix)
    }

    pub(crate) fn no_token() -> Self {
        let fix = "open the link that the program printed, or send `Authorization: Bearer TOKEN`";
        Self::new(StatusCode::UNAUTHORIZED, "no_token", "this server requires a token", fix)
    }

    pub(crate) fn foreign(message: impl Into<String>) -> Self {
        let fix = "open the page by the address that the program printed";
        Self::new(StatusCode::FORBIDDEN, "foreign", message, fix)
    }

    pub(crate) fn not_operator() -> Self {
        let message = "only the operator may switch tools, because it affects every owner";
        let fix = "ask the owner of this server's first token";
        Self::new(StatusCode::FORBIDDEN, "not_operator", message, fix)
    }

    /// Something that this owner may not use.
    pub fn forbidden(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message, fix)
    }

    pub(crate) fn for_programs() -> Self {
        let fix = "call tools at `/mcp` or `/api/call/`; everything else needs a person's token";
        let message = "this token may only call tools";
        Self::new(StatusCode::FORBIDDEN, "for_programs", message, fix)
    }

    pub(crate) fn not_json() -> Self {
        let fix = "send `Content-Type: application/json`";
        let message = "the body is not declared as JSON";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message, fix)
    }

    pub(crate) fn not_bytes() -> Self {
        let fix = "send the file with `Content-Type: application/octet-stream`";
        let message = "the body must be the bytes of a file";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_bytes", message, fix)
    }

    pub fn not_found(what: impl Into<String>) -> Self {
        let fix = "GET /api/openapi.json lists all operations";
        Self::new(StatusCode::NOT_FOUND, "not_found", what, fix)
    }

    /// A tool that does not exist, for a program that calls it.
    pub(crate) fn no_tool(what: impl Into<String>) -> Self {
        let fix = "GET /api/call/openapi.json lists the tools";
        Self::new(StatusCode::NOT_FOUND, "not_found", what, fix)
    }

    pub(crate) fn no_conversation() -> Self {
        let fix = "GET /api/conversations lists yours";
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is no such conversation", fix)
    }

    pub(crate) fn wrong_method(method: &Method) -> Self {
        let message = format!("this path does not support {method}");
        let fix = "the header `Allow` lists the methods of this path, GET /api/openapi.json all operations";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message, fix)
    }

    /// A request that the framework refused, with its message.
    pub(crate) fn refused(status: StatusCode, message: &str) -> Self {
        let fix = "GET /api/openapi.json describes the parameters";
        Self::new(status, "bad_request", message, fix)
    }

    pub fn conflict(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message, fix)
    }

    /// A question that expired; it was not declined.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        let fix = "ask again in the conversation, or repeat the call";
        Self::new(StatusCode::CONFLICT, "expired", message, fix)
    }

    /// One key for two different calls.
    pub(crate) fn key_reused() -> Self {
        let message = "this `Idempotency-Key` belongs to a call of another tool or with other \
                       arguments";
        let fix = "use a new key for each call";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "key_reused", message, fix)
    }

    pub fn too_many(message: impl Into<String>) -> Self {
        let fix = "wait a moment and try again";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message, fix)
    }

    pub fn too_large(message: impl Into<String>) -> Self {
        let fix = "send less in one request";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, fix)
    }

    /// The model did not answer; its fault contains no secret.
    pub(crate) fn model(fault: &ModelFault) -> Self {
        let ModelFault { message, fix, .. } = fault;
        Self::new(StatusCode::BAD_GATEWAY, "no_answer", message, fix)
    }

    /// Another server that we asked did not answer; the message contains no secret.
    pub fn no_answer(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "no_answer", message, fix)
    }

    /// This server takes no turns now; another one of the store may.
    pub(crate) fn not_ready(message: impl Into<String>) -> Self {
        let fix = "try again in a moment; `GET /readyz` says when this server is ready";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", message, fix)
    }

    /// The store does not answer now; nothing was changed.
    fn store_busy(what: &dyn std::fmt::Display) -> Self {
        tracing::warn!(fault = %what, "the store does not answer");
        let fix = "try again in a moment; the server's log has the cause";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_busy", "the store does not answer", fix)
    }

    /// The connection to the store was lost during a commit.
    fn store_unsure(what: &dyn std::fmt::Display) -> Self {
        tracing::warn!(fault = %what, "the outcome of a write is not known");
        let message = "it is not known whether this was stored";
        let fix = "read it before you send it again; a call with an `Idempotency-Key` can be \
                   repeated as it is";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_unsure", message, fix)
    }

    pub(crate) fn slow_body() -> Self {
        let message = "the body did not arrive in time";
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow_body", message, "send it without pauses")
    }

    pub(crate) fn too_slow() -> Self {
        let message = "the answer took too long";
        Self::new(StatusCode::GATEWAY_TIMEOUT, "too_slow", message, "try again")
    }

    /// An internal error; the log has the cause.
    pub fn ours(what: &dyn std::fmt::Display) -> Self {
        tracing::error!(fault = %what, "request failed");
        let fix = "see the server's log";
        let message = "internal error";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message, fix)
    }
}

impl Fault {
    /// The same refusal in a tool's envelope, for programs.
    pub(crate) fn enveloped(self, meta: &Meta) -> Response {
        let kind = match self.status {
            StatusCode::NOT_FOUND => ErrorType::NotFound,
            StatusCode::CONFLICT => ErrorType::Conflict,
            StatusCode::TOO_MANY_REQUESTS => ErrorType::RateLimit,
            StatusCode::SERVICE_UNAVAILABLE => ErrorType::Transient,
            status if status.is_server_error() => ErrorType::Internal,
            _ => ErrorType::Validation,
        };
        let Self { status, code, message, fix } = self;
        let error = json!({
            "type": kind, "code": code, "message": message, "fix": fix, "retryable": false,
        });
        let body = json!({
            "ok": false, "error": error, "intents": [],
            "verdict": VerdictKind::Refuse, "meta": meta,
        });
        (status, again(status), Json(body)).into_response()
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self { status, code, message, fix } = self;
        let body = json!({ "error": { "code": code, "message": message, "fix": fix } });
        (status, again(status), Json(body)).into_response()
    }
}

/// Rate limits refill every second and permits are released, so clients may retry soon.
fn again(status: StatusCode) -> HeaderMap {
    let is_full = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let header = is_full.then(|| (header::RETRY_AFTER, HeaderValue::from_static("1")));
    header.into_iter().collect()
}

impl From<NotRendered> for Fault {
    fn from(fault: NotRendered) -> Self {
        Self::ours(&fault)
    }
}

impl From<StoreFault> for Fault {
    fn from(fault: StoreFault) -> Self {
        match &fault {
            StoreFault::TooLarge { .. } => Self::too_large(fault.to_string()),
            StoreFault::NotAList { .. } => {
                Self::conflict("the value is not a list", "read it as a value")
            }
            StoreFault::Conflict { .. } => {
                Self::conflict("it has changed in the meantime", "read it again and retry")
            }
            StoreFault::Busy { .. } => Self::store_busy(&fault),
            StoreFault::Unsure { .. } => Self::store_unsure(&fault),
            StoreFault::LeaseLost { .. }
            | StoreFault::Forgotten { .. }
            | StoreFault::Erased { .. }
            | StoreFault::NoDeadLetter { .. }
            | StoreFault::Unusable { .. }
            | StoreFault::Damaged { .. }
            | StoreFault::Closed => Self::ours(&fault),
        }
    }
}

impl From<ConversationFault> for Fault {
    fn from(fault: ConversationFault) -> Self {
        match fault {
            ConversationFault::NotFound(_) => Self::no_conversation(),
            ConversationFault::Exists(_) => {
                Self::conflict("it already exists", "choose another id")
            }
            ConversationFault::Held => {
                Self::conflict("a turn is running in this conversation", "stop it, or wait")
            }
            ConversationFault::TooLong { .. } => Self::too_large(fault.to_string()),
            ConversationFault::Empty => Self::bad_request("the message is empty", "say something"),
            ConversationFault::BadEntry { .. } => {
                Self::bad_request(fault.to_string(), "give a file as `export?as=json` writes it")
            }
            ConversationFault::NoTurn(_) => Self::not_found(fault.to_string()),
            ConversationFault::Waits => {
                Self::conflict(fault.to_string(), "answer it, or send a message")
            }
            ConversationFault::Unreadable { .. } => Self::ours(&fault),
            ConversationFault::Store(fault) => fault.into(),
        }
    }
}

impl From<ApprovalFault> for Fault {
    fn from(fault: ApprovalFault) -> Self {
        match fault {
            ApprovalFault::NoRequest(_) | ApprovalFault::Ambiguous(_) => {
                Self::not_found("there is no such question")
            }
            ApprovalFault::Expired { .. } => Self::expired(fault.to_string()),
            ApprovalFault::Withdrawn(_) => {
                Self::conflict(fault.to_string(), "ask again in the conversation")
            }
            ApprovalFault::AlreadyAnswered => {
                Self::conflict("the question is already answered", "see the conversation")
            }
            ApprovalFault::Void(void) => {
                Self::bad_request(void.to_string(), "approve, decline, edit or instead")
            }
            ApprovalFault::BadArguments { .. } => {
                Self::bad_request(fault.to_string(), "correct them and answer again")
            }
            ApprovalFault::Store(fault) => fault.into(),
            ApprovalFault::Unreadable(because) => Self::ours(&because),
        }
    }
}

impl From<AttachmentFault> for Fault {
    fn from(fault: AttachmentFault) -> Self {
        let (message, fix) = (fault.to_string(), fault.fix());
        let (status, code) = match fault {
            AttachmentFault::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            AttachmentFault::OwnerFull { .. } | AttachmentFault::TooMany { .. } => {
                (StatusCode::INSUFFICIENT_STORAGE, "no_room")
            }
            AttachmentFault::TooManyInMessage { .. } => (StatusCode::BAD_REQUEST, "bad_request"),
            AttachmentFault::Unreadable(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unreadable"),
            AttachmentFault::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            AttachmentFault::Store(fault) => return fault.into(),
        };
        Self::new(status, code, message, fix)
    }
}

impl From<QuotaFault> for Fault {
    fn from(no: QuotaFault) -> Self {
        match no {
            QuotaFault::Keys { .. } | QuotaFault::Bytes { .. } => {
                let fix = "delete unused keys";
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "no_space", no.to_string(), fix)
            }
            QuotaFault::Store(fault) => fault.into(),
        }
    }
}

impl From<store::BadName> for Fault {
    fn from(bad: store::BadName) -> Self {
        Self::bad_request(bad.to_string(), "use a shorter name without control characters")
    }
}

impl From<store::BadJson> for Fault {
    fn from(bad: store::BadJson) -> Self {
        Self::bad_request(bad.to_string(), "send valid JSON")
    }
}
