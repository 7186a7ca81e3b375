//! How a word or a sentence of a card sounds, from the speech server of the operator.
//!
//! Must hold: only texts of the owner's own cards are read aloud, so that nobody makes the
//! server read whatever they like.

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use cards::{CardKey, CardsFault, ContextsMax};
use serde::Deserialize;
use server::{Caller, Fault};

use crate::request::library;
use crate::{CardsState, HandlerResult};

#[derive(Deserialize)]
pub(crate) struct SpeechQuery {
    card: String,
    /// A sentence of the card, from 0; the word without it.
    context: Option<usize>,
}

pub(crate) async fn speech(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Query(SpeechQuery { card, context }): Query<SpeechQuery>,
) -> HandlerResult<Response> {
    let Some(speaker) = &state.speaker else {
        return Err(Fault::not_found("no speech server is set up").into());
    };
    let key: CardKey = card.parse().map_err(|_| Fault::not_found("there is no such card"))?;
    let words = library(&state, &caller).words(&key.pair(), ContextsMax::USUAL).await?;
    let card = words.get(&key).ok_or_else(|| CardsFault::NoCard(key.to_string()))?;
    let text = match context {
        None => Some(card.card.base_form.clone()),
        Some(at) => card.card.contexts.get(at).map(|context| context.text.clone()),
    };
    let text = text.ok_or_else(|| Fault::not_found("the card has no such sentence"))?;
    let sound = speaker(text, key.language.clone()).await.map_err(|why| {
        Fault::conflict(format!("the speech server did not answer: {why}"), "look at its log")
    })?;
    Ok(([(header::CONTENT_TYPE, "audio/mpeg")], sound.bytes).into_response())
}
