//! The page's files, carried in the program.

use axum::extract::Path;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use include_dir::{Dir, include_dir};

use crate::fault::Fault;

static PAGE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/page");

pub(crate) async fn index() -> Response {
    file("index.html")
}

pub(crate) async fn asset(Path(path): Path<String>) -> Response {
    file(&path)
}

fn file(path: &str) -> Response {
    match (PAGE.get_file(path), kind_of(path)) {
        (Some(file), Some(kind)) => {
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
            let response = (headers, file.contents()).into_response();
            if path == FRAME { (FRAME_HEADERS, response).into_response() } else { response }
        }
        _ => Fault::not_found("there is no such file").into_response(),
    }
}

/// Where HTML that a tool wrote is shown. It has no origin, so nothing of ours is in its reach;
/// styles are its own, and the only script is the one in the file, by its hash.
const FRAME: &str = "frame.html";

const FRAME_HEADERS: [(HeaderName, &str); 2] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
         script-src 'sha256-FqlLWw7MUiLZyexazxWfcLLbCBMZ7o7+iq9KSOJMARU='; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'self'",
    ),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
];

/// Files of other kinds are not served.
fn kind_of(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "ico" => Some("image/x-icon"),
        "woff2" => Some("font/woff2"),
        "json" | "webmanifest" => Some("application/json"),
        _ => None,
    }
}
