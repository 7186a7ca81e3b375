//! SHA-256 digests, to which locks, approvals and versions are bound.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// The SHA-256 of some bytes, written `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Digest(Sha256::digest(bytes).into())
    }

    /// The first eight hex digits: for people, never for a check.
    pub fn short(&self) -> String {
        self.hex(8)
    }

    /// The first hex digits, at most 64, without `sha256:`.
    pub fn hex(&self, digits: usize) -> String {
        let mut text = hex(&self.0);
        text.truncate(digits);
        text
    }
}

/// Digests several parts, so that moving a boundary changes the digest.
#[derive(Default)]
pub struct Digester(Sha256);

impl Digester {
    /// Adds one part, preceded by its length.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds bytes without a boundary: all of them together have the digest of their content.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a digest; a digest is `sha256:` and 64 hex digits")]
pub struct BadDigest(String);

impl FromStr for Digest {
    type Err = BadDigest;
    fn from_str(text: &str) -> Result<Self, BadDigest> {
        let bad = || BadDigest(text.chars().take(80).collect());
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64).ok_or_else(bad)?;
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| bad())?;
            if pair.starts_with('+') {
                return Err(bad());
            }
            *byte = u8::from_str_radix(pair, 16).map_err(|_| bad())?;
        }
        Ok(Digest(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

crate::serde_as_text!(Digest);

#[cfg(test)]
mod tests;
