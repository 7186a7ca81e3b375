//! Tools: what there is, what is on, and why a call would run or not.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Call, CallId};
use engine::{Room, SwitchedOff};
use policy::ConversationId;
use registry::{Feature, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::{Answer, Fault};

pub(crate) async fn list(State(app): State<App>) -> Answer<Json<Vec<Value>>> {
    let off = app.desk.switched_off().await?;
    let lease = app.desk.registry().lease();
    Ok(Json(app.desk.tools(&lease).map(|tool| line(tool, &off)).collect()))
}

fn line(tool: &Tool, off: &[SwitchedOff]) -> Value {
    let contract = &tool.contract;
    let id = contract.tool_id.as_str();
    let off = off.iter().find(|one| one.tool == id);
    let mut line = json!({
        "id": id,
        "name": tool.item_name().unwrap_or(id),
        "file": tool.handler.file(),
        "flags": {
            "callable": tool.has(Feature::Callable),
            "streaming": tool.has(Feature::Streaming),
            "conditional": tool.has(Feature::Conditional),
            "status": tool.has(Feature::Status),
            "cleanup": tool.has(Feature::Cleanup),
            "auto": contract.auto,
            "oneTime": contract.one_time,
            "asksFirst": contract.requires_confirmation,
            "ui": tool.ui.is_some(),
        },
        "description": contract.description,
        "category": contract.category,
        "sideEffects": contract.side_effects,
        "on": off.is_none(),
        "schema": contract.parameters,
        "doc": crate::markdown::to_html(&tool.documentation),
    });
    if let Some(SwitchedOff { because, .. }) = off {
        line["because"] = because.as_str().into();
    }
    line
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switch {
    on: bool,
}

const BY_HAND: &str = "switched off by hand";

pub(crate) async fn switch(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Switch { on }): Body<Switch>,
) -> Answer<StatusCode> {
    let of_id = |tool: &Tool| tool.contract.tool_id.as_str() == id;
    throw(&app, of_id, on).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchFile {
    file: String,
    on: bool,
}

pub(crate) async fn switch_file(
    State(app): State<App>,
    Body(SwitchFile { file, on }): Body<SwitchFile>,
) -> Answer<StatusCode> {
    throw(&app, |tool| tool.handler.file() == file, on).await
}

async fn throw(app: &App, is_meant: impl Fn(&Tool) -> bool, on: bool) -> Answer<StatusCode> {
    let meant: Vec<String> = {
        let lease = app.desk.registry().lease();
        let meant = app.desk.tools(&lease).filter(|tool| is_meant(tool));
        meant.map(|tool| tool.contract.tool_id.to_string()).collect()
    };
    if meant.is_empty() {
        return Err(Fault::not_found("there is no such tool"));
    }
    for id in meant {
        app.desk.switch(&id, (!on).then_some(BY_HAND)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub(crate) struct Where {
    conversation: Option<String>,
    /// The arguments as JSON.
    args: Option<String>,
}

pub(crate) async fn why(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(tool): Path<String>,
    Query(Where { conversation, args }): Query<Where>,
) -> Answer<Json<Vec<String>>> {
    let args = serde_json::from_str(args.as_deref().unwrap_or("{}"))
        .map_err(|fault| Fault::bad_request(fault.to_string(), "give `args` as JSON"))?;
    let room = room(&app, &owner, conversation.as_deref()).await?;
    let call = Call { id: CallId("page-why".to_owned()), tool, args };
    Ok(Json(app.desk.why(&room, &call).await))
}

/// Where a person stands: in one of the owner's conversations, or in none yet.
pub(crate) async fn room(app: &App, owner: &str, id: Option<&str>) -> Answer<Room> {
    let (conversation, opened, turn) = match id {
        Some(id) => {
            let id = app.shelf.id(owner, id).await?;
            let talk = app.desk.talk(&id).await?;
            (id, talk.opened, talk.turns.last().map_or(0, |turn| turn.number))
        }
        None => (ConversationId(format!("page-{owner}")), None, 0),
    };
    Ok(Room {
        conversation,
        client: owner.to_owned(),
        mode: opened.as_ref().map_or(contract::Mode::Text, |opened| opened.mode),
        turn,
        somebody_to_ask: true,
        model: opened.map(|opened| opened.model),
        active: true,
    })
}
