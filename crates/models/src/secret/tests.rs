//! What is removed, and what is kept.

use super::*;

#[test]
fn a_secret_is_removed_from_a_providers_text() {
    let secrets = [Secret::new("sk-very-secret"), Secret::new("a")];
    let text =
        redact("Incorrect API key provided: sk-very-secret, again sk-very-secret", secrets.iter());
    assert_eq!(text, "Incorrect API key provided: [secret], again [secret]");
}
