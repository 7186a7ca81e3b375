//! The operations on servers: listed, added, looked at, accepted, removed.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Caller, Empty, Fault, HandlerResult, JsonBody};

use crate::McpState;
use crate::new_server::{GivenServer, NewServer};
use crate::review::{Review, ToolChoice};
use crate::server_lines::ServerList;

/// Servers run for every owner, so only the operator changes them.
fn check_operator(state: &McpState, caller: &Caller) -> HandlerResult<()> {
    match state.is_operator(&caller.owner) {
        true => Ok(()),
        false => Err(Fault::forbidden(
            "only the operator may see and change MCP servers",
            "ask the owner of this server's first token",
        )),
    }
}

pub(crate) async fn list(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
) -> HandlerResult<Json<ServerList>> {
    Ok(Json(state.lines(&caller.owner).await?))
}

/// A server that was kept.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptServer {
    name: String,
    /// Its tools; null if somebody has to log in before it shows them.
    review: Option<Review>,
}

pub(crate) async fn keep(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    JsonBody(given): JsonBody<GivenServer>,
) -> HandlerResult<Json<KeptServer>> {
    check_operator(&state, &caller)?;
    let new = NewServer::check(&name, given).await?;
    let review = state.servers.keep(new, &caller.owner).await?;
    Ok(Json(KeptServer { name, review }))
}

pub(crate) async fn remove(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> HandlerResult<StatusCode> {
    check_operator(&state, &caller)?;
    state.servers.remove(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn look(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Json<Review>> {
    check_operator(&state, &caller)?;
    Ok(Json(state.servers.look(&name, &caller.owner).await?))
}

/// Exactly the tools that are to be on; all others are off.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptedTools {
    #[schemars(length(max = 500))]
    tools: Vec<ToolChoice>,
}

pub(crate) async fn accept(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    JsonBody(AcceptedTools { tools }): JsonBody<AcceptedTools>,
) -> HandlerResult<StatusCode> {
    check_operator(&state, &caller)?;
    state.servers.accept(&name, &caller.owner, &tools).await?;
    Ok(StatusCode::NO_CONTENT)
}
