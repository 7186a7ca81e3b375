//! Removes keys from the texts of a provider.

use contract::Secret;

/// Removes every secret from a text of a provider.
pub fn redact<'a>(text: &str, secrets: impl Iterator<Item = &'a Secret>) -> String {
    let mut text = text.to_owned();
    for secret in secrets.filter(|secret| secret.expose().len() >= SHORTEST) {
        text = text.replace(secret.expose(), "[secret]");
    }
    text
}

/// Shorter secrets would match everywhere.
const SHORTEST: usize = 4;

#[cfg(test)]
mod tests;
