//! Work on a draft: the first text, the author's words, the author's own edits, and a stop.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Caller, Empty, JsonBody};

use crate::request::LangQuery;
use crate::seat::{Order, Work};
use crate::{HandlerResult, PenState};

/// The longest line of the author.
const LINE_CHARS_MAX: usize = 4_000;

type Begun = (StatusCode, Json<Value>);

fn begun() -> Begun {
    (StatusCode::ACCEPTED, Json(json!({ "busy": true })))
}

pub(crate) async fn write(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Begun> {
    state.admit(&caller)?;
    state.draft(&id).await?;
    state.desk.order(&id, Order { work: Work::Write, lang: query.lang() })?;
    Ok(begun())
}

/// What the author says of a draft, as in a session: a remark, an edit, «зберігай», `undo`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    line: String,
    /// The text as the author has edited it; it counts before the line does.
    text: Option<String>,
}

pub(crate) async fn say(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
    JsonBody(Line { line, text }): JsonBody<Line>,
) -> HandlerResult<Begun> {
    state.admit(&caller)?;
    state.fits(text.as_deref().unwrap_or_default())?;
    if line.chars().count() > LINE_CHARS_MAX {
        return Err(server::Fault::too_large("the remark is too long").into());
    }
    state.draft(&id).await?;
    state.desk.order(&id, Order { work: Work::Say { text, line }, lang: query.lang() })?;
    Ok(begun())
}

/// The text as the author has edited it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edited {
    text: String,
}

pub(crate) async fn edit(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
    JsonBody(Edited { text }): JsonBody<Edited>,
) -> HandlerResult<Begun> {
    state.admit(&caller)?;
    state.fits(&text)?;
    state.draft(&id).await?;
    state.desk.order(&id, Order { work: Work::Edit { text }, lang: query.lang() })?;
    Ok(begun())
}

pub(crate) async fn stop(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Begun> {
    state.admit(&caller)?;
    state.draft(&id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": state.desk.stop(&id) }))))
}
