//! The frame that shows a page which a model or a tool wrote, and runs its scripts.
//!
//! Must hold: the page in it has an opaque origin and reaches no network, neither by a request
//! nor by a navigation, a form, a hint to the browser or WebRTC. The headers forbid what headers
//! can; the frame's own script, which runs first, does the rest. Where it turns text into
//! elements, browsers with Trusted Types let no text pass it by. A frame cannot leave for another
//! site, because the policy of the page around it allows only frames of our own.

use axum::http::{HeaderName, header};

/// The frame's path below `/assets/`.
pub(super) const FILE: &str = "artifacts/page_frame.html";

const POLICY: &str = "sandbox allow-scripts allow-forms; default-src 'none'; \
                      script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data: blob:; font-src data:; media-src data: blob:; \
                      require-trusted-types-for 'script'; trusted-types own default; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(super) const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    (header::X_DNS_PREFETCH_CONTROL, "off"),
];
