//! A picture from elsewhere, fetched for the page when a person asks to see it.
//!
//! The server of the picture learns neither who asks nor from which page. Addresses follow the
//! rules of tools: the public internet, and what `[net] allow` opens. Must hold: only pictures
//! in formats without scripts are passed on, whatever their server calls them.

use axum::extract::{Query, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use services::{FetchedPage, ServiceLimits, fetch_page};

use crate::fault::{Fault, HandlerResult};
use crate::state::AppState;

#[derive(Deserialize)]
pub(crate) struct PictureQuery {
    url: Option<String>,
}

/// Nothing in the answer may act, even if it is opened by itself.
const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'"),
    ),
    (header::CONTENT_DISPOSITION, HeaderValue::from_static("inline")),
];

pub(crate) async fn picture(
    State(app): State<AppState>,
    Query(PictureQuery { url }): Query<PictureQuery>,
) -> HandlerResult<Response> {
    let is_web = |url: &String| url.starts_with("https://") || url.starts_with("http://");
    let Some(url) = url.filter(is_web) else {
        let fix = "give `url` an address that begins with `https://` or `http://`";
        return Err(Fault::bad_request("this is not the address of a picture", fix));
    };
    let fetched = fetch_page(app.engine.network(), &url, &ServiceLimits::ORDINARY).await;
    let FetchedPage { bytes, .. } = fetched.map_err(|fault| {
        Fault::not_found(format!("the picture cannot be loaded: {}", fault.message))
    })?;
    let Some(kind) = kind_of(&bytes) else {
        return Err(Fault::not_found("there is no PNG, JPEG, GIF, WebP or AVIF picture"));
    };
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], HEADERS, bytes).into_response())
}

/// The format, by the first bytes.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some("image/avif"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn a_picture_is_known_by_its_bytes() {
        let check = |bytes: &[u8], kind: Option<&str>| assert_eq!(kind_of(bytes), kind);
        check(b"\x89PNG\r\n\x1a\n....", Some("image/png"));
        check(b"\xff\xd8\xff\xe0....", Some("image/jpeg"));
        check(b"GIF89a", Some("image/gif"));
        check(b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp"));
        check(b"\0\0\0\x1cftypavif", Some("image/avif"));
        check(b"<svg onload=alert(1)>", None);
        check(b"<html>", None);
        check(b"", None);
    }
}
