//! Conversations: listed, begun, shown, removed.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::Mode;
use engine::{Opened, Talk, WaitsFor, view};
use policy::ConversationId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::{Answer, Fault};
use crate::kept::system_of;
use crate::keyed::{Keys, shown};
use crate::shelf::Line;

#[derive(Deserialize)]
pub(crate) struct Search {
    search: Option<String>,
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(Search { search }): Query<Search>,
) -> Answer<Json<Vec<Line>>> {
    let mut lines = app.shelf.list(&owner).await?;
    if let Some(wanted) = search.map(|text| text.to_lowercase()).filter(|text| !text.is_empty()) {
        lines.retain(|line| line.title.to_lowercase().contains(&wanted));
    }
    Ok(Json(lines))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
    title: Option<String>,
    model: Option<String>,
    mode: Option<Mode>,
}

pub(crate) async fn create(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Body(New { title, model, mode }): Body<New>,
) -> Answer<(StatusCode, Json<Value>)> {
    let ours = app.model.facts().to_string();
    if model.is_some_and(|wanted| wanted != ours) {
        return Err(Fault::bad_request("this server has no such model", format!("use {ours}")));
    }
    if app.shelf.list(&owner).await?.len() >= app.limits.conversations_per_owner_max {
        return Err(Fault::too_many("there are too many conversations; remove some"));
    }
    let system = system_of(&app, &owner).await?;
    let line = app.shelf.add(&owner, title.as_deref()).await?;
    let opened = Opened {
        client: owner,
        mode: mode.unwrap_or(Mode::Text),
        model: ours,
        system,
        rounds_max: app.rounds_max,
    };
    app.desk.open_talk(&ConversationId(line.id.clone()), opened).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": line.id }))))
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> Answer<Json<Value>> {
    let line = app.shelf.line(&owner, &id).await?;
    let id = ConversationId(line.id.clone());
    let records = app.desk.talk_events(&id).await?;
    let talk = Talk::read(records.iter().map(|record| &record.event));
    let mut keys = Keys::default();
    let entries: Vec<_> = view(&talk).iter().map(|entry| shown(&keys.of(entry), entry)).collect();
    Ok(Json(json!({
        "id": line.id,
        "title": line.title,
        "model": talk.opened.as_ref().map(|opened| &opened.model),
        "mode": talk.opened.as_ref().map(|opened| opened.mode),
        "entries": entries,
        "open": talk.open_turn().is_some(),
        "running": app.runner.is_running(&id),
        "waiting": waiting(&talk),
        "last": records.last().map_or(0, |record| record.sequence),
    })))
}

fn waiting(talk: &Talk) -> Vec<Value> {
    let waiting = talk.open_turn().into_iter().flat_map(|turn| &turn.waiting);
    waiting
        .map(|(call, what)| match what {
            WaitsFor::Approval { request, preview } => {
                json!({ "call": call, "request": request, "preview": preview })
            }
            WaitsFor::Knowledge { tool } => json!({ "call": call, "inDoubt": tool }),
        })
        .collect()
}

pub(crate) async fn remove(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> Answer<StatusCode> {
    let id = app.shelf.id(&owner, &id).await?;
    let _slot = app.runner.reserve(&id)?;
    app.desk.forget_talk(&id).await?;
    app.shelf.remove(&owner, &id.0).await?;
    Ok(StatusCode::NO_CONTENT)
}
