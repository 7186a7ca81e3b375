//! A person's own call of a tool: it passes the same checks as a model's call.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, State};
use axum::{Extension, Json};
use contract::{Call, CallId, Channel, Chunk};
use engine::{CallContext, CallOrigin, PaidBy, Settled, Waiting};
use policy::{BoxFuture, ServiceFault, preview_lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use services::{HandlerEvent, Surface};

use crate::auth::middleware::Owner;
use crate::auth::tokens::random_name;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::tools::origin;
use crate::state::AppState;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRequest {
    conversation: Option<String>,
    #[serde(default)]
    args: Value,
}

/// The result of a person's call.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RunResult {
    pub call: String,
    /// `run`, `ask`, `refuse` or `reuse`.
    pub verdict: &'static str,
    pub ok: bool,
    pub content: Value,
    /// The question to the person, or null.
    pub waiting: Value,
    pub notes: Vec<String>,
    /// What the handler showed while it ran.
    pub said: Vec<String>,
}

pub(crate) async fn run(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(tool): Path<String>,
    JsonBody(RunRequest { conversation, args }): JsonBody<RunRequest>,
) -> HandlerResult<Json<RunResult>> {
    let origin = origin(&app, &owner, conversation.as_deref()).await?;
    Ok(Json(run_by_hand(&app, &origin, tool, args).await?))
}

/// Calls that a person made; no turn waits for them.
const BY_HAND: &str = "hand-";

pub(crate) fn is_by_hand(call: &CallId) -> bool {
    call.0.starts_with(BY_HAND)
}

pub(crate) async fn run_by_hand(
    app: &AppState,
    origin: &CallOrigin,
    tool: String,
    args: Value,
) -> HandlerResult<RunResult> {
    let id = random_name().map_err(|fault| Fault::ours(&fault))?;
    let args = if args.is_null() { json!({}) } else { args };
    let call = Call { id: CallId(format!("{BY_HAND}{id}")), tool, args };
    settle(app, origin, &call).await
}

/// Runs a person's call, before or after approval. It completes even if the person disconnects.
pub(crate) async fn settle(
    app: &AppState,
    origin: &CallOrigin,
    call: &Call,
) -> HandlerResult<RunResult> {
    let (app, origin, call) = (app.clone(), origin.clone(), call.clone());
    let settled = tokio::spawn(async move { settle_here(&app, &origin, &call).await });
    settled.await.map_err(|fault| Fault::ours(&fault))
}

async fn settle_here(app: &AppState, origin: &CallOrigin, call: &Call) -> RunResult {
    let recorder = Arc::new(ChunkRecorder::default());
    let surface = recorder.clone();
    let context = CallContext { surface, ..app.engine.context(PaidBy::Person) };
    let settled = app.engine.settle_on(&context, origin, call).await;
    let mut said = Vec::new();
    for (at, Chunk { channel, text }) in recorder.taken().into_iter().enumerate() {
        match channel {
            Channel::Assistant => said.push(text),
            Channel::System => {
                let id = format!("{}-{at}", call.id.0);
                // Outside of a conversation, a person reads it in the answer only.
                if let Err(fault) = app.engine.notice(origin, &id, text.clone()).await {
                    tracing::debug!(%fault, "a message was left in no conversation");
                }
                said.push(text);
            }
            Channel::Context => {}
        }
    }
    ran(call, settled, said)
}

fn ran(call: &Call, settled: Settled, said: Vec<String>) -> RunResult {
    let waiting = match &settled.waiting {
        Some(Waiting::Approval(asked)) => json!({
            "request": asked.request.id,
            "preview": asked.request.preview,
            "previewLines": preview_lines(&asked.request.preview),
            "call": call.id,
            "tool": call.tool,
            "args": call.args,
            "mayBeRemembered": asked.request.may_be_remembered,
        }),
        Some(Waiting::InDoubt(_)) => json!({ "inDoubt": settled.tool }),
        // The answer tells the person what is asked.
        Some(Waiting::Input(_)) | None => Value::Null,
    };
    let ok = settled.outcome.is_ok();
    let content = match settled.outcome {
        Ok(data) => data,
        Err(error) => json!({ "type": error.kind, "message": error.message }),
    };
    let (call, verdict, notes) = (settled.call.0, settled.verdict.as_str(), settled.notes);
    RunResult { call, verdict, ok, content, waiting, notes, said }
}

/// Records what a handler streams.
#[derive(Default)]
pub(crate) struct ChunkRecorder(Mutex<Vec<Chunk>>);

impl ChunkRecorder {
    fn taken(&self) -> Vec<Chunk> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What people may read of it.
    pub(crate) fn shown(&self) -> Vec<String> {
        let read = |Chunk { channel, text }: Chunk| match channel {
            Channel::Assistant | Channel::System => Some(text),
            Channel::Context => None,
        };
        self.taken().into_iter().filter_map(read).collect()
    }
}

impl Surface for ChunkRecorder {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        match event {
            HandlerEvent::Chunk(chunk) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
            }
            HandlerEvent::Progress { .. }
            | HandlerEvent::Message(_)
            | HandlerEvent::Audit { .. }
            | HandlerEvent::Console { .. } => {}
        }
        Box::pin(async { Ok(()) })
    }
}
