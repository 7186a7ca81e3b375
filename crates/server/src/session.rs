//! Who is asking, and whether the server lives.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::door::Owner;
use crate::fault::Answer;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    owner: String,
    /// May this owner switch tools for everybody?
    operator: bool,
    model: String,
    models: Vec<String>,
    /// Has the owner no conversation yet?
    first_run: bool,
    version: &'static str,
    /// Did a browser sign in, which can sign out again?
    signed_in: bool,
}

pub(crate) async fn session(
    State(app): State<App>,
    Extension(owner): Extension<Owner>,
    headers: HeaderMap,
) -> Answer<Json<Session>> {
    let model = app.model.facts().to_string();
    let first_run = app.shelf.list(&owner.0).await?.is_empty();
    Ok(Json(Session {
        operator: app.door.is_operator(&owner),
        owner: owner.0,
        models: vec![model.clone()],
        model,
        first_run,
        version: env!("CARGO_PKG_VERSION"),
        signed_in: app.logins.held(&headers).is_some(),
    }))
}

/// The cookie of this browser lets nobody in any more, whoever has a copy of it.
pub(crate) async fn sign_out(State(app): State<App>, headers: HeaderMap) -> Answer<Response> {
    let gone = app.logins.end(&headers).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response())
}

/// Says nothing of what is inside.
pub(crate) async fn health() -> Json<Value> {
    Json(json!({ "ok": true }))
}
