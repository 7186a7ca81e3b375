//! Pushes cards into the Anki that runs beside the server.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use cards::{AnkiCaller, AnkiOptions, PushReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Caller, Fault, JsonBody};

use crate::files::sounds;
use crate::request::{library, recalls, run_info};
use crate::{CardsState, HandlerResult};

/// What the notes ask for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PushWish {
    /// A list of meaning, word and gap; the meaning if it is not named.
    #[schemars(extend("pattern" = "^(meaning|word|gap)(,(meaning|word|gap))*$"))]
    recall: Option<String>,
}

/// What was done in Anki.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pushed {
    added: usize,
    updated: usize,
    unchanged: usize,
    /// Fields that a person changed in Anki; they stay as they are.
    kept_fields: usize,
}

impl CardsState {
    /// The Anki that this caller may use. It is the operator's own, whoever else has cards here.
    pub(crate) fn anki_of(&self, caller: &Caller) -> Option<&AnkiCaller> {
        let anki = self.anki.as_ref()?;
        let is_theirs = anki.operator.as_ref().is_none_or(|operator| *operator == caller.owner);
        is_theirs.then_some(&anki.call)
    }
}

pub(crate) async fn push(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(PushWish { recall }): JsonBody<PushWish>,
) -> HandlerResult<Json<Pushed>> {
    let library = library(&state, &caller);
    let head = run_info(&library, &id).await?;
    let recalls = recalls(recall.as_deref())?;
    let Some(anki) = state.anki_of(&caller) else {
        let what = "the Anki beside this server is its operator's";
        return Err(Fault::forbidden(what, "export a package and open it in your Anki").into());
    };
    let options = AnkiOptions { recalls, ..AnkiOptions::usual() };
    let cards = library.deck(&head.id, options.contexts_max).await?.cards;
    let options = AnkiOptions { sounds: sounds(&state, &cards).await, ..options };
    let report = library.push(&head.id, &options, &**anki).await?;
    let PushReport { added, updated, unchanged, kept_fields } = report;
    Ok(Json(Pushed { added, updated, unchanged, kept_fields }))
}
