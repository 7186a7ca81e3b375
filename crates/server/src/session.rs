//! Who is asking, and whether the server lives.

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value, json};

use crate::app::App;
use crate::door::Owner;
use crate::fault::Answer;

pub(crate) async fn session(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
) -> Answer<Json<Value>> {
    let model = app.model.facts().to_string();
    let first_run = app.shelf.list(&owner).await?.is_empty();
    Ok(Json(json!({
        "owner": owner,
        "model": model,
        "models": [model],
        "firstRun": first_run,
        "version": env!("CARGO_PKG_VERSION"),
    })))
}

/// Says nothing of what is inside.
pub(crate) async fn health() -> Json<Value> {
    Json(json!({ "ok": true }))
}
