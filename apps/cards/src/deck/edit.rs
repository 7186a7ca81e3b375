//! Edits of cards by people: records of a log that each language pair has.
//!
//! Must hold: the cards of the model are never overwritten; undoing an edit restores the card
//! byte for byte; an import counts only when it is complete.

mod standing;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::deck::card::{Card, CardRef, Context};
use crate::run::run_info::RunId;
use crate::text::manifest::signature;

pub(crate) use self::standing::{Standing, standing};

/// One record of the log of edits, with the run in which it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EditRecord {
    pub run: RunId,
    #[serde(flatten)]
    pub edit: Edit,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub(crate) enum Edit {
    Changed {
        key: CardRef,
        change: CardChange,
    },
    /// Shows or hides cards.
    Shown {
        keys: Vec<CardRef>,
        visible: bool,
    },
    /// Back to the card as the model made it.
    Restored {
        key: CardRef,
    },
    /// Undoes the newest edit of the run that still counts.
    Undone,
    ImportBegun {
        import: String,
        strategy: Strategy,
        cards: usize,
    },
    ImportPart {
        import: String,
        cards: Vec<Card>,
    },
    ImportEnded {
        import: String,
    },
    /// The run was deleted: its imports go with it, its other edits stay and cannot be undone.
    RunRemoved,
}

/// A change of a card; absent fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_form: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_translation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextChange>,
}

/// Another translation of one of a card's sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextChange {
    /// Its place on the card, from 0.
    pub at: usize,
    /// The signature of the sentence: it counts more than the place, which other texts change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sig: Option<String>,
    pub translation: String,
}

impl ContextChange {
    pub fn new(at: usize, translation: impl Into<String>) -> Self {
        Self { at, sig: None, translation: translation.into() }
    }
}

/// How imported cards are merged with existing ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Only the imported cards stay.
    ReplaceAll,
    /// Existing cards stay; new ones are added.
    MergeKeepLocal,
    /// Imported cards replace existing ones.
    MergePreferImported,
}

impl Strategy {
    pub const ALL: [Strategy; 3] =
        [Strategy::ReplaceAll, Strategy::MergeKeepLocal, Strategy::MergePreferImported];

    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::ReplaceAll => "replace-all",
            Strategy::MergeKeepLocal => "merge-keep-local",
            Strategy::MergePreferImported => "merge-prefer-imported",
        }
    }
}

impl std::str::FromStr for Strategy {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.as_str() == text);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|strategy| strategy.as_str()).collect();
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}

impl CardChange {
    /// Names the sentences of the changes by their signatures, as they stand on this card.
    pub(crate) fn sign(&mut self, card: &Card) {
        for change in &mut self.contexts {
            let given = change.sig.take();
            let named = |context: &&Context| {
                given.is_some() && (context.sig == given || Some(signature(&context.text)) == given)
            };
            let context = card.contexts.iter().find(named).or_else(|| card.contexts.get(change.at));
            change.sig = context.map(|context| signature(&context.text));
        }
    }
}

/// Everything that people have changed about a card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PersonalChange {
    base_form: Option<String>,
    /// An empty text removes the meaning.
    base_translation: Option<String>,
    pub visible: Option<bool>,
    /// Translations of sentences, by their signatures.
    translations: BTreeMap<String, String>,
    /// Translations by place on the card, where a record has no signature.
    places: BTreeMap<usize, String>,
    /// Does it count as an edit, or is it only from a file, hidden or shown?
    pub edited: bool,
}

impl PersonalChange {
    /// What a file says about a card counts more than what other texts say.
    pub(crate) fn imported(card: &Card) -> Self {
        Self {
            base_form: Some(card.base_form.clone()),
            base_translation: card.base_translation.clone(),
            visible: Some(card.visible),
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, change: &CardChange) {
        self.edited = true;
        let CardChange { base_form, base_translation, visible, contexts } = change.clone();
        self.base_form = base_form.or(self.base_form.take());
        self.base_translation = base_translation.or(self.base_translation.take());
        self.visible = visible.or(self.visible);
        for ContextChange { at, sig, translation } in contexts {
            match sig {
                Some(sig) => self.translations.insert(sig, translation),
                None => self.places.insert(at, translation),
            };
        }
    }

    pub(crate) fn apply(&self, card: &mut Card) {
        if let Some(base_form) = &self.base_form {
            card.base_form.clone_from(base_form);
        }
        if let Some(translation) = &self.base_translation {
            card.base_translation = Some(translation.clone()).filter(|text| !text.is_empty());
        }
        if let Some(visible) = self.visible {
            card.visible = visible;
        }
        for (at, context) in card.contexts.iter_mut().enumerate() {
            let by_place = || self.places.get(&at);
            let said = match self.translations.is_empty() {
                true => by_place(),
                false => self.translations.get(&signature(&context.text)).or_else(by_place),
            };
            if let Some(translation) = said {
                context.translation.clone_from(translation);
            }
        }
    }
}
