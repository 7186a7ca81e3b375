//! Learns from edits by hand: removed and added words.
//!
//! The difference between the shown draft and the saved text is counted in `learned.json`;
//! what recurs becomes a suggestion, never a change.

use std::collections::BTreeMap;
use std::io;

use files::write_atomically;
use serde::{Deserialize, Serialize};

use crate::style::profile::Profile;
use crate::text::diff::changed_runs;
use crate::text::{fold, words};
use crate::workspace::{Workspace, lock, read_text};

/// After this many times an edit becomes a suggestion.
const HABIT: u64 = 3;
const PHRASE_WORDS_MAX: usize = 4;
const PHRASES_MAX: usize = 2_000;
const FILE_BYTES_MAX: u64 = 4 << 20;
const WORDS_MAX: usize = 3_000;

/// Phrases that a person removed or added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// How often each phrase was removed or added.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    pub removed: BTreeMap<String, u64>,
    pub added: BTreeMap<String, u64>,
}

/// A suggested addition to the profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// `voice.avoid` or `voice.signature_phrases`
    pub field: &'static str,
    pub value: String,
    pub times: u64,
}

/// The difference between the shown draft and the saved text.
pub fn difference(shown: &str, kept: &str) -> Difference {
    let list = |text: &str| -> Vec<String> {
        words(text).take(WORDS_MAX).map(|word| fold(word.text)).collect()
    };
    let (old, new) = (list(shown), list(kept));
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (gone, come) in changed_runs(&old, &new) {
        let phrase =
            |run: &[String]| (1..=PHRASE_WORDS_MAX).contains(&run.len()).then(|| run.join(" "));
        removed.extend(phrase(gone).filter(|phrase| !is_trifle(phrase)));
        added.extend(phrase(come).filter(|phrase| !is_trifle(phrase)));
    }
    Difference { removed, added }
}

/// Words of two letters are ignored.
fn is_trifle(phrase: &str) -> bool {
    phrase.chars().count() <= 2
}

impl Workspace {
    /// Counts one difference; returns all counts.
    pub fn learn(&self, difference: &Difference) -> io::Result<Learned> {
        let _locked = lock(self.root())?;
        let mut learned = self.learned();
        learned.add(difference);
        let text = serde_json::to_string_pretty(&learned).map_err(io::Error::other)?;
        write_atomically(&self.learned_file(), format!("{text}\n").as_bytes())?;
        Ok(learned)
    }

    pub fn learned(&self) -> Learned {
        let text = read_text(&self.learned_file(), FILE_BYTES_MAX).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn learned_file(&self) -> std::path::PathBuf {
        self.root().join("learned.json")
    }
}

fn count(counts: &mut BTreeMap<String, u64>, phrases: &[String]) {
    for phrase in phrases {
        if counts.len() < PHRASES_MAX || counts.contains_key(phrase) {
            *counts.entry(phrase.clone()).or_default() += 1;
        }
    }
}

impl Learned {
    /// Counts one more difference.
    pub fn add(&mut self, difference: &Difference) {
        count(&mut self.removed, &difference.removed);
        count(&mut self.added, &difference.added);
    }

    /// Suggestions that are frequent enough and not in the profile yet.
    pub fn suggestions(&self, profile: &Profile) -> Vec<Suggestion> {
        let known = |field: &str, phrase: &str| {
            profile.voices(field).iter().any(|rule| fold(rule).contains(phrase))
        };
        let habits = |counts: &BTreeMap<String, u64>, field: &'static str, list: &str| {
            counts
                .iter()
                .filter(|(phrase, times)| **times >= HABIT && !known(list, phrase))
                .map(|(phrase, times)| Suggestion { field, value: phrase.clone(), times: *times })
                .collect::<Vec<_>>()
        };
        let mut all = habits(&self.removed, "voice.avoid", "avoid");
        all.extend(habits(&self.added, "voice.signature_phrases", "signature_phrases"));
        all.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.times));
        all
    }
}

#[cfg(test)]
mod tests;
