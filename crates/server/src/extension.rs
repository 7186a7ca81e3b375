//! What another crate mounts on the server: API operations, pages with their files, routes of
//! other protocols.
//!
//! In: an [`Extension`] for each feature. Out: its routes, behind the same authentication,
//! limits and security headers as the server's own; its operations are in
//! `/api/openapi.json`. Must hold: a handler of an extension runs only for an authenticated
//! request, which carries a [`Caller`](crate::Caller), a [`StreamLimit`] and the
//! [`OwnConversations`](crate::OwnConversations).

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use include_dir::Dir;
use policy::BoxFuture;

use crate::auth::concurrency::{ConcurrencyLimit, Permit};
use crate::fault::HandlerResult;
use crate::routes::operation::Operation;

/// One feature. The default mounts nothing.
#[derive(Default)]
pub struct Extension {
    /// Operations of the API; they answer within the server's time limit.
    pub operations: Vec<Operation>,
    /// Routes outside the API, without a time limit.
    pub router: Router,
    /// Bodies that may be larger than the server's usual limit.
    pub body_limits: Vec<BodyLimit>,
    pub pages: Vec<Page>,
    /// Pages without anything private, for browsers that come back from another site: they send
    /// no cookie with that request.
    pub public_pages: Vec<Page>,
    pub assets: Option<Assets>,
    pub workers: Vec<ServiceWorker>,
    /// Runs when the server shuts down.
    pub shutdown: Option<Shutdown>,
}

/// Stops the feature's work; it gets this long before the server exits.
pub type Shutdown = Box<dyn FnOnce(Duration) -> BoxFuture<'static, ()> + Send>;

/// How large a body may be on one path, and how long it may take to arrive.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimit {
    pub path: &'static str,
    pub bytes_max: usize,
    pub time_max: Duration,
    pub arrives: BodyArrives,
}

/// How a handler gets a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyArrives {
    /// Read before the handler runs; a POST must be JSON.
    Whole,
    /// Read by the handler, which limits its size. A POST must be `application/octet-stream`,
    /// which other sites cannot send without a preflight either.
    Streamed,
}

/// An HTML page for people. A program's token does not open it.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub path: &'static str,
    /// Which asset it is, with its folder: `cards/index.html`.
    pub file: &'static str,
}

/// A file of the assets that a browser may run as a service worker for a page.
#[derive(Debug, Clone, Copy)]
pub struct ServiceWorker {
    /// With its folder: `cards/offline.js`.
    pub file: &'static str,
    /// The path whose pages it may serve.
    pub scope: &'static str,
}

/// Files that a page loads, served below `/assets/FOLDER/`.
#[derive(Debug, Clone, Copy)]
pub struct Assets {
    pub folder: &'static str,
    pub files: &'static Dir<'static>,
}

/// How many streams an owner may have open, over all features. Every authenticated request
/// carries it as an extension.
#[derive(Clone)]
pub struct StreamLimit(pub(crate) Arc<ConcurrencyLimit>);

impl StreamLimit {
    /// Reserves a stream until the permit is dropped.
    pub fn acquire(&self, owner: &str) -> HandlerResult<Permit> {
        self.0.acquire(owner)
    }
}
