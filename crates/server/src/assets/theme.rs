//! The script that applies the chosen theme. It is a part of each page, so that it runs before
//! the first paint without a request of its own.
//!
//! Must hold: the policy of the pages names the digest of this script, and allows no other
//! script inside of a page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use contract::Digest;

use crate::auth::middleware::PAGE_POLICY;

/// How a page names the script.
const NAMED: &str = "<script src=\"/assets/theme.js\"></script>";

/// The page with the script in it.
pub(super) fn inlined(page: &str, script: &str) -> String {
    page.replace(NAMED, &format!("<script>{script}</script>"))
}

/// The policy of a page with the script in it.
pub(super) fn policy(script: &str) -> String {
    let allowed = format!("script-src 'self' '{}'", source_digest(script));
    PAGE_POLICY.replace("script-src 'self'", &allowed)
}

/// A digest as policies write it.
pub(super) fn source_digest(script: &str) -> String {
    let hex = Digest::of(script.as_bytes()).hex(64);
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).filter_map(byte).collect();
    format!("sha256-{}", BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::{inlined, policy, source_digest};

    #[test]
    fn the_script_is_in_the_page_and_the_policy_allows_it_alone() {
        let page = inlined("<head><script src=\"/assets/theme.js\"></script></head>", "go()");
        assert_eq!(page, "<head><script>go()</script></head>");
        // As `openssl dgst -sha256 -binary | base64` says.
        assert_eq!(source_digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        let policy = policy("go()");
        assert!(policy.contains(&format!("script-src 'self' '{}';", source_digest("go()"))));
        assert!(!policy.contains("unsafe-inline"), "{policy}");
    }
}
