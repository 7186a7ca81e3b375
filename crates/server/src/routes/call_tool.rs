//! Calls of tools by programs over plain HTTP: arguments in, the tool's envelope out.
//!
//! Must hold: a call with an `Idempotency-Key` runs once, however often it is sent; a call that
//! needs approval runs once after the approval, when the program sends it again. Without a
//! key, a program that disconnects cancels the handler; with one, the call completes and its
//! answer is stored for the program.
//!
//! Start at [`call`].

mod envelope;
mod idempotency;
mod in_flight;
mod tool_openapi;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use contract::{Call, CallId, Meta, Mode, nearest};
use engine::{CallOrigin, Cancel, Settled, Waiting};
use policy::{ConversationId, VerdictKind};
use registry::exposed_tools;
use serde_json::{Value, json};

use crate::auth::caller::Caller;
use crate::auth::tokens::random_name;
use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

use envelope::Envelope;
use idempotency::{CallRecord, CallRequest, StoredCall};
pub(crate) use in_flight::InFlightCalls;
pub(crate) use tool_openapi::shown;
pub use tool_openapi::tools_document;

/// The prefix of the conversations of programs. A caller's calls of one day are one
/// conversation, so that its ledger is bounded.
pub const CALLS: &str = "http-";

const KEY_CHARS_MAX: usize = 255;

pub(crate) async fn call(
    State(app): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let answer = async {
        let tool = find(&app, &caller, &name)?;
        let (args, key) = (arguments(body)?, key(&headers)?);
        call_found(&app, CallRequest { caller: caller.clone(), tool, args }, key).await
    };
    answer.await.unwrap_or_else(|fault| fault.enveloped(&meta(&app, &caller, &name)))
}

/// What a refusal says about the tool, if this caller may know it.
fn meta(app: &AppState, caller: &Caller, name: &str) -> Meta {
    let lease = app.engine.registry().lease();
    let unknown = Meta::unknown(name, lease.version().to_string());
    let id = find(app, caller, name).ok();
    match id.and_then(|id| app.engine.tool(&lease, &id).map(|tool| tool.contract.clone())) {
        Some(contract) => {
            Meta { tool_id: contract.tool_id, tool_version: contract.version, ..unknown }
        }
        None => unknown,
    }
}

async fn call_found(
    app: &AppState,
    request: CallRequest,
    key: Option<String>,
) -> HandlerResult<Response> {
    let app = app.clone();
    let (cancel, stays) = (Cancel::default(), key.is_some());
    let _stopper = CancelOnDrop { cancel: cancel.clone(), stays };
    // A separate task, so that the call is recorded even if the program disconnects.
    let counted = app.in_flight.count();
    let task = tokio::spawn(async move {
        let _counted = counted;
        match key {
            Some(key) => under_key(&app, &request, &key, &cancel).await,
            None => once(&app, &request, &cancel).await,
        }
    });
    task.await.map_err(|fault| Fault::ours(&fault))?
}

/// Cancels the handler when the request is dropped, unless the call has a key.
struct CancelOnDrop {
    cancel: Cancel,
    stays: bool,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.stays {
            self.cancel.cancel();
        }
    }
}

/// The id of the tool with this wire name or id.
fn find(app: &AppState, caller: &Caller, name: &str) -> HandlerResult<String> {
    let mut tools = exposed_tools(&app.engine.registry().lease());
    tools.retain(|_, tool| caller.tools.allows(tool.contract.tool_id.as_str()));
    let of_id = || tools.values().find(|tool| tool.contract.tool_id.as_str() == name);
    if let Some(tool) = tools.get(name).or_else(of_id) {
        return Ok(tool.contract.tool_id.to_string());
    }
    let lease = app.engine.registry().lease();
    if let Some(one) = lease.left_out_as(name).filter(|one| caller.tools.allows(&one.name)) {
        let what = format!("`{}` is left out because of its faults: {}", one.name, one.reason());
        return Err(Fault::no_tool(what));
    }
    // People refer to tools by the last part of the id.
    let ends_so = |id: &&str| id.rsplit('.').next() == Some(name);
    let mut short = tools.values().map(|tool| tool.contract.tool_id.as_str()).filter(ends_so);
    let near = short.next().or_else(|| nearest(name, tools.keys().map(String::as_str)));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Fault::no_tool(format!("there is no such tool{near}")))
}

