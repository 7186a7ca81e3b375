//! Words that a person knows: their cards are hidden everywhere.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Library;
use crate::fault::CardsFault;
use crate::run::journal;
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

impl Library {
    /// The known base forms, in lower case.
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

    /// Removes words from the list.
    pub async fn unlearn(&self, language: &Language, words: &[String]) -> Result<(), CardsFault> {
        let gone = words.iter().map(|word| even(word)).collect();
        self.write_known(language, &KnownEvent::Forgotten(gone)).await
    }

    async fn write_known(&self, language: &Language, event: &KnownEvent) -> Result<(), CardsFault> {
        let log = self.place(&format!("known/{language}")).parse()?;
        journal::append(&*self.store, &log, event, None).await
    }
}

fn even(word: &str) -> String {
    normalise(word).to_lowercase()
}
