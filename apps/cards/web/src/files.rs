//! Exports cards to files and imports them.

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use cards::{
    AnkiOptions, ContextsMax, ExportHead, ImportPreview, Strategy, csv, json, jsonl, read_cards,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use server::{Caller, Fault, JsonBody};

use crate::request::{library, pair, recalls, run};
use crate::{CardsState, HandlerResult};

#[derive(Deserialize)]
pub(crate) struct ExportQuery {
    #[serde(rename = "as")]
    kind: Option<String>,
    locale: Option<String>,
    /// For a package: a list of meaning, word and gap.
    recall: Option<String>,
}

pub(crate) async fn export(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(ExportQuery { kind, locale, recall }): Query<ExportQuery>,
) -> HandlerResult<Response> {
    let library = library(&state, &caller);
    let head = library.find(Some(&run(&library, &id).await?)).await?;
    let cards = library.deck(&head.id, ContextsMax::USUAL).await?.cards;
    let pair = head.pair();
    let kind = kind.as_deref().unwrap_or("json");
    let broken = |fault: serde_json::Error| Fault::ours(&fault);
    let (media, bytes) = match kind {
        "json" => {
            let locale = locale.as_deref().unwrap_or("en");
            let above = ExportHead::new(&head.document, &pair, locale, library.now());
            ("application/json", json(&cards, &above).map_err(broken)?.into_bytes())
        }
        "jsonl" => ("application/jsonl", jsonl(&cards).map_err(broken)?.into_bytes()),
        "csv" => ("text/csv; charset=utf-8", csv(&cards).map_err(|fault| Fault::ours(&fault))?),
        "txt" => {
            let text = library.anki_text(&head.id, ContextsMax::USUAL).await?;
            ("text/plain; charset=utf-8", text.into_bytes())
        }
        "apkg" => {
            let recalls = recalls(recall.as_deref())?;
            let sounds = sounds(&state, &cards).await;
            let options = AnkiOptions { recalls, sounds, ..AnkiOptions::usual() };
            ("application/octet-stream", library.anki_package(&head.id, &options).await?)
        }
        _ => {
            let fix = "set `as` to json, jsonl, csv, txt or apkg";
            return Err(Fault::bad_request("unknown format", fix).into());
        }
    };
    let name = format!("attachment; filename=\"{}.{kind}\"", head.id);
    let headers = [(header::CONTENT_TYPE, media.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, bytes).into_response())
}

/// The sounds of the words, where a speech server is set up.
pub(crate) async fn sounds(state: &CardsState, cards: &[cards::DeckCard]) -> cards::Sounds {
    match &state.speaker {
        Some(speaker) => cards::sounds_of(cards, speaker).await.0,
        None => cards::Sounds::new(),
    }
}

/// A file with cards.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CardsFile {
    name: String,
    content: String,
    /// The run to import into; without it, a new one.
    into: Option<String>,
    /// replace-all, merge-keep-local or merge-prefer-imported.
    #[schemars(extend("enum" = ["replace-all", "merge-keep-local", "merge-prefer-imported", null]))]
    strategy: Option<String>,
    /// Report what would change, and write nothing.
    #[serde(default)]
    preview: bool,
    from: String,
    to: String,
}

pub(crate) async fn import(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    JsonBody(file): JsonBody<CardsFile>,
) -> HandlerResult<Json<Value>> {
    let library = library(&state, &caller);
    let strategy = match &file.strategy {
        Some(name) => name.parse().map_err(|bad: String| Fault::bad_request(bad, "take one"))?,
        None => Strategy::MergeKeepLocal,
    };
    let into = match &file.into {
        Some(id) => Some(library.find(Some(&run(&library, id).await?)).await?),
        None => None,
    };
    let pair = match &into {
        Some(head) => head.pair(),
        None => pair(&file.from, &file.to)?,
    };
    let cards = read_cards(&file.content, &pair)?;
    let head = match (into, file.preview) {
        (Some(head), _) => head,
        (None, true) => return Ok(Json(import_report(None, &all_new(&cards)))),
        (None, false) => library.begin_imported(&file.name, &pair, file.content.as_bytes()).await?,
    };
    let preview = library.preview_import(&head.id, &cards, strategy).await?;
    if !file.preview {
        library.import(&head.id, &cards, strategy).await?;
    }
    Ok(Json(import_report(Some(head.id.as_str()), &preview)))
}

fn all_new(cards: &[cards::Card]) -> ImportPreview {
    let added = cards.iter().map(cards::Card::key).collect();
    ImportPreview { added, changed: Vec::new(), removed: Vec::new(), kept: 0 }
}

fn import_report(run: Option<&str>, preview: &ImportPreview) -> Value {
    serde_json::json!({ "run": run, "preview": preview })
}
