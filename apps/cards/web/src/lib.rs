//! Flashcards over HTTP: the page, its files and its API, mounted on the server.
//!
//! In: a library of runs and the model that makes cards. Out: a [`server::Extension`]. Must
//! hold: an owner sees only their own runs and words; a run is worked on at most once here.
//!
//! Start at [`CardsWeb::extension`], then `operations.rs`: every operation of the API.

mod operations;

mod deck;
mod files;
mod progress_stream;
mod push;
mod read;
mod reviews;
mod runs;
mod speech;

mod fault;
mod request;
mod workers;

use std::sync::Arc;

use cards::{AnkiCaller, Answerer, AskSettings, Chunking, Library, Speaker};
use include_dir::{Dir, include_dir};
use server::{Assets, Extension, Page, ServiceWorker};

pub use crate::read::{FetchFuture, PageFetcher, WebPage};

use crate::fault::HandlerResult;
use crate::workers::Workers;

static PAGE: Dir<'static> = include_dir!("$OUT_DIR/page");

/// What the flashcards need.
pub struct CardsWeb {
    pub library: Library,
    pub answerer: Answerer,
    /// Counts what an owner's runs use.
    pub meter: Meter,
    pub ask: AskSettings,
    /// How the sentences of new runs are grouped.
    pub chunking: Chunking,
    /// Reads pages on the web; none if this server reads none.
    pub fetch: Option<PageFetcher>,
    /// Reads words aloud; none if no speech server is set up.
    pub speaker: Option<Speaker>,
    /// The Anki that runs beside the server; none if no address is set.
    pub anki: Option<Anki>,
    pub limits: CardsLimits,
}

/// Gives an owner the answerer that counts for them.
pub type Meter = Arc<dyn Fn(&str, Answerer) -> Answerer + Send + Sync>;

/// A running Anki, and whose it is.
#[derive(Clone)]
pub struct Anki {
    pub call: AnkiCaller,
    /// The only owner who may use it; none if the server has no tokens.
    pub operator: Option<String>,
}

/// Limits of the flashcards on one server.
#[derive(Debug, Clone, Copy)]
pub struct CardsLimits {
    /// The longest text of a run.
    pub text_chars_max: usize,
    pub runs_per_owner_max: usize,
    /// Larger runs, made in the terminal, are not listed.
    pub sentences_listed_max: usize,
    /// Runs of one owner that are worked on at the same time.
    pub runs_at_once_max: usize,
    /// An imported file.
    pub import_bytes_max: usize,
}

impl CardsLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            text_chars_max: 100_000,
            runs_per_owner_max: 10_000,
            sentences_listed_max: 10_000,
            runs_at_once_max: 2,
            import_bytes_max: 24 << 20,
        }
    }
}

/// What all handlers share.
#[derive(Clone)]
pub(crate) struct CardsState {
    workers: Arc<Workers>,
    chunking: Chunking,
    fetch: Option<PageFetcher>,
    speaker: Option<Speaker>,
    anki: Option<Anki>,
    limits: CardsLimits,
}

impl CardsWeb {
    /// Only a page that says that flashcards are switched off.
    pub fn disabled() -> Extension {
        Extension {
            pages: vec![Page { path: "/cards", file: "cards/disabled.html" }],
            assets: Some(Assets { folder: "cards", files: &PAGE }),
            ..Extension::default()
        }
    }

    /// The page at `/cards` and the API below `/api/cards`.
    pub fn extension(self) -> Extension {
        let Self { library, answerer, meter, ask, chunking, fetch, speaker, anki, limits } = self;
        let workers = Workers::new(library, (answerer, meter), ask, limits.runs_at_once_max);
        let workers = Arc::new(workers);
        let state =
            CardsState { workers: Arc::clone(&workers), chunking, fetch, speaker, anki, limits };
        let operations = operations::operations(&limits).into_iter();
        Extension {
            operations: operations.map(|one| one.with_state(state.clone())).collect(),
            pages: vec![Page { path: "/cards", file: "cards/index.html" }],
            assets: Some(Assets { folder: "cards", files: &PAGE }),
            workers: vec![ServiceWorker { file: "cards/offline.js", scope: "/cards" }],
            shutdown: Some(Box::new(move |time_max| {
                Box::pin(async move { workers.shut_down(time_max).await })
            })),
            ..Extension::default()
        }
    }
}
