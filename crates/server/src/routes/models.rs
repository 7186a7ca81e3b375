//! The models to choose from: with what each can do, the owner's favourites and default.

pub(crate) mod presets;
pub(crate) mod providers;

use ::providers::ModelList;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::middleware::Owner;
use crate::conversations::answering_model::{
    ModelPreferences, check_model, keep_preferences, preferences_of, usable_default,
};
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

/// The models, and what the owner chose among them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelChoices {
    #[serde(flatten)]
    list: ModelList,
    /// Answers new conversations of this owner.
    default: String,
    /// Whether the owner chose it; else it is the server's.
    chosen: bool,
    favourites: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct ModelsQuery {
    /// Whether to ask the providers again.
    fresh: Option<bool>,
}

pub(crate) async fn models(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(ModelsQuery { fresh }): Query<ModelsQuery>,
) -> HandlerResult<Json<ModelChoices>> {
    let list = app.providers.models(fresh == Some(true)).await;
    let chosen = usable_default(&app, &owner).await?;
    let ModelPreferences { favourites, .. } = preferences_of(&app, &owner).await?;
    let is_chosen = chosen.is_some();
    let default = chosen.unwrap_or_else(|| list.server_default.clone());
    Ok(Json(ModelChoices { list, default, chosen: is_chosen, favourites }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenPreferences {
    /// The model of new conversations, as `provider:name`; the server's if it is null.
    default: Option<String>,
    #[schemars(length(max = 100))]
    favourites: Vec<String>,
}

const FAVOURITES_MAX: usize = 100;
const MODEL_BYTES_MAX: usize = 300;

pub(crate) async fn prefer(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(GivenPreferences { default, mut favourites }): JsonBody<GivenPreferences>,
) -> HandlerResult<StatusCode> {
    let is_long = favourites.iter().any(|model| model.len() > MODEL_BYTES_MAX);
    if favourites.len() > FAVOURITES_MAX || is_long {
        let fix = format!("give at most {FAVOURITES_MAX} names of models");
        return Err(Fault::bad_request("there are too many favourites", fix));
    }
    favourites.sort();
    favourites.dedup();
    if let Some(default) = &default {
        check_model(&app, default).await?;
    }
    keep_preferences(&app, &owner, &ModelPreferences { default, favourites }).await?;
    Ok(StatusCode::NO_CONTENT)
}
