//! A key, which is never printed.

use std::fmt;

/// The value of a key or of a header that holds one. `Debug` prints `[secret]`, and there
/// is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    pub fn new(value: impl Into<Box<str>>) -> Self {
        Secret(value.into())
    }

    /// The value itself, for the one who is meant to have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Takes every secret out of a text that somebody else wrote.
pub(crate) fn redact<'a>(text: &str, secrets: impl Iterator<Item = &'a Secret>) -> String {
    let mut text = text.to_owned();
    for secret in secrets.filter(|secret| secret.expose().len() >= SHORTEST) {
        text = text.replace(secret.expose(), "[secret]");
    }
    text
}

/// What is shorter would be found everywhere.
const SHORTEST: usize = 4;

#[cfg(test)]
mod tests;
