//! Meanings that may be wrong: one that many words share, one that is the word itself, or one
//! in another script than its language has.
//!
//! In: cards of one text or of all. Out: the [`Doubt`]s about each. Must hold: what a model
//! did not write, such as the cards of a rehearsal, is not doubted.

mod script;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::script::is_in_script_of;
use super::card::Card;
use crate::model::offline_model::REHEARSED;
use crate::model::sentence_result::SentenceCard;
use crate::run::snapshot::Snapshot;
use crate::text::language::Language;
use crate::text::manifest::normalise;

/// Why a meaning may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Many other words have the same meaning.
    Repeated,
    /// It is the word itself.
    SameAsWord,
    /// It has no letter of the script of its language.
    WrongScript,
}

impl Doubt {
    /// For a person, in English.
    pub fn reason(self) -> &'static str {
        match self {
            Doubt::Repeated => "many words have this meaning",
            Doubt::SameAsWord => "the meaning is the word itself",
            Doubt::WrongScript => "the meaning is in another script",
        }
    }
}

/// Words that share a meaning before it is doubted: so many, and one in ten.
const REPEATED_MIN: usize = 4;
const REPEATED_PARTS: usize = 10;
/// Sentences of a run that are asked about again because of doubts.
const RECHECKED_MAX: usize = 50;

/// What is known about the meanings of some cards.
pub(crate) struct CardDoubts {
    repeated: BTreeSet<String>,
}

impl CardDoubts {
    pub(crate) fn new<'a>(cards: impl Iterator<Item = &'a Card>) -> Self {
        Self::of_words(cards.map(|card| (even(&card.base_form), even(&card.meaning()))))
    }

    fn of_words(words: impl Iterator<Item = (String, String)>) -> Self {
        let mut all = BTreeSet::new();
        let mut words_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (word, meaning) in words {
            all.insert(word.clone());
            words_of.entry(meaning).or_default().insert(word);
        }
        let many = REPEATED_MIN.max(all.len().div_ceil(REPEATED_PARTS));
        let repeated = words_of.into_iter().filter(|(_, words)| words.len() >= many);
        Self { repeated: repeated.map(|(meaning, _)| meaning).collect() }
    }

    pub(crate) fn of(&self, card: &Card) -> Vec<Doubt> {
        self.doubts(&card.base_form, &card.meaning(), &card.target)
    }

    fn doubts(&self, word: &str, meaning: &str, target: &Language) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        if meaning.is_empty() || meaning == REHEARSED {
            return doubts;
        }
        if self.repeated.contains(&even(meaning)) {
            doubts.push(Doubt::Repeated);
        }
        // Names stay as they are in many languages.
        let is_name = word.chars().next().is_some_and(char::is_uppercase);
        if !is_name && even(meaning) == even(word) {
            doubts.push(Doubt::SameAsWord);
        }
        if !is_in_script_of(meaning, target) {
            doubts.push(Doubt::WrongScript);
        }
        doubts
    }
}

/// Sentences of a run to ask about once more, because meanings in them are doubtful.
pub(crate) fn doubtful(snapshot: &Snapshot) -> Vec<usize> {
    let cards = || {
        snapshot
            .results
            .iter()
            .flat_map(|(index, one)| one.cards.iter().map(move |card| (*index, card)))
    };
    let words = cards().map(|(_, card)| (even(&card.base_form), even(meaning(card))));
    let doubts = CardDoubts::of_words(words);
    let target = &snapshot.head.to;
    let mut sentences = BTreeSet::new();
    for (index, card) in cards() {
        let once = snapshot.rechecked.contains(&index) || snapshot.reused.contains(&index);
        if !once && !doubts.doubts(&card.base_form, meaning(card), target).is_empty() {
            sentences.insert(index);
        }
    }
    let room = RECHECKED_MAX.saturating_sub(snapshot.rechecked.len());
    sentences.into_iter().take(room).collect()
}

fn meaning(card: &SentenceCard) -> &str {
    let form = || card.forms.first().map(|form| form.translation.as_str());
    card.base_translation.as_deref().or_else(form).unwrap_or_default()
}

fn even(text: &str) -> String {
    normalise(text).to_lowercase()
}

#[cfg(test)]
mod tests;
