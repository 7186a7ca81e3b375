//! Which URLs may receive a token.

use super::keeps_tokens_private;

#[test]
fn a_token_is_sent_only_over_https_or_on_this_machine() {
    for good in
        ["https://x.example/mcp", "http://127.0.0.1:1/mcp", "http://[::1]/", "http://localhost:9"]
    {
        assert!(keeps_tokens_private(good), "{good}");
    }
    for bad in [
        "http://x.example/mcp",
        "http://10.0.0.1/",
        "http://localhost.x.example/",
        "file:///x",
        "x",
    ] {
        assert!(!keeps_tokens_private(bad), "{bad}");
    }
}
