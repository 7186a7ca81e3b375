//! Logs a person in at a server: a link out, a way back, and the end of a login.

use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use mcp::client::Login;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Caller, Empty, Fault, HandlerResult, JsonBody};

use crate::McpState;
use crate::fault::McpWebFault;
use crate::live_server::{LiveServer, LoginOf};
use crate::logins::{BegunLogin, RETURN_PATH, browser_of, state_of};

#[derive(Serialize, JsonSchema)]
pub(crate) struct LoginLink {
    /// Where the person logs in; it leads back to this server.
    link: String,
}

/// Whose login the caller may make or delete at a server.
fn whose_login(state: &McpState, live: &LiveServer, caller: &Caller) -> HandlerResult<LoginOf> {
    match live.login_of(&caller.owner) {
        LoginOf::Nobody => Err(McpWebFault::NoLogin(live.name.to_string()).into()),
        LoginOf::Everybody if !state.is_operator(&caller.owner) => Err(Fault::forbidden(
            "this login is used by everybody, so only the operator may make or delete it",
            "ask the owner of this server's first token",
        )),
        whose @ (LoginOf::Everybody | LoginOf::Owner(_)) => Ok(whose),
    }
}

pub(crate) async fn begin(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Json<LoginLink>> {
    let live = state.servers.live(&name)?;
    let whose = whose_login(&state, &live, &caller)?;
    let redirect = format!("{}{RETURN_PATH}", own_address(&headers)?);
    let config = live.config_for(&whose);
    let login = Login::begin(&config, &redirect).await.map_err(McpWebFault::from)?;
    let link = login.link().to_owned();
    let no_state = || Fault::ours(&"a login has no state");
    let login_state = login.state().ok_or_else(no_state)?;
    let (owner, browser, server) = (caller.owner, browser_of(&headers), name);
    let begun =
        BegunLogin { owner, browser, server, whose, redirect, login, begun: Instant::now() };
    state.logins.begin(login_state, begun);
    Ok(Json(LoginLink { link }))
}

/// This server as the browser reaches it. `Host` and `Origin` were checked before.
fn own_address(headers: &HeaderMap) -> HandlerResult<String> {
    let text =
        |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let origin = text(header::ORIGIN).map(str::to_owned);
    let host = || text(header::HOST).map(|host| format!("http://{host}"));
    origin.or_else(host).ok_or_else(|| Fault::bad_request("there is no `Host`", "send one"))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoginQuery {
    /// What followed the `?` of the address that the browser came back to.
    #[schemars(length(max = 8192))]
    query: String,
}

const QUERY_BYTES_MAX: usize = 8_192;

#[derive(Serialize, JsonSchema)]
pub(crate) struct LoggedIn {
    server: String,
}

pub(crate) async fn finish(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    JsonBody(LoginQuery { query }): JsonBody<LoginQuery>,
) -> HandlerResult<Json<LoggedIn>> {
    let given = state_of(&query).filter(|_| query.len() <= QUERY_BYTES_MAX);
    let begun = given.and_then(|given| {
        state.logins.take(given, &caller.owner, &browser_of(&headers), Instant::now())
    });
    let BegunLogin { server, whose, redirect, login, .. } =
        begun.ok_or(McpWebFault::NoSuchLogin)?;
    // It may have been removed or changed meanwhile.
    let live = state.servers.live(&server)?;
    if live.login_of(&caller.owner) != whose {
        return Err(McpWebFault::NoSuchLogin.into());
    }
    login.finish(&format!("{redirect}?{query}")).await.map_err(McpWebFault::from)?;
    state.servers.reconnect(&server, &whose);
    Ok(Json(LoggedIn { server }))
}

pub(crate) async fn end(
    State(state): State<McpState>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> HandlerResult<StatusCode> {
    let live = state.servers.live(&name)?;
    let whose = whose_login(&state, &live, &caller)?;
    if let Some(login) = live.login_store(&whose) {
        login.log_out().await.map_err(|fault| Fault::ours(&fault))?;
    }
    state.servers.reconnect(&name, &whose);
    Ok(StatusCode::NO_CONTENT)
}
