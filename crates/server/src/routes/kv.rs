//! The owner's keys, which tools write and the page shows.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use services::{PlaceholderNames, tool_kv_prefix};
use store::{Expected, Expiry, Key};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

const KEYS_MAX: usize = 200;
const ITEMS_MAX: usize = 1_000;

/// A key below the owner's prefix.
fn home_key(owner: &str, key: &str) -> HandlerResult<Key> {
    Ok(format!("{}{key}", tool_kv_prefix(owner)).parse()?)
}

/// `key=` for each key, or `keys=` with commas; `conversation=` fills in the placeholders of
/// that conversation.
pub(crate) async fn get_some(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(asked): Query<Vec<(String, String)>>,
) -> HandlerResult<Json<Map<String, Value>>> {
    let (mut names, mut conversation) = (Vec::new(), None);
    for (what, value) in asked {
        match what.as_str() {
            "key" => names.push(value),
            "keys" => names.extend(value.split(',').map(str::to_owned)),
            "conversation" => conversation = Some(value),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    if names.len() > KEYS_MAX {
        return Err(Fault::too_large(format!("at most {KEYS_MAX} keys at once")));
    }
    let filler = filler(&app, &owner, conversation).await?;
    let mut values = Map::new();
    for name in names {
        let found = app.engine.store().kv().get(&home_key(&owner, &name)?).await?;
        let value = match found {
            Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad))?,
            None => Value::Null,
        };
        let value = match &filler {
            Some(names) => names.fill_value(value),
            None => value,
        };
        values.insert(name, value);
    }
    Ok(Json(values))
}

/// The placeholders of the conversation.
async fn filler(
    app: &AppState,
    owner: &str,
    conversation: Option<String>,
) -> HandlerResult<Option<PlaceholderNames>> {
    Ok(match conversation.filter(|id| !id.is_empty()) {
        Some(id) => Some(
            services::names_in(app.engine.store(), owner, &app.index.id(owner, &id).await?).await?,
        ),
        None => None,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewValue {
    value: Value,
}

pub(crate) async fn set(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    JsonBody(NewValue { value }): JsonBody<NewValue>,
) -> HandlerResult<StatusCode> {
    let (key, json) = (home_key(&owner, &key)?, store::Json::of(&value)?);
    app.engine.check_space(&owner, &key, json.as_str().len()).await?;
    app.engine.store().kv().set(&key, json, Expected::Any, Expiry::Unchanged).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
) -> HandlerResult<StatusCode> {
    app.engine.store().kv().delete(&home_key(&owner, &key)?, Expected::Any).await?;
    app.engine.freed_space(&owner);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub(crate) struct RangeQuery {
    start: Option<i64>,
    stop: Option<i64>,
    conversation: Option<String>,
}

/// A range of a list, and the length of the whole.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ListRange {
    items: Vec<Value>,
    len: usize,
}

pub(crate) async fn range(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    Query(RangeQuery { start, stop, conversation }): Query<RangeQuery>,
) -> HandlerResult<Json<ListRange>> {
    let filler = filler(&app, &owner, conversation).await?;
    let key = home_key(&owner, &key)?;
    let kv = app.engine.store().kv();
    let items = kv.lrange(&key, start.unwrap_or(0), stop.unwrap_or(-1)).await?;
    let items = items.iter().take(ITEMS_MAX).map(store::Json::to);
    let items = items.collect::<Result<Vec<Value>, _>>().map_err(|bad| Fault::ours(&bad))?;
    let items = match &filler {
        Some(names) => items.into_iter().map(|item| names.fill_value(item)).collect(),
        None => items,
    };
    Ok(Json(ListRange { items, len: kv.llen(&key).await? }))
}

/// The length of a list after a change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ListChange {
    len: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<bool>,
}

pub(crate) async fn push(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    JsonBody(NewValue { value }): JsonBody<NewValue>,
) -> HandlerResult<Json<ListChange>> {
    let (key, json) = (home_key(&owner, &key)?, store::Json::of(&value)?);
    app.engine.check_space(&owner, &key, json.as_str().len()).await?;
    let edited = app.engine.store().kv().rpush(&key, vec![json]).await?;
    Ok(Json(ListChange { len: edited.len, removed: None }))
}

pub(crate) async fn remove_item(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((key, index)): Path<(String, i64)>,
) -> HandlerResult<Json<ListChange>> {
    let edited = app.engine.store().kv().lremove_at(&home_key(&owner, &key)?, index).await?;
    Ok(Json(ListChange { len: edited.len, removed: Some(edited.taken.is_some()) }))
}
