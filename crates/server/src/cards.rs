//! Flashcards over HTTP: runs of the owner, begun, worked on, and asked about again.
//!
//! What is done is done by the crate `cards`; here it gets an owner, limits and words.

pub(crate) mod deck;
pub(crate) mod files;
pub(crate) mod stream;
pub(crate) mod workers;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use cards::{
    CardKey, CardsFault, Chunking, Language, Library, NewRun, Pair, RetryScope, RunId, RunInfo,
    Sending,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::auth::tokens::LOCAL;
use crate::fault::{HandlerResult, Fault};
use crate::routes::json_body::{JsonBody, Empty};
use crate::state::AppState;

/// Runs that a list shows.
const RUNS_SHOWN: usize = 10;

/// What the owner has. Whoever is on this machine alone shares it with the terminal program.
fn library(app: &AppState, Owner(owner): &Owner) -> Library {
    match owner.as_str() {
        LOCAL => app.workers.library.clone(),
        owner => app.workers.library.of(owner),
    }
}

/// The owner's run of this name; what is not the owner's is not there.
async fn run(library: &Library, id: &str) -> HandlerResult<RunId> {
    let id: RunId = id.parse().map_err(|_| Fault::not_found("there is no such run"))?;
    Ok(library.find(Some(&id)).await?.id)
}

/// The language of the reader.
#[derive(Deserialize)]
pub(crate) struct Reader {
    locale: Option<String>,
}

impl Reader {
    fn locale(&self) -> &str {
        self.locale.as_deref().unwrap_or("en")
    }
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Query(reader): Query<Reader>,
) -> HandlerResult<Json<Value>> {
    let library = library(&app, &owner);
    let mut runs = Vec::new();
    let fits = |head: &RunInfo| head.sentences <= app.limits.cards_sentences_listed_max;
    for head in library.runs().await?.into_iter().filter(fits).take(RUNS_SHOWN) {
        let mut run = json!(library.view(&head.id, reader.locale()).await?);
        run["busy"] = app.workers.is_busy(&head.id).into();
        runs.push(run);
    }
    let by = &app.workers.by;
    Ok(Json(json!({
        "runs": runs,
        "model": by.model.facts().to_string(),
        "rehearsal": by.model.facts().provider == "rehearsal",
        "batches": app.workers.takes_batches(),
        "characters": app.limits.cards_text_chars_max,
    })))
}

/// A text to make cards of.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    #[schemars(extend("pattern" = "\\S"))]
    text: String,
    /// What it is called.
    #[serde(default)]
    name: String,
    from: String,
    to: String,
}

pub(crate) async fn begin(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Query(reader): Query<Reader>,
    JsonBody(Text { text, name, from, to }): JsonBody<Text>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let max = app.limits.cards_text_chars_max;
    if text.chars().count() > max {
        return Err(Fault::too_large(format!("the text has more than {max} characters")));
    }
    let library = library(&app, &owner);
    if library.runs().await?.len() >= app.limits.cards_runs_per_owner_max {
        return Err(Fault::too_many("there are too many runs already"));
    }
    let name = name.trim();
    let document = if name.is_empty() { title(&text) } else { name.to_owned() };
    let beginning = NewRun { document, pair: pair(&from, &to)?, chunking: Chunking::usual() };
    let head = library.begin(&text, &beginning).await?;
    Ok((StatusCode::CREATED, Json(shown(&app, &library, &head.id, reader.locale()).await?)))
}

/// The first words of a text without a name.
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

fn pair(from: &str, to: &str) -> HandlerResult<Pair> {
    let pair = Pair { from: language(from)?, to: language(to)? };
    match pair.from == pair.to {
        true => Err(Fault::bad_request("both languages are the same", "give two of them")),
        false => Ok(pair),
    }
}

fn language(code: &str) -> HandlerResult<Language> {
    code.parse().map_err(|bad: cards::BadLanguage| Fault::bad_request(bad.to_string(), "`lv`"))
}

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Query(reader): Query<Reader>,
) -> HandlerResult<Json<Value>> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    Ok(Json(shown(&app, &library, &run, reader.locale()).await?))
}

/// A run with all that the head of a page tells of it.
async fn shown(app: &AppState, library: &Library, run: &RunId, locale: &str) -> HandlerResult<Value> {
    let facts = app.workers.by.model.facts();
    let mut shown = json!(library.view(run, locale).await?);
    shown["busy"] = app.workers.is_busy(run).into();
    shown["counts"] = json!(library.counts(run).await?);
    shown["estimate"] = json!(library.estimate(run, facts, Sending::Live).await?);
    Ok(shown)
}

/// How the requests are sent, and what they may cost.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// At half the price, within a day.
    #[serde(default)]
    batch: bool,
    /// In dollars, for the whole run.
    max_cost: Option<f64>,
    /// Do not wait for a batch that may never have been sent; send anew.
    #[serde(default)]
    again: bool,
}

pub(crate) async fn work(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(order): JsonBody<Order>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    if order.again {
        library.forget_batch(&run).await?;
    }
    app.workers.start(&owner.0, &library, &run, &order).await?;
    Ok((
        StatusCode::ACCEPTED,
        Json(json!({ "sentences": library.find(Some(&run)).await?.sentences })),
    ))
}

/// Which sentences: these, those of a card, or all without cards.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    sentences: Option<Vec<usize>>,
    card: Option<String>,
}

impl Which {
    fn again(&self) -> RetryScope {
        self.sentences.clone().map_or(RetryScope::Holes, RetryScope::These)
    }
}

pub(crate) async fn retry(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(which): JsonBody<Which>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    let count = match &which.card {
        Some(card) => library.regenerate(&run, &key(card)?).await?,
        None => library.retry(&run, &which.again()).await?,
    };
    let order = Order { batch: false, max_cost: None, again: false };
    app.workers.start(&owner.0, &library, &run, &order).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "sentences": count }))))
}

pub(crate) async fn skip(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(which): JsonBody<Which>,
) -> HandlerResult<Json<Value>> {
    let library = library(&app, &owner);
    let run = run(&library, &id).await?;
    let count = library.skip(&run, &which.again()).await?;
    Ok(Json(json!({ "sentences": count })))
}

pub(crate) async fn stop(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let run = run(&library(&app, &owner), &id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": app.workers.stop(&run) }))))
}

/// Removes a run that nobody works on.
pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    let library = library(&app, &owner);
    library.remove(&run(&library, &id).await?).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn key(text: &str) -> HandlerResult<CardKey> {
    text.parse().map_err(|_| Fault::not_found("there is no such card"))
}

impl From<CardsFault> for Fault {
    fn from(fault: CardsFault) -> Self {
        match fault {
            CardsFault::NoRun(_) | CardsFault::NoRuns => Self::not_found("there is no such run"),
            CardsFault::NoCard(_) | CardsFault::NoSentence(_) => Self::not_found(fault.to_string()),
            CardsFault::Input(_) => Self::bad_request(fault.to_string(), "correct what it names"),
            CardsFault::Import(_) => Self::bad_request(fault.to_string(), "give an export as JSON"),
            CardsFault::Held { .. } => {
                let fix = "wait for it, or stop it";
                Self::conflict("cards are being made of this text", fix)
            }
            CardsFault::LeaseLost | CardsFault::Newer => {
                Self::conflict(fault.to_string(), "use that program; nothing is lost")
            }
            CardsFault::Store(fault) => fault.into(),
            CardsFault::Damaged(_) | CardsFault::Io(_) => Self::ours(&fault),
        }
    }
}
