//! The cards and sentences of a run, edits of cards, and known words.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use cards::{CardChange, CardView, ContextChange, ContextsMax, SentenceView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::{Caller, Empty, Fault, JsonBody};

use crate::request::{ReaderQuery, key, language, library, run, run_info};
use crate::{CardsState, HandlerResult};

pub(crate) async fn deck(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> HandlerResult<Json<Vec<CardView>>> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    let deck = library.deck(&run, ContextsMax::USUAL).await?;
    Ok(Json(deck.cards.into_iter().map(CardView::new).collect()))
}

pub(crate) async fn sentences(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(reader): Query<ReaderQuery>,
) -> HandlerResult<Json<Vec<SentenceView>>> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    Ok(Json(library.sentences(&run, reader.locale()).await?))
}

/// Changes of a card; missing fields stay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CardEdit {
    card: String,
    front: Option<String>,
    translation: Option<String>,
    /// New translations of its sentences.
    #[serde(default)]
    contexts: Vec<ContextEdit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextEdit {
    /// Its index on the card, from 0.
    at: usize,
    /// The sentence's signature; it counts more than the index, which other texts change.
    sig: Option<String>,
    translation: String,
}

const FIELD_CHARS_MAX: usize = 2_000;

pub(crate) async fn change(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(CardEdit { card, front, translation, contexts }): JsonBody<CardEdit>,
) -> HandlerResult<StatusCode> {
    let library = library(&state, &caller);
    let head = run_info(&library, &id).await?;
    let texts = front.iter().chain(&translation).chain(contexts.iter().map(|one| &one.translation));
    if texts.into_iter().any(|text| text.chars().count() > FIELD_CHARS_MAX) {
        return Err(Fault::too_large("a field of the card is too long").into());
    }
    if front.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Fault::bad_request("the front of the card is empty", "write a word").into());
    }
    let change = CardChange {
        base_form: front,
        base_translation: translation,
        visible: None,
        contexts: contexts
            .into_iter()
            .map(|ContextEdit { at, sig, translation }| ContextChange { at, sig, translation })
            .collect(),
    };
    library.change(&head.id, &key(&card, &head)?, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CardVisibility {
    cards: Vec<String>,
    visible: bool,
}

const CARDS_AT_ONCE_MAX: usize = 5_000;

pub(crate) async fn visible(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(CardVisibility { cards, visible }): JsonBody<CardVisibility>,
) -> HandlerResult<StatusCode> {
    if cards.len() > CARDS_AT_ONCE_MAX {
        return Err(Fault::too_large(format!("name at most {CARDS_AT_ONCE_MAX} cards")).into());
    }
    let library = library(&state, &caller);
    let head = run_info(&library, &id).await?;
    let keys = cards.iter().map(|card| key(card, &head)).collect::<HandlerResult<Vec<_>>>()?;
    library.show(&head.id, keys, visible).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CardName {
    card: String,
}

pub(crate) async fn restore(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(CardName { card }): JsonBody<CardName>,
) -> HandlerResult<StatusCode> {
    let library = library(&state, &caller);
    let head = run_info(&library, &id).await?;
    library.restore(&head.id, &key(&card, &head)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn undo(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Json<Value>> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    Ok(Json(json!({ "undone": library.undo(&run).await? })))
}

#[derive(Deserialize)]
pub(crate) struct LanguageQuery {
    language: String,
}

/// The words that the owner knows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KnownWords {
    words: Vec<String>,
}

pub(crate) async fn known(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Query(of): Query<LanguageQuery>,
) -> HandlerResult<Json<KnownWords>> {
    let words = library(&state, &caller).known(&language(&of.language)?).await?;
    Ok(Json(KnownWords { words: words.into_iter().collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownWordsChange {
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
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    JsonBody(KnownWordsChange { language: code, learned, forgotten }): JsonBody<KnownWordsChange>,
) -> HandlerResult<StatusCode> {
    let long = |word: &String| word.chars().count() > WORD_CHARS_MAX;
    if learned.len() + forgotten.len() > WORDS_AT_ONCE_MAX
        || learned.iter().chain(&forgotten).any(long)
    {
        return Err(Fault::too_large("too many words, or a word is too long").into());
    }
    let (library, language) = (library(&state, &caller), language(&code)?);
    if !learned.is_empty() {
        library.learn(&language, &learned).await?;
    }
    if !forgotten.is_empty() {
        library.unlearn(&language, &forgotten).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
