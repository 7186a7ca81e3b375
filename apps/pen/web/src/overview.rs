//! What the page needs first: the model, the profiles, the platforms, the drafts.

use axum::extract::{Query, State};
use axum::{Extension, Json};
use pen::session::{DraftList, erase_drafts};
use pen::{Now, Platform};
use serde_json::{Value, json};
use server::Caller;

use crate::draft_view::summary;
use crate::feedback_buttons::feedback_buttons;
use crate::request::{LangQuery, blocking};
use crate::{HandlerResult, PenState};

pub(crate) async fn show(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<LangQuery>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    let (lang, pen) = (query.lang(), state.pen.clone());
    let profiles = blocking(move || pen.workspace().list(lang)).await?;
    let remote = state.pen.remote();
    let notion = match &remote.notion {
        Some(notion) if notion.can_write() => "ready",
        Some(_) => "no_database",
        None => "off",
    };
    Ok(Json(json!({
        "model": state.desk.model().map(|model| model.facts().to_string()),
        "notion": notion,
        "search": remote.search.is_some(),
        "folder": state.pen.workspace().root().display().to_string(),
        "profiles": profiles,
        "platforms": Platform::ALL.map(platform),
        "feedback": feedback_buttons(lang),
        "characters": state.limits.text_chars_max,
        "drafts": drafts(&state).await?,
    })))
}

pub(crate) async fn list(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
) -> HandlerResult<Json<Vec<Value>>> {
    state.admit(&caller)?;
    Ok(Json(drafts(&state).await?))
}

async fn drafts(state: &PenState) -> HandlerResult<Vec<Value>> {
    let DraftList { drafts, to_erase } = state.drafts.list(Now::read()).await?;
    if let Err(fault) = erase_drafts(state.desk.engine(), &to_erase).await {
        tracing::warn!(%fault, "a deleted draft could not be erased; the next list tries again");
    }
    let shown = drafts.into_iter().take(state.limits.drafts_listed_max).map(|listed| {
        let mut line = summary(&listed.id, &listed.line);
        line["busy"] = state.desk.state(&listed.id).busy.into();
        line
    });
    Ok(shown.collect())
}

fn platform(platform: Platform) -> Value {
    json!({
        "name": platform,
        "limit": platform.limit(),
        "fold": platform.fold(),
        "hashtagsMax": platform.hashtags_max(),
    })
}
