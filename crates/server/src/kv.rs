//! The owner's keys, as tools keep them and the page shows them.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::tool_keys;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Expected, Expiry, Key};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::{Answer, Fault};

const KEYS_MAX: usize = 200;

/// A key below the owner's own home; no key leads out of it.
fn home_key(owner: &str, key: &str) -> Answer<Key> {
    Ok(format!("{}{key}", tool_keys(owner)).parse()?)
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    keys: String,
}

pub(crate) async fn get_some(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(Wanted { keys }): Query<Wanted>,
) -> Answer<Json<Value>> {
    let names: Vec<_> = keys.split(',').filter(|name| !name.is_empty()).collect();
    if names.len() > KEYS_MAX {
        return Err(Fault::too_large(format!("at most {KEYS_MAX} keys at once")));
    }
    let mut values = Map::new();
    for name in names {
        let found = app.desk.store().kv().get(&home_key(&owner, name)?).await?;
        let value = match found {
            Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad))?,
            None => Value::Null,
        };
        values.insert(name.to_owned(), value);
    }
    Ok(Json(Value::Object(values)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
    value: Value,
}

pub(crate) async fn set(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    Body(New { value }): Body<New>,
) -> Answer<StatusCode> {
    let (key, json) = (home_key(&owner, &key)?, store::Json::of(&value)?);
    app.desk.store().kv().set(&key, json, Expected::Any, Expiry::Unchanged).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
) -> Answer<StatusCode> {
    app.desk.store().kv().delete(&home_key(&owner, &key)?, Expected::Any).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub(crate) struct Part {
    start: Option<i64>,
    stop: Option<i64>,
}

pub(crate) async fn range(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    Query(Part { start, stop }): Query<Part>,
) -> Answer<Json<Value>> {
    let key = home_key(&owner, &key)?;
    let kv = app.desk.store().kv();
    let items = kv.lrange(&key, start.unwrap_or(0), stop.unwrap_or(-1)).await?;
    let items: Result<Vec<Value>, _> = items.iter().map(store::Json::to).collect();
    let items = items.map_err(|bad| Fault::ours(&bad))?;
    Ok(Json(json!({ "items": items, "len": kv.llen(&key).await? })))
}

pub(crate) async fn push(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(key): Path<String>,
    Body(New { value }): Body<New>,
) -> Answer<Json<Value>> {
    let (key, json) = (home_key(&owner, &key)?, store::Json::of(&value)?);
    let edited = app.desk.store().kv().rpush(&key, vec![json]).await?;
    Ok(Json(json!({ "len": edited.len })))
}

pub(crate) async fn remove_item(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((key, index)): Path<(String, i64)>,
) -> Answer<Json<Value>> {
    let edited = app.desk.store().kv().lremove_at(&home_key(&owner, &key)?, index).await?;
    Ok(Json(json!({ "len": edited.len, "removed": edited.taken.is_some() })))
}
