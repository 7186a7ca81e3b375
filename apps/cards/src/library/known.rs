//! Words that a person knows: their cards are hidden everywhere, and no model is paid for them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Library;
use crate::deck::Deck;
use crate::deck::card::Unit;
use crate::deck::vocabulary::RunCards;
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::known_forms::KnownForms;
use crate::text::language::Language;
use crate::text::manifest::normalise;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KnownEvent {
    Learned(Vec<String>),
    Forgotten(Vec<String>),
}

/// Words in one record of the log.
const PART_WORDS: usize = 2_000;

/// The words that a person knows, with the forms that cards have shown of them.
#[derive(Debug, Default)]
pub(crate) struct KnownWords {
    /// In lower case.
    bases: BTreeSet<String>,
    /// Every form that is certain to be one of a known word.
    forms: BTreeSet<String>,
}

impl KnownWords {
    /// A word that is no base form stands for the base forms that it is a form of: `ir` for
    /// `būt`.
    pub(crate) fn new<'a>(
        words: &BTreeSet<String>,
        runs: impl Iterator<Item = &'a RunCards>,
    ) -> Self {
        let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut bases = BTreeSet::new();
        for card in runs.flat_map(|run| &run.cards).filter(|card| card.unit == Unit::Word) {
            let base = even(&card.base_form);
            for form in &card.forms {
                forms.entry(even(&form.form)).or_default().insert(base.clone());
            }
            bases.insert(base);
        }
        let mut known = words.clone();
        for word in words.iter().filter(|word| !bases.contains(*word)) {
            known.extend(forms.get(word).into_iter().flatten().cloned());
        }
        // A form of two words is known only if both are.
        let sure = |words: &BTreeSet<String>| words.iter().all(|word| known.contains(word));
        let sure = forms.iter().filter(|(_, words)| sure(words)).map(|(form, _)| form.clone());
        let forms = words.iter().cloned().chain(sure).collect();
        Self { bases: known, forms }
    }

    /// The forms that need no card.
    pub(crate) fn forms(self) -> KnownForms {
        KnownForms::new(self.forms)
    }

    /// Marks the cards of known words.
    pub(crate) fn mark(&self, mut deck: Deck) -> Deck {
        for card in &mut deck.cards {
            card.known = self.bases.contains(card.key.base());
        }
        deck
    }
}

impl Library {
    /// The list of known words as the person wrote it, in lower case.
    pub async fn known(&self, language: &Language) -> Result<BTreeSet<String>, CardsFault> {
        let log = self.place(&format!("known/{language}")).parse()?;
        let mut words = BTreeSet::new();
        for event in journal::read_all::<KnownEvent>(&*self.store, &log).await? {
            match event {
                KnownEvent::Learned(learned) => words.extend(learned),
                KnownEvent::Forgotten(gone) => gone.iter().for_each(|word| {
                    words.remove(word);
                }),
            }
        }
        Ok(words)
    }

    /// Adds words to the list; returns how many are new.
    pub async fn learn(&self, language: &Language, words: &[String]) -> Result<usize, CardsFault> {
        let known = self.known(language).await?;
        let even: BTreeSet<String> = words.iter().map(|word| even(word)).collect();
        let new: Vec<String> =
            even.into_iter().filter(|word| !word.is_empty() && !known.contains(word)).collect();
        for part in new.chunks(PART_WORDS) {
            self.write_known(language, &KnownEvent::Learned(part.to_vec())).await?;
        }
        Ok(new.len())
    }

    /// Removes words from the list; returns those that were in it.
    pub async fn unlearn(
        &self,
        language: &Language,
        words: &[String],
    ) -> Result<BTreeSet<String>, CardsFault> {
        let known = self.known(language).await?;
        let wanted: BTreeSet<String> = words.iter().map(|word| even(word)).collect();
        let gone: BTreeSet<String> = wanted.intersection(&known).cloned().collect();
        if !gone.is_empty() {
            let event = KnownEvent::Forgotten(gone.iter().cloned().collect());
            self.write_known(language, &event).await?;
        }
        Ok(gone)
    }

    async fn write_known(&self, language: &Language, event: &KnownEvent) -> Result<(), CardsFault> {
        let log = self.place(&format!("known/{language}")).parse()?;
        journal::append(&*self.store, &log, event, None).await
    }
}

fn even(word: &str) -> String {
    normalise(word).to_lowercase()
}
