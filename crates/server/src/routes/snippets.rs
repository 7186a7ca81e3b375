//! The owner's library of snippets, by kind.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::{Expected, Expiry, Key, PageRequest, Pages, Prefix};

use crate::auth::middleware::Owner;
use crate::auth::tokens::random_name;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

pub(crate) use crate::routes::settings::system_of;

type Fields = Map<String, Value>;

const SNIPPETS_SHOWN_MAX: usize = 1_000;

fn snippet_key(owner: &str, kind: &str, id: &str) -> HandlerResult<Key> {
    Ok(format!("{}{id}", prefix_of(owner, kind)?).parse()?)
}

/// Kinds contain no `/`, so that none is a prefix of another's keys.
fn prefix_of(owner: &str, kind: &str) -> HandlerResult<String> {
    let plain = kind.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    match plain && (1..=64).contains(&kind.len()) {
        true => Ok(format!("pad/{owner}/library/{kind}/")),
        false => Err(Fault::bad_request("unknown kind of snippet", "use a-z 0-9 - _")),
    }
}

/// The id of what was created.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Created {
    pub id: String,
}

/// A kind of snippets, and how many there are.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SnippetKind {
    #[serde(rename = "type")]
    name: String,
    count: usize,
}

pub(crate) async fn kinds(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<SnippetKind>>> {
    let library = format!("pad/{owner}/library/");
    let prefix: Prefix = library.parse()?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        for key in pages.items(app.engine.store().kv().keys(&prefix, request).await?) {
            let rest = key.as_str().strip_prefix(&library).unwrap_or_default();
            *counts.entry(rest.split('/').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    Ok(Json(counts.into_iter().map(|(name, count)| SnippetKind { name, count }).collect()))
}

pub(crate) async fn snippets(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(kind): Path<String>,
) -> HandlerResult<Json<Vec<Value>>> {
    let home = prefix_of(&owner, &kind)?;
    let prefix: Prefix = home.parse()?;
    let page = PageRequest::first(SNIPPETS_SHOWN_MAX);
    let found = app.engine.store().kv().list(&prefix, page).await?;
    let snippets = found.items.iter().filter_map(|entry| {
        let mut snippet: Value = entry.value.to().ok()?;
        snippet["id"] = entry.key.as_str().strip_prefix(&home)?.into();
        Some(snippet)
    });
    Ok(Json(snippets.collect()))
}

pub(crate) async fn add_snippet(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(kind): Path<String>,
    JsonBody(fields): JsonBody<Fields>,
) -> HandlerResult<(StatusCode, Json<Created>)> {
    let home: Prefix = prefix_of(&owner, &kind)?.parse()?;
    let page = PageRequest::first(SNIPPETS_SHOWN_MAX);
    if app.engine.store().kv().keys(&home, page).await?.items.len() >= SNIPPETS_SHOWN_MAX {
        return Err(Fault::too_many("there are too many snippets of this kind; remove some"));
    }
    let id = random_name().map_err(|fault| Fault::ours(&fault))?;
    write(&app, &snippet_key(&owner, &kind, &id)?, fields, Expected::Absent).await?;
    Ok((StatusCode::CREATED, Json(Created { id })))
}

pub(crate) async fn snippet(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((kind, id)): Path<(String, String)>,
) -> HandlerResult<Json<Value>> {
    let found = read(&app, &snippet_key(&owner, &kind, &id)?).await?;
    found.map(Json).ok_or_else(|| Fault::not_found("there is no such snippet"))
}

/// Writing the same id again replaces the snippet.
pub(crate) async fn set_snippet(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((kind, id)): Path<(String, String)>,
    JsonBody(fields): JsonBody<Fields>,
) -> HandlerResult<StatusCode> {
    write(&app, &snippet_key(&owner, &kind, &id)?, fields, Expected::Any).await
}

pub(crate) async fn remove_snippet(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((kind, id)): Path<(String, String)>,
) -> HandlerResult<StatusCode> {
    let key = snippet_key(&owner, &kind, &id)?;
    app.engine.store().kv().delete(&key, Expected::Any).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn read(app: &AppState, key: &Key) -> HandlerResult<Option<Value>> {
    match app.engine.store().kv().get(key).await? {
        Some(entry) => entry.value.to().map(Some).map_err(|bad| Fault::ours(&bad)),
        None => Ok(None),
    }
}

async fn write(
    app: &AppState,
    key: &Key,
    fields: Fields,
    expected: Expected,
) -> HandlerResult<StatusCode> {
    if fields.get("title").is_some_and(|title| !title.is_string() && !title.is_null()) {
        return Err(Fault::bad_request("`title` must be a string", "give `title` a text"));
    }
    let json = store::Json::of(&Value::Object(fields))?;
    app.engine.store().kv().set(key, json, expected, Expiry::Never).await?;
    Ok(StatusCode::NO_CONTENT)
}
