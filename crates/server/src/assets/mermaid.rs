//! The frame that draws diagrams: our page with the vendored library in it, made when the first
//! diagram asks for it.
//!
//! Must hold: in the frame nothing runs but the library and the frame's own script, each named by
//! its digest, and the frame reaches no network.

use std::io::{Read, Write};
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Mermaid 11.17.2, `dist/mermaid.min.js`; its licence is beside it.
static LIBRARY: &[u8] = include_bytes!("../../vendor/mermaid/mermaid.min.js.gz");
static TEMPLATE: &str = include_str!("diagram_frame.html");

/// The frame's path below `/assets/`.
pub(crate) const FRAME_FILE: &str = "components/diagram_frame.html";

const POLICY: &str = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; \
                      img-src data:; script-src \
                      'sha256-WB7X10vZBI0OOpE2OSfXLvIpQtdyJUayf3zCnjU5Drg=' \
                      'sha256-pjRJJUiAbBTFOCmwOyVyl4ybCE5YOWnOxfUWdCWVSpw='; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// The frame, compressed. It changes with the program only.
static FRAME: LazyLock<Bytes> = LazyLock::new(|| {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(page().as_bytes());
    encoder.finish().unwrap_or_default().into()
});

fn page() -> String {
    let mut library = String::new();
    // The library is part of the program; a test reads it.
    let _ = GzDecoder::new(LIBRARY).read_to_string(&mut library);
    TEMPLATE.replace("THE_LIBRARY", &library)
}

pub(crate) async fn frame(headers: &HeaderMap, cache: &'static str) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let is_gzip = accepted.is_some_and(|encodings| encodings.contains("gzip"));
    let fixed = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    ];
    // The first request compresses the frame, which takes a while.
    let made = tokio::task::spawn_blocking(move || match is_gzip {
        true => (Some(FRAME.clone()), String::new()),
        false => (None, page()),
    });
    match made.await {
        Ok((Some(gzipped), _)) => (fixed, [GZIP], gzipped).into_response(),
        Ok((None, plain)) => (fixed, plain).into_response(),
        Err(_) => axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

const GZIP: (HeaderName, HeaderValue) =
    (header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));

#[cfg(test)]
mod tests {
    use contract::Digest;

    use super::{POLICY, page};

    /// Base64 of a SHA-256, as in policies.
    fn digest(text: &str) -> String {
        let hex = Digest::of(text.as_bytes()).hex(64);
        let bytes: Vec<u8> =
            (0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect();
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for three in bytes.chunks(3) {
            let all = three.iter().fold(0_u32, |all, byte| (all << 8) | u32::from(*byte))
                << (8 * (3 - three.len()));
            for at in 0..=three.len() {
                out.push(char::from(letters[(all >> (18 - 6 * at)) as usize & 63]));
            }
            out.extend(std::iter::repeat_n('=', 3 - three.len()));
        }
        format!("sha256-{out}")
    }

    #[test]
    fn the_policy_names_the_library_and_the_script_of_the_frame() {
        let page = page();
        let scripts: Vec<_> = page
            .split("<script>")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once("</script>")?.0))
            .collect();
        assert_eq!(scripts.len(), 2);
        assert!(scripts[0].len() > 1_000_000, "the library is there");
        for script in scripts {
            let digest = digest(script);
            assert!(POLICY.contains(&digest), "write '{digest}' into the policy");
        }
    }
}
