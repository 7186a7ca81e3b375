//! The cards of a run, its sentences, what people change about them, and words they know.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use cards::{CardChange, CardView, ContextChange, ContextsMax, SentenceView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Reader, key, language, library, run};
use crate::auth::middleware::Owner;
use crate::fault::{HandlerResult, Fault};
use crate::routes::json_body::{JsonBody, Empty};
use crate::state::AppState;

pub(crate) async fn deck(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<Vec<CardView>>> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    let deck = library.deck(&run, ContextsMax::USUAL).await?;
    Ok(Json(deck.cards.into_iter().map(CardView::new).collect()))
}

pub(crate) async fn sentences(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Query(reader): Query<Reader>,
) -> HandlerResult<Json<Vec<SentenceView>>> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    Ok(Json(library.sentences(&run, reader.locale()).await?))
}

/// What becomes of a card; what is not named stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changed {
    card: String,
    front: Option<String>,
    translation: Option<String>,
    /// Other translations of its sentences.
    #[serde(default)]
    contexts: Vec<ChangedContext>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedContext {
    /// Its place on the card, from 0.
    at: usize,
    translation: String,
}

const FIELD_CHARS_MAX: usize = 2_000;

pub(crate) async fn change(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Changed { card, front, translation, contexts }): JsonBody<Changed>,
) -> HandlerResult<StatusCode> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    let texts = front.iter().chain(&translation).chain(contexts.iter().map(|one| &one.translation));
    if texts.into_iter().any(|text| text.chars().count() > FIELD_CHARS_MAX) {
        return Err(Fault::too_large("a field of a card is too long"));
    }
    if front.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Fault::bad_request("the front of a card is empty", "write a word"));
    }
    let change = CardChange {
        base_form: front,
        base_translation: translation,
        visible: None,
        contexts: contexts
            .into_iter()
            .map(|ChangedContext { at, translation }| ContextChange { at, translation })
            .collect(),
    };
    library.change(&run, &key(&card)?, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Visible {
    cards: Vec<String>,
    visible: bool,
}

const CARDS_AT_ONCE_MAX: usize = 5_000;

pub(crate) async fn visible(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Visible { cards, visible }): JsonBody<Visible>,
) -> HandlerResult<StatusCode> {
    if cards.len() > CARDS_AT_ONCE_MAX {
        return Err(Fault::too_large(format!("name at most {CARDS_AT_ONCE_MAX} cards")));
    }
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    let keys = cards.iter().map(|card| key(card)).collect::<HandlerResult<Vec<_>>>()?;
    library.show(&run, keys, visible).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    card: String,
}

pub(crate) async fn restore(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Named { card }): JsonBody<Named>,
) -> HandlerResult<StatusCode> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    library.restore(&run, &key(&card)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn undo(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Json<Value>> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    Ok(Json(json!({ "undone": library.undo(&run).await? })))
}

#[derive(Deserialize)]
pub(crate) struct Of {
    language: String,
}

/// The words that the owner knows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Known {
    words: Vec<String>,
}

pub(crate) async fn known(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Query(of): Query<Of>,
) -> HandlerResult<Json<Known>> {
    let words = library(&app, &owner).known(&language(&of.language)?).await?;
    Ok(Json(Known { words: words.into_iter().collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Learned {
    #[schemars(extend("pattern" = "^[a-z]{2,3}$"))]
    language: String,
    #[serde(default)]
    learned: Vec<String>,
    #[serde(default)]
    forgotten: Vec<String>,
}

const WORDS_AT_ONCE_MAX: usize = 10_000;
const WORD_CHARS_MAX: usize = 200;

pub(crate) async fn set_known(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    JsonBody(Learned { language: code, learned, forgotten }): JsonBody<Learned>,
) -> HandlerResult<StatusCode> {
    let long = |word: &String| word.chars().count() > WORD_CHARS_MAX;
    if learned.len() + forgotten.len() > WORDS_AT_ONCE_MAX
        || learned.iter().chain(&forgotten).any(long)
    {
        return Err(Fault::too_large("these are too many words, or one is too long"));
    }
    let (library, language) = (library(&app, &owner), language(&code)?);
    if !learned.is_empty() {
        library.learn(&language, &learned).await?;
    }
    if !forgotten.is_empty() {
        library.unlearn(&language, &forgotten).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
