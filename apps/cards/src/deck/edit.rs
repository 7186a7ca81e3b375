//! Edits of the cards of a run: events in a separate log.
//!
//! Must hold: the cards of the model are never overwritten; undoing an edit restores the card
//! byte for byte; an import counts only when it is complete.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::deck::card::{Card, CardKey};

/// One record of the log of edits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub(crate) enum Edit {
    Changed {
        key: CardKey,
        change: CardChange,
    },
    /// Shows or hides cards.
    Shown {
        keys: Vec<CardKey>,
        visible: bool,
    },
    /// Back to the card as the model made it.
    Restored {
        key: CardKey,
    },
    /// Undoes the newest edit that still counts.
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
    pub translation: String,
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
        for ContextChange { at, translation } in &self.contexts {
            if let Some(context) = card.contexts.get_mut(*at) {
                context.translation.clone_from(translation);
            }
        }
    }
}

/// The edits that count: complete imports, and nothing that was undone.
pub(crate) fn standing(edits: Vec<Edit>) -> Vec<Standing> {
    let mut imports: BTreeMap<String, (Strategy, usize, Vec<Card>)> = BTreeMap::new();
    let mut standing = Vec::new();
    for edit in edits {
        match edit {
            Edit::Changed { key, change } => standing.push(Standing::Changed { key, change }),
            Edit::Shown { keys, visible } => standing.push(Standing::Shown { keys, visible }),
            Edit::Restored { key } => standing.push(Standing::Restored { key }),
            Edit::Undone => drop(standing.pop()),
            Edit::ImportBegun { import, strategy, cards } => {
                imports.insert(import, (strategy, cards, Vec::new()));
            }
            Edit::ImportPart { import, cards } => {
                if let Some((_, _, all)) = imports.get_mut(&import) {
                    all.extend(cards);
                }
            }
            Edit::ImportEnded { import } => {
                if let Some((strategy, count, cards)) = imports.remove(&import)
                    && cards.len() == count
                {
                    standing.push(Standing::Imported { strategy, cards });
                }
            }
        }
    }
    without_restored(standing)
}

/// A restored card loses its earlier changes, except imports.
fn without_restored(edits: Vec<Standing>) -> Vec<Standing> {
    let mut kept: Vec<Standing> = Vec::with_capacity(edits.len());
    for edit in edits {
        let Standing::Restored { key } = edit else {
            kept.push(edit);
            continue;
        };
        kept.retain(
            |edit| !matches!(edit, Standing::Changed { key: changed, .. } if *changed == key),
        );
        for edit in &mut kept {
            if let Standing::Shown { keys, .. } = edit {
                keys.retain(|shown| *shown != key);
            }
        }
    }
    kept
}

/// An edit that counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    Changed { key: CardKey, change: CardChange },
    Shown { keys: Vec<CardKey>, visible: bool },
    Restored { key: CardKey },
    Imported { strategy: Strategy, cards: Vec<Card> },
}
