//! Runs of an owner: created, listed, worked on, retried, deleted.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use cards::{Library, NewRun, RetryScope, RunId, RunInfo, Sending};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Caller, Empty, Fault, JsonBody};

use crate::request::{ReaderQuery, key, library, pair, run, run_info};
use crate::{CardsState, HandlerResult};

/// Runs in the list.
const RUNS_SHOWN: usize = 10;

pub(crate) async fn list(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Query(reader): Query<ReaderQuery>,
) -> HandlerResult<Json<Value>> {
    let library = library(&state, &caller);
    let mut runs = Vec::new();
    let fits = |head: &RunInfo| head.sentences <= state.limits.sentences_listed_max;
    for head in library.runs().await?.into_iter().filter(fits).take(RUNS_SHOWN) {
        let mut run = json!(library.view(&head.id, reader.locale()).await?);
        run["busy"] = state.workers.is_busy(&head.id).into();
        runs.push(run);
    }
    let by = &state.workers.by;
    Ok(Json(json!({
        "runs": runs,
        "model": by.model.facts().to_string(),
        "rehearsal": by.model.facts().provider == "rehearsal",
        "batches": state.workers.takes_batches(),
        "characters": state.limits.text_chars_max,
        "speech": state.speaker.is_some(),
        "anki": state.anki_of(&caller).is_some(),
    })))
}

/// A text to make cards from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateRun {
    #[schemars(extend("pattern" = "\\S"))]
    text: String,
    /// Its title.
    #[serde(default)]
    name: String,
    from: String,
    to: String,
}

pub(crate) async fn begin(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Query(reader): Query<ReaderQuery>,
    JsonBody(CreateRun { text, name, from, to }): JsonBody<CreateRun>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let max = state.limits.text_chars_max;
    if text.chars().count() > max {
        return Err(Fault::too_large(format!("the text has more than {max} characters")).into());
    }
    let library = library(&state, &caller);
    if library.runs().await?.len() >= state.limits.runs_per_owner_max {
        return Err(Fault::too_many("there are too many runs").into());
    }
    let name = name.trim();
    let document = if name.is_empty() { title(&text) } else { name.to_owned() };
    let beginning = NewRun { document, pair: pair(&from, &to)?, chunking: state.chunking };
    let head = library.begin(&text, &beginning).await?;
    Ok((StatusCode::CREATED, Json(shown(&state, &library, &head.id, reader.locale()).await?)))
}

/// The first words of a text without a title.
fn title(text: &str) -> String {
    const TITLE_CHARS: usize = 40;
    let mut title = String::new();
    for word in text.split_whitespace() {
        let longer = format!("{title} {word}");
        if !title.is_empty() && longer.chars().count() > TITLE_CHARS {
            return title + " …";
        }
        title = longer.trim_start().chars().take(TITLE_CHARS).collect();
    }
    title
}

pub(crate) async fn show(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(reader): Query<ReaderQuery>,
) -> HandlerResult<Json<Value>> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    Ok(Json(shown(&state, &library, &run, reader.locale()).await?))
}

/// A run with everything that the page shows about it.
async fn shown(
    state: &CardsState,
    library: &Library,
    run: &RunId,
    locale: &str,
) -> HandlerResult<Value> {
    let facts = state.workers.by.model.facts();
    let mut shown = json!(library.view(run, locale).await?);
    shown["busy"] = state.workers.is_busy(run).into();
    shown["counts"] = json!(library.counts(run).await?);
    shown["estimate"] = json!(library.estimate(run, facts, Sending::Live).await?);
    Ok(shown)
}

/// How to send the requests, and what they may cost.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkRequest {
    /// At half the price, within a day.
    #[serde(default)]
    pub batch: bool,
    /// In dollars, for the whole run.
    pub max_cost: Option<f64>,
    /// Do not wait for a batch that may never have been sent; send it again.
    #[serde(default)]
    again: bool,
}

pub(crate) async fn work(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(order): JsonBody<WorkRequest>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    if order.again {
        library.forget_batch(&run).await?;
    }
    state.workers.start(&caller.owner, &library, &run, &order).await?;
    Ok((
        StatusCode::ACCEPTED,
        Json(json!({ "sentences": library.find(Some(&run)).await?.sentences })),
    ))
}

/// Which sentences: these, those of a card, or all without cards.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentenceChoice {
    sentences: Option<Vec<usize>>,
    card: Option<String>,
}

impl SentenceChoice {
    fn again(&self) -> RetryScope {
        self.sentences.clone().map_or(RetryScope::Holes, RetryScope::These)
    }
}

pub(crate) async fn retry(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(which): JsonBody<SentenceChoice>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let library = library(&state, &caller);
    let head = run_info(&library, &id).await?;
    let run = head.id.clone();
    let count = match &which.card {
        Some(card) => library.regenerate(&run, &key(card, &head)?).await?,
        None => library.retry(&run, &which.again()).await?,
    };
    let order = WorkRequest { batch: false, max_cost: None, again: false };
    state.workers.start(&caller.owner, &library, &run, &order).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "sentences": count }))))
}

pub(crate) async fn skip(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(which): JsonBody<SentenceChoice>,
) -> HandlerResult<Json<Value>> {
    let library = library(&state, &caller);
    let run = run(&library, &id).await?;
    let count = library.skip(&run, &which.again()).await?;
    Ok(Json(json!({ "sentences": count })))
}

pub(crate) async fn stop(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let run = run(&library(&state, &caller), &id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": state.workers.stop(&run) }))))
}

/// Deletes a run that is not in progress.
pub(crate) async fn remove(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    let library = library(&state, &caller);
    library.remove(&run(&library, &id).await?).await?;
    Ok(StatusCode::NO_CONTENT)
}
