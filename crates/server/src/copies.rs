//! Copies of a conversation: branched off at an event, or taken along as a file.

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use engine::{Entry, Record, Talk, TalkEvent, view};
use policy::ConversationId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::conversations::check_room;
use crate::door::Owner;
use crate::fault::{Answer, Fault};
use crate::keyed::{Keys, shown};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct At {
    /// The last event that the copy has.
    event: u64,
}

pub(crate) async fn branch(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(At { event }): Body<At>,
) -> Answer<(StatusCode, Json<Value>)> {
    let line = app.shelf.line(&owner, &id).await?;
    if event == 0 {
        return Err(Fault::bad_request("a copy has at least one event", "give `event` from 1"));
    }
    check_room(&app, &owner).await?;
    let from = ConversationId(line.id);
    let records = app.desk.talk_events(&from).await?;
    // An answer that was all there is has its end with it.
    let next = records.iter().find(|record| record.sequence == event.saturating_add(1));
    let ends = |record: &&Record| matches!(record.event, TalkEvent::Ended { .. });
    let last = next.filter(ends).map_or(event, |end| end.sequence);
    let copy = app.shelf.add(&owner, Some(&line.title)).await?;
    let to = ConversationId(copy.id.clone());
    app.desk.fork(&from, last, &to).await?;
    app.shelf.changed(&owner, &to).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": copy.id }))))
}

#[derive(Deserialize)]
pub(crate) struct As {
    #[serde(rename = "as")]
    kind: Option<String>,
}

/// What people have seen, and nothing that only the model reads.
pub(crate) async fn export(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Query(As { kind }): Query<As>,
) -> Answer<Response> {
    let line = app.shelf.line(&owner, &id).await?;
    let talk = app.desk.talk(&ConversationId(line.id.clone())).await?;
    match kind.as_deref() {
        None | Some("json") => Ok(Json(in_json(&line.title, &talk)).into_response()),
        Some("md") => {
            let kind = [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")];
            Ok((kind, in_markdown(&line.title, &talk)).into_response())
        }
        Some(_) => Err(Fault::bad_request("there is no such form", "give `as=json` or `as=md`")),
    }
}

fn in_json(title: &str, talk: &Talk) -> Value {
    let mut keys = Keys::default();
    let entries: Vec<_> = view(talk).iter().map(|entry| shown(&keys.of(entry), entry)).collect();
    json!({ "title": title, "entries": entries })
}

fn in_markdown(title: &str, talk: &Talk) -> String {
    let said = view(talk).into_iter().filter_map(|entry| match entry {
        Entry::User { text, .. } => Some(format!("## You\n\n{text}\n")),
        Entry::Assistant { text, .. } => Some(format!("{text}\n")),
        Entry::System { text, .. } => Some(format!("> {}\n", text.replace('\n', "\n> "))),
        Entry::Step(step) => Some(format!("*`{}`*\n", step.tool)),
        Entry::Thinking { .. } | Entry::Ended { .. } => None,
    });
    let said: Vec<_> = said.collect();
    format!("# {title}\n\n{}", said.join("\n"))
}
