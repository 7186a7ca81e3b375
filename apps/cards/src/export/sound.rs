//! How words sound: files of a speech server, for the page and for Anki.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{BoxFuture, Digest};

use crate::deck::DeckCard;
use crate::deck::card::CardKey;
use crate::text::language::Language;

/// A sound as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// The ending of its file, as in `mp3`.
    pub ending: &'static str,
    pub bytes: Vec<u8>,
}

/// Sounds of words, by their card.
pub type Sounds = BTreeMap<CardKey, Sound>;

/// Reads a text aloud in a language; the program decides which server does.
pub type Speaker =
    Arc<dyn Fn(String, Language) -> BoxFuture<'static, Result<Sound, String>> + Send + Sync>;

impl Sound {
    /// The same sound has the same name, so that Anki keeps it once.
    pub(crate) fn name(&self) -> String {
        let digest = Digest::of(&self.bytes).to_string();
        let hex = digest.trim_start_matches("sha256:");
        format!("ghosthand-{}.{}", hex.get(..20).unwrap_or(hex), self.ending)
    }

    /// As a field of a note refers to it.
    pub(crate) fn reference(&self) -> String {
        format!("[sound:{}]", self.name())
    }
}

/// Words in one package; beyond, they have no sound.
const SOUNDS_MAX: usize = 2_000;
/// Failures in a row after which a speech server is left alone.
const FAILURES_MAX: usize = 3;

/// The sounds of visible cards, and the first fault if some have none.
pub async fn sounds_of(cards: &[DeckCard], speaker: &Speaker) -> (Sounds, Option<String>) {
    let (mut sounds, mut fault, mut failures) = (Sounds::new(), None, 0);
    let visible = cards.iter().filter(|card| card.is_visible());
    for card in visible.take(SOUNDS_MAX) {
        let word = card.card.base_form.clone();
        match speaker(word, card.card.language.clone()).await {
            Ok(sound) => {
                failures = 0;
                sounds.insert(card.key.clone(), sound);
            }
            Err(why) => {
                failures += 1;
                fault.get_or_insert(why);
            }
        }
        if failures >= FAILURES_MAX {
            break;
        }
    }
    (sounds, fault)
}
