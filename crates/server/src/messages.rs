//! What a person says: it begins a turn, or stops one.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::Answer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    text: String,
}

pub(crate) async fn send(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(Said { text }): Body<Said>,
) -> Answer<(StatusCode, Json<Value>)> {
    let line = app.shelf.line(&owner, &id).await?;
    let id = policy::ConversationId(line.id.clone());
    let slot = app.runner.reserve(&id)?;
    let channel = app.runner.channel(&id).await?;
    let text = app.desk.names(&owner, &id).await?.fill(&text);
    let turn = app.desk.say(&id, &text).await?;
    app.shelf.began(&owner, line, turn, &text).await?;
    app.runner.run(&app, &owner, slot, channel);
    Ok((StatusCode::ACCEPTED, Json(json!({ "turn": turn }))))
}

pub(crate) async fn stop(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> Answer<(StatusCode, Json<Value>)> {
    let id = app.shelf.id(&owner, &id).await?;
    let stopped = app.runner.stop(&id);
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": stopped }))))
}
