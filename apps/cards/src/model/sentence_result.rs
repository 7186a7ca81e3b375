//! The result for one sentence, and how an answer about many is split by sentence.
//!
//! In: the cards of an answer and the sentences that were asked about. Out: one
//! [`SentenceResult`] for each sentence that is certain to be complete. Must hold: a card
//! for a sentence outside the question is counted and left out; in a truncated answer, a
//! sentence is complete only if a card of a later sentence follows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::deck::card::{Form, Unit, yes};
use crate::model::prompt::Flashcard;
use crate::text::manifest::{Manifest, Sentence};

/// The cards and the translation of one sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SentenceResult {
    pub sid: String,
    /// The signature of the sentence as it was sent.
    pub sig: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<String>,
    pub cards: Vec<SentenceCard>,
}

/// One word of one sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SentenceCard {
    pub unit: Unit,
    pub base_form: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_translation: Option<String>,
    #[serde(default)]
    pub forms: Vec<Form>,
    #[serde(default = "yes")]
    pub visible: bool,
}

/// Is the answer complete?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// It was cut off after its last card.
    Cut,
    /// Cards in the middle do not fit the schema.
    Holed,
}

/// An answer, split by sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sorted {
    /// Complete sentences by index.
    pub complete: BTreeMap<usize, SentenceResult>,
    /// Sentences that may miss some of their cards.
    pub partial: BTreeMap<usize, SentenceResult>,
    /// Cards for sentences outside the question.
    pub strays: usize,
}

/// Sorts the cards of an answer by sentence.
pub fn sort(manifest: &Manifest, asked: &[usize], cards: &[Flashcard], extent: Extent) -> Sorted {
    let mut found: BTreeMap<usize, SentenceResult> = BTreeMap::new();
    let mut strays = 0;
    let mut order = Vec::new();
    for card in cards {
        for context in &card.contexts {
            let index = usize::try_from(context.sid).unwrap_or(usize::MAX);
            let known = asked.contains(&index).then(|| manifest.sentences.get(index)).flatten();
            let Some(sentence) = known else {
                strays += 1;
                continue;
            };
            order.push(index);
            let result = found.entry(index).or_insert_with(|| empty(sentence));
            let said =
                context.translation.as_deref().map(str::trim).filter(|text| !text.is_empty());
            if let (None, Some(said)) = (&result.translation, said) {
                result.translation = Some(said.to_owned());
            }
            result.cards.push(SentenceCard {
                unit: card.unit,
                base_form: card.base_form.trim().to_owned(),
                base_translation: card.base_translation.clone().filter(|text| !text.is_empty()),
                forms: context.forms.iter().map(form).collect(),
                visible: card.visible,
            });
        }
    }
    let last = order.last().copied();
    let is_complete = |index: &usize| match extent {
        Extent::Whole => true,
        Extent::Cut => order.is_sorted() && Some(*index) < last,
        Extent::Holed => false,
    };
    let (complete, partial) = found.into_iter().partition(|(index, _)| is_complete(index));
    Sorted { complete, partial, strays }
}

/// An empty result.
pub(crate) fn empty(sentence: &Sentence) -> SentenceResult {
    SentenceResult {
        sid: sentence.sid.clone(),
        sig: sentence.sig.clone(),
        translation: None,
        cards: Vec::new(),
    }
}

fn form(form: &crate::model::prompt::FlashcardForm) -> Form {
    Form {
        form: form.form.clone(),
        translation: form.translation.clone(),
        kind: form.kind.clone().filter(|kind| !kind.is_empty()),
    }
}

#[cfg(test)]
mod tests;
