//! The API: its router, from the operations of [`table`] and of the extensions.
//!
//! Must hold: every refusal is JSON; an answer comes within the time limit; a path refuses
//! methods that it does not have with 405 and `Allow`.

pub(crate) mod operation;
pub(crate) mod table;

pub(crate) mod json_body;
pub(crate) mod openapi;

pub(crate) mod approvals;
pub(crate) mod attachments;
pub(crate) mod conversations;

pub(crate) mod call_tool;
pub(crate) mod tools;

pub(crate) mod kb;
pub(crate) mod kv;
pub(crate) mod models;
pub(crate) mod persona_properties;
pub(crate) mod personas;
pub(crate) mod picture;
pub(crate) mod settings;
pub(crate) mod snippets;

mod ai_edit;
mod session;
mod usage;

use std::collections::BTreeMap;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

use self::operation::Operation;
use crate::assets::static_files;
use crate::auth::{middleware, sign_in};
use crate::extension::{BodyArrives, BodyLimit, Extension, Page};
use crate::fault::Fault;
use crate::routes::conversations::shares::page as shared;
use crate::routes::openapi::Access;
use crate::server::limits::ServerLimits;
use crate::state::AppState;

/// Everything that is routed: the server's own operations, then those of the extensions.
pub(crate) struct Routes {
    operations: Vec<Operation<AppState>>,
    others: Router,
    pages: Vec<Page>,
    public_pages: Vec<Page>,
    body_limits: Vec<BodyLimit>,
}

impl Routes {
    /// Takes the routes out of the extensions.
    pub(crate) fn collect(limits: &ServerLimits, extensions: &mut [Extension]) -> Self {
        let mut routes = Self {
            operations: table::operations(limits),
            others: Router::new(),
            pages: Vec::new(),
            public_pages: Vec::new(),
            body_limits: Vec::new(),
        };
        for extension in extensions {
            let operations = std::mem::take(&mut extension.operations);
            routes.operations.extend(operations.into_iter().map(|one| one.with_state(())));
            routes.others = routes.others.merge(std::mem::take(&mut extension.router));
            routes.pages.append(&mut extension.pages);
            routes.public_pages.append(&mut extension.public_pages);
            routes.body_limits.append(&mut extension.body_limits);
        }
        routes
    }

    pub(crate) fn openapi(&self, access: Access) -> Value {
        openapi::document(self.operations.iter().map(|operation| &operation.spec), access)
    }

    /// The paths whose bodies have limits of their own.
    pub(crate) fn body_limits(&self, limits: &ServerLimits) -> BTreeMap<&'static str, BodyLimit> {
        let uploads = self.operations.iter().filter_map(|Operation { spec, .. }| {
            let time_max = limits.body_time_max.saturating_mul(10);
            let bytes_max = spec.upload_bytes_max?;
            let arrives =
                if spec.streams_body { BodyArrives::Streamed } else { BodyArrives::Whole };
            Some(BodyLimit { path: spec.path, bytes_max, time_max, arrives })
        });
        let all = uploads.chain(self.body_limits.iter().copied());
        all.map(|limit| (limit.path, limit)).collect()
    }

    /// The whole server.
    pub(crate) fn router(self, app: &AppState) -> Router {
        let (mut api, mut patient) = (Router::new(), Router::new());
        for Operation { spec, mut route } in self.operations {
            if let Some(max) = spec.upload_bytes_max {
                route = route.layer(DefaultBodyLimit::max(max));
            }
            // Tools and files that arrive have time limits of their own.
            match spec.path == "/api/call/{tool}" || spec.streams_body {
                true => patient = patient.route(spec.path, route),
                false => api = api.route(spec.path, route),
            }
        }
        let api = api
            .layer(from_fn_with_state(app.clone(), in_time))
            .merge(patient)
            .layer(from_fn_with_state(app.clone(), middleware::authenticated));
        let others = self
            .others
            .layer(from_fn_with_state(app.clone(), middleware::authenticated))
            .with_state(());
        let mut pages = Router::new().route("/", get(static_files::index));
        for Page { path, file } in self.pages {
            let page = move |app, request| static_files::page(app, file, request);
            pages = pages.route(path, get(page));
        }
        for Page { path, file } in self.public_pages {
            let page = move |app, headers| static_files::public_page(app, file, headers);
            pages = pages.route(path, get(page));
        }
        Router::new()
            .merge(api)
            .merge(pages)
            .route("/assets/{*path}", get(static_files::asset))
            .route("/login", get(sign_in::show).post(sign_in::sign_in))
            .route("/s/{secret}", get(shared::show))
            .route("/s/{secret}/files/{digest}", get(shared::file))
            .route("/health", get(session::health))
            .route("/healthz", get(session::health))
            .route("/readyz", get(session::ready))
            .route("/metrics", get(usage::metrics))
            .fallback(|| async { Fault::not_found("there is nothing at this address") })
            .method_not_allowed_fallback(other_method)
            .layer(map_response(refusals_as_json))
            // Refusals of other protocols stay as they are.
            .merge(others)
            .layer(DefaultBodyLimit::max(app.limits.body_bytes_max))
            .layer(from_fn_with_state(app.clone(), middleware::check_request))
            .with_state(app.clone())
    }
}

/// Refuses a method that the path does not have. The router adds `Allow`; OPTIONS asks for just
/// that.
async fn other_method(method: Method) -> Response {
    match method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => Fault::wrong_method(&method).into_response(),
    }
}

/// How much of a plain-text refusal is passed on.
const REFUSAL_BYTES_MAX: usize = 4_096;

/// The framework refuses with plain text; clients of the API expect JSON.
async fn refusals_as_json(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| kind.starts_with("text/plain"));
    if !is_text || !response.status().is_client_error() {
        return response;
    }
    let status = response.status();
    let message = to_bytes(response.into_body(), REFUSAL_BYTES_MAX).await.unwrap_or_default();
    Fault::refused(status, &String::from_utf8_lossy(&message)).into_response()
}

/// Limits the time until an answer. The answer of a stream is there as soon as it begins.
async fn in_time(State(app): State<AppState>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(app.limits.answer_time_max, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Fault::too_slow().into_response(),
    }
}