fn arguments(body: Result<Bytes, BytesRejection>) -> HandlerResult<Value> {
    let bytes = body.map_err(|refused| match refused.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Fault::too_large("the arguments are too large"),
        _ => Fault::bad_request(refused.body_text(), "send the arguments as JSON"),
    })?;
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    let fix = "send the tool's arguments as a JSON object";
    serde_json::from_slice(&bytes).map_err(|fault| Fault::bad_request(fault.to_string(), fix))
}

fn key(headers: &HeaderMap) -> HandlerResult<Option<String>> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    match key.to_str().map(str::trim) {
        Ok(key) if (1..=KEY_CHARS_MAX).contains(&key.len()) => Ok(Some(key.to_owned())),
        Ok(_) | Err(_) => {
            let message = format!("an `Idempotency-Key` has 1 to {KEY_CHARS_MAX} plain characters");
            Err(Fault::bad_request(message, "use a random one, such as a UUID"))
        }
    }
}

/// With a key: one attempt at a time, and all get the answer of the first.
async fn under_key(
    app: &AppState,
    request: &CallRequest,
    key: &str,
    cancel: &Cancel,
) -> HandlerResult<Response> {
    let record = CallRecord::of_key(app, &request.caller, key)?;
    let _turn = app.in_flight.alone(record.name()).await;
    let stored = record.claim(begin(app, request)?).await?;
    if !stored.is_for(request) {
        return Err(Fault::key_reused());
    }
    if let Some(answer) = stored.answer {
        return Ok(answer.replayed());
    }
    let (settled, envelope) = settle(app, request, &stored, cancel).await;
    record.ended(stored, is_final(&settled).then_some(&envelope)).await;
    Ok(envelope.into_response())
}

/// Without a key: a repeated call is recognised only while it waits for approval.
async fn once(app: &AppState, request: &CallRequest, cancel: &Cancel) -> HandlerResult<Response> {
    let record = CallRecord::of_waiting(app, request)?;
    let waited = record.read().await?;
    let was_asked = waited.is_some();
    let stored = match waited {
        Some(stored) => stored,
        None => begin(app, request)?,
    };
    let (settled, envelope) = settle(app, request, &stored, cancel).await;
    match &settled.waiting {
        Some(Waiting::Approval(asked)) => record.waits(&stored, asked).await,
        Some(Waiting::InDoubt(_) | Waiting::Input(_)) | None if was_asked => {
            record.forget().await;
        }
        Some(Waiting::InDoubt(_) | Waiting::Input(_)) | None => {}
    }
    Ok(envelope.into_response())
}

/// Where a new call belongs: each is a turn, so that no two share a budget.
fn begin(app: &AppState, request: &CallRequest) -> HandlerResult<StoredCall> {
    const DAY_MS: u64 = 86_400_000;
    let CallRequest { caller, .. } = request;
    let day = app.engine.now().0 / DAY_MS;
    let origin = CallOrigin {
        conversation: ConversationId(format!("{CALLS}{}-{day}", caller.name)),
        client: caller.owner.clone(),
        mode: Mode::Text,
        turn: app.in_flight.next_turn(),
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: None,
        active: true,
    };
    let id = random_name().map_err(|fault| Fault::ours(&fault))?;
    Ok(StoredCall::new(request, origin, CallId(format!("{CALLS}{id}"))))
}

async fn settle(
    app: &AppState,
    request: &CallRequest,
    stored: &StoredCall,
    cancel: &Cancel,
) -> (Settled, Envelope) {
    let (tool, args) = (request.tool.clone(), request.args.clone());
    let call = Call { id: stored.call.clone(), tool, args };
    let (settled, shown) = app.in_flight.settle(app, &stored.origin, &call, cancel).await;
    let envelope = Envelope::of(&settled, &shown, &app.page_url);
    (settled, envelope)
}

/// Whether the outcome is final. What was refused or never started may still run; for an
/// unknown outcome, the ledger decides.
fn is_final(settled: &Settled) -> bool {
    let has_run = matches!(settled.verdict, VerdictKind::Run | VerdictKind::Reuse)
        && settled.waiting.is_none();
    let is_known = match &settled.outcome {
        Ok(_) => true,
        Err(error) => !error.partial_side_effects,
    };
    has_run && is_known
}
