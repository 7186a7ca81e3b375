//! Ghostpen over HTTP: the page, its files and its API, mounted on the server.
//!
//! In: the writer's folder, an engine with Ghostpen's tools, and perhaps a model. Out: a
//! [`server::Extension`]. Must hold: only the operator reaches the folder and its drafts; the
//! rules of a session hold here because every change of a draft is one of [`pen::session`]; a
//! draft is worked on at most once at a time.
//!
//! Start at [`PenWeb::extension`], then `operations.rs`: every operation of the API. `desk.rs`
//! has the sessions at work.

mod operations;

mod check;
mod drafts;
mod overview;
mod posts;
mod profiles;
mod progress_stream;
mod work;

mod desk;
mod draft_view;
mod feedback_buttons;
mod page_view;
mod seat;

mod fault;
mod request;

use std::sync::Arc;

use contract::{Model, Secret};
use engine::Engine;
use include_dir::{Dir, include_dir};
use pen::session::DraftStore;
use pen::tools::Pen;
use server::{Assets, Extension, Page};

use crate::desk::Desk;
use crate::fault::HandlerResult;

static PAGE: Dir<'static> = include_dir!("$OUT_DIR/page");

/// What the page needs.
pub struct PenWeb {
    pub pen: Pen,
    /// With Ghostpen's nine tools and the store of the drafts.
    pub engine: Engine,
    /// None without a key; then the page measures, checks and writes prompts to paste.
    pub model: Option<Arc<dyn Model>>,
    /// Values that must not appear in a session log.
    pub secrets: Vec<Secret>,
    /// The owner who may use the folder; none if the server has no tokens.
    pub operator: Option<String>,
    pub limits: PenLimits,
}

/// Limits of Ghostpen on one server.
#[derive(Debug, Clone, Copy)]
pub struct PenLimits {
    /// The longest draft, idea or remark.
    pub text_chars_max: usize,
    /// Drafts that are written at the same time.
    pub drafts_at_once_max: usize,
    /// The newest drafts in the list.
    pub drafts_listed_max: usize,
    pub posts_listed_max: usize,
    /// Pasted posts for a new profile.
    pub posts_chars_max: usize,
}

impl PenLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            text_chars_max: 50_000,
            drafts_at_once_max: 8,
            drafts_listed_max: 500,
            posts_listed_max: 50,
            posts_chars_max: 1_000_000,
        }
    }
}

/// What all handlers share.
#[derive(Clone)]
pub(crate) struct PenState {
    pen: Pen,
    drafts: DraftStore,
    desk: Arc<Desk>,
    operator: Option<String>,
    limits: PenLimits,
}

impl PenWeb {
    /// The page at `/pen` and the API below `/api/pen`.
    pub fn extension(self) -> Extension {
        let Self { pen, engine, model, secrets, operator, limits } = self;
        let drafts = DraftStore::new(engine.shared_store());
        let desk = Arc::new(Desk::new(pen.clone(), engine, model, secrets, limits));
        let state = PenState { pen, drafts, desk: Arc::clone(&desk), operator, limits };
        let operations = operations::operations(&limits).into_iter();
        Extension {
            operations: operations.map(|one| one.with_state(state.clone())).collect(),
            pages: vec![Page { path: "/pen", file: "pen/index.html" }],
            assets: Some(Assets { folder: "pen", files: &PAGE }),
            shutdown: Some(Box::new(move |time_max| {
                Box::pin(async move { desk.shut_down(time_max).await })
            })),
            ..Extension::default()
        }
    }
}
