//! Presets: settings of a conversation under a name, to use them again.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Key, PageRequest, Prefix};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::conversations::settings::GivenSettings;
use crate::routes::json_body::JsonBody;
use crate::routes::settings::an_object;
use crate::state::AppState;

/// A preset.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Preset {
    name: String,
    settings: GivenSettings,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenPreset {
    #[serde(deserialize_with = "an_object")]
    settings: GivenSettings,
}

const PRESETS_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 100;

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<Preset>>> {
    let page = PageRequest::first(PRESETS_MAX);
    let found = app.engine.store().kv().list(&prefix(&owner)?, page).await?;
    // One that another version wrote and that cannot be read is left out.
    let read = found.items.iter().filter_map(|entry| entry.value.to::<Preset>().ok());
    let mut presets: Vec<_> = read.collect();
    presets.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Json(presets))
}

/// The same name again replaces the preset.
pub(crate) async fn keep(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(name): Path<String>,
    JsonBody(GivenPreset { settings }): JsonBody<GivenPreset>,
) -> HandlerResult<StatusCode> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        let fix = format!("give a name of 1 to {NAME_CHARS_MAX} characters");
        return Err(Fault::bad_request("a preset cannot have this name", fix));
    }
    let settings = GivenSettings::of(&settings.checked()?);
    let kv = app.engine.store().kv();
    let key = key(&owner, &name)?;
    let page = PageRequest::first(PRESETS_MAX);
    let known = kv.keys(&prefix(&owner)?, page).await?.items;
    if known.len() >= PRESETS_MAX && !known.contains(&key) {
        return Err(Fault::too_many("there are too many presets; remove some"));
    }
    let json = store::Json::of(&Preset { name, settings })?;
    kv.set(&key, json, Expected::Any, Expiry::Never).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(name): Path<String>,
) -> HandlerResult<StatusCode> {
    let key = key(&owner, name.trim())?;
    app.engine.store().kv().delete(&key, Expected::Any).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn prefix(owner: &str) -> HandlerResult<Prefix> {
    Ok(format!("pad/{owner}/preset/").parse()?)
}

/// A name may contain anything.
fn key(owner: &str, name: &str) -> HandlerResult<Key> {
    Ok(format!("pad/{owner}/preset/{}", Digest::of(name.as_bytes())).parse()?)
}
