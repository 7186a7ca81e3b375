//! The facts of a run: written once, before anything is sent.

use std::fmt;
use std::str::FromStr;

use contract::Digest;
use serde::{Deserialize, Serialize};

use crate::text::language::Language;
use crate::text::language::Pair;
use crate::text::segment::SegmentRules;

/// The name of a run: `story-3fa21c04`.
///
/// Invariant: `a-z 0-9 -`, 1 to 60 bytes, so that it can stand in keys and in the names of a
/// batch's requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a run; `ghosthand cards status` lists them")]
pub struct BadRunId(String);

const ID_BYTES_MAX: usize = 60;
/// Characters of a document's name in the name of its run.
const SLUG_BYTES_MAX: usize = 32;

impl FromStr for RunId {
    type Err = BadRunId;
    fn from_str(text: &str) -> Result<Self, BadRunId> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        match (1..=ID_BYTES_MAX).contains(&text.len()) && text.chars().all(plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadRunId(text.to_owned())),
        }
    }
}

impl RunId {
    /// The same text, name and languages are the same run, so that starting it again resumes it.
    /// Runs of an owner have longer names, so that they cannot collide with another's.
    pub(crate) fn of(document: &str, source: &str, pair: &Pair, owner: Option<&str>) -> Self {
        let mut parts = vec![document, pair.from.as_str(), pair.to.as_str(), source];
        parts.extend(owner);
        let digits = if owner.is_some() { 24 } else { 8 };
        let lengths: Vec<_> = parts.iter().map(|part| part.len().to_string()).collect();
        let all = format!("{}:{}", lengths.join(","), parts.concat());
        let digest = Digest::of(all.as_bytes()).to_string();
        let hex = digest.trim_start_matches("sha256:");
        Self(format!("{}-{}", slug(document), hex.get(..digits).unwrap_or(hex)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A document's name in plain letters.
fn slug(document: &str) -> String {
    let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let mapped: String = stem.chars().map(plain).collect();
    let words: Vec<_> = mapped.split('-').filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(SLUG_BYTES_MAX);
    if slug.is_empty() { "text".to_owned() } else { slug.trim_end_matches('-').to_owned() }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

contract::serde_as_text!(RunId);

/// The facts of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    pub id: RunId,
    pub document: String,
    pub from: Language,
    pub to: Language,
    pub engine: SegmentRules,
    pub sentences: usize,
    pub source_bytes: usize,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// The owner, where several people share a store; only the owner sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The format version of everything that this run stores.
    pub version: u32,
}

impl RunInfo {
    pub fn pair(&self) -> Pair {
        Pair { from: self.from.clone(), to: self.to.clone() }
    }
}

/// The version that this program writes; it does not touch newer ones.
///
/// Version 1 had keys of cards without the target language, and edits in each run.
pub(crate) const RUN_VERSION: u32 = 2;
