//! The frame that draws diagrams: our page with the vendored library in it, made when the first
//! diagram asks for it.
//!
//! Must hold: in the frame nothing runs but the library and the frame's own script, each named by
//! its digest, and the frame reaches no network.

use std::io::Read;
use std::sync::LazyLock;

use axum::http::{HeaderName, header};
use flate2::Compression;
use flate2::read::GzDecoder;

use super::static_files::{File, HTML};
use crate::fault::{Fault, HandlerResult};

/// Mermaid 11.17.2, `dist/mermaid.min.js`; its licence is beside it.
static LIBRARY: &[u8] = include_bytes!("../../vendor/mermaid/mermaid.min.js.gz");
static TEMPLATE: &str = include_str!("diagram_frame.html");

/// The frame's path below `/assets/`.
pub(super) const FRAME_FILE: &str = "components/diagram_frame.html";

const POLICY: &str = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; \
                      img-src data:; script-src \
                      'sha256-WB7X10vZBI0OOpE2OSfXLvIpQtdyJUayf3zCnjU5Drg=' \
                      'sha256-gPtXv2/tJku5wmaO2Te6LUzyT0FY5z3G3NvtHKfBzek='; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(super) const FRAME_HEADERS: [(HeaderName, &str); 2] =
    [(header::CONTENT_SECURITY_POLICY, POLICY), (header::X_FRAME_OPTIONS, "SAMEORIGIN")];

static FRAME: LazyLock<File> =
    LazyLock::new(|| File::compressed(HTML, page().into_bytes(), Compression::fast()));

/// The frame. The first request compresses it, which takes a while.
pub(super) async fn frame() -> HandlerResult<&'static File> {
    let made = tokio::task::spawn_blocking(|| &*FRAME).await;
    made.map_err(|fault| Fault::ours(&fault))
}

fn page() -> String {
    let mut library = String::new();
    // The library is part of the program; a test reads it.
    let _ = GzDecoder::new(LIBRARY).read_to_string(&mut library);
    TEMPLATE.replace("THE_LIBRARY", &library)
}

#[cfg(test)]
mod tests {
    use super::super::theme::source_digest;
    use super::{POLICY, page};

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
            let digest = source_digest(script);
            assert!(POLICY.contains(&digest), "write '{digest}' into the policy");
        }
    }
}
