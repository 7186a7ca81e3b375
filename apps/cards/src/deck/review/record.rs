//! The records of the log of reviews.
//!
//! Must hold: records of earlier versions, which have neither an id nor what was asked for,
//! are read as reviews of the meaning.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Rating;
use crate::deck::card::CardRef;

/// What a person has to recall.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Recall {
    /// The word is shown.
    #[default]
    Meaning,
    /// The meaning is shown.
    Word,
    /// A sentence is shown, with a gap for the word.
    Gap,
}

impl Recall {
    pub const ALL: [Recall; 3] = [Recall::Meaning, Recall::Word, Recall::Gap];

    pub fn as_str(self) -> &'static str {
        match self {
            Recall::Meaning => "meaning",
            Recall::Word => "word",
            Recall::Gap => "gap",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_usual(&self) -> bool {
        *self == Recall::Meaning
    }
}

impl FromStr for Recall {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Recall::ALL.into_iter().find(|recall| recall.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is none of `meaning`, `word` and `gap`"))
    }
}

/// What a person wants to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalls {
    pub meaning: bool,
    pub word: bool,
    pub gap: bool,
}

impl Recalls {
    pub const MEANING: Recalls = Recalls { meaning: true, word: false, gap: false };

    pub fn of(recalls: &[Recall]) -> Self {
        let has = |recall| recalls.contains(&recall);
        Self { meaning: has(Recall::Meaning), word: has(Recall::Word), gap: has(Recall::Gap) }
    }

    pub fn has(self, recall: Recall) -> bool {
        match recall {
            Recall::Meaning => self.meaning,
            Recall::Word => self.word,
            Recall::Gap => self.gap,
        }
    }

    /// In the order in which a card is learned.
    pub fn iter(self) -> impl Iterator<Item = Recall> {
        Recall::ALL.into_iter().filter(move |recall| self.has(*recall))
    }
}

/// The name of one review: whoever makes it chooses it, so that it counts once however often
/// it is sent.
///
/// Invariant: 1 to 64 of `a-z A-Z 0-9 - _`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReviewId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the id of a review; give 1 to 64 letters, digits, `-` and `_`")]
pub struct BadReviewId(String);

const ID_BYTES_MAX: usize = 64;

impl FromStr for ReviewId {
    type Err = BadReviewId;
    fn from_str(text: &str) -> Result<Self, BadReviewId> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match (1..=ID_BYTES_MAX).contains(&text.len()) && text.chars().all(plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadReviewId(text.chars().take(ID_BYTES_MAX).collect())),
        }
    }
}

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

contract::serde_as_text!(ReviewId);

/// How well a card was known at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Without a target language in records of version 1.
    pub key: CardRef,
    #[serde(default, skip_serializing_if = "Recall::is_usual")]
    pub recall: Recall,
    pub rating: Rating,
    /// Milliseconds since 1970.
    pub at: u64,
    /// None in records of earlier versions; those cannot be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ReviewId>,
}

/// One record of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ReviewRecord {
    Given(Review),
    Undone {
        undone: ReviewId,
        /// Milliseconds since 1970.
        at: u64,
    },
}
