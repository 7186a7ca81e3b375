//! The cards of a run as people see them: with edits, and without known words.
//!
//! Must hold: a card keeps its key whatever is changed about it, so that exports and reviews
//! find it again; the same log gives the same deck.

pub(crate) mod card;

pub(crate) mod aggregate;
pub(crate) mod merge;

pub(crate) mod edit;
pub(crate) mod review;
pub(crate) mod view;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::deck::card::{Card, CardKey};
use crate::deck::edit::{Edit, Standing, Strategy, standing};
use crate::deck::merge::{ContextsMax, merge};

/// One card of a deck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeckCard {
    pub key: CardKey,
    #[serde(flatten)]
    pub card: Card,
    /// Has a person changed it?
    pub edited: bool,
    /// Is it in the list of known words? Then it is hidden everywhere.
    pub known: bool,
}

impl DeckCard {
    /// Is it shown?
    pub fn is_visible(&self) -> bool {
        self.card.visible && !self.known
    }
}

/// All cards of a run, in the order of its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Deck {
    pub cards: Vec<DeckCard>,
}

impl Deck {
    pub(crate) fn new(cards: Vec<Card>, edits: Vec<Edit>, known: &BTreeSet<String>) -> Self {
        let mut cards: Vec<DeckCard> = cards.into_iter().map(|card| came(card, known)).collect();
        for edit in standing(edits) {
            apply(&mut cards, edit, known);
        }
        Self { cards }
    }

    pub fn get(&self, key: &CardKey) -> Option<&DeckCard> {
        self.cards.iter().find(|card| card.key == *key)
    }

    pub fn visible(&self) -> impl Iterator<Item = &DeckCard> {
        self.cards.iter().filter(|card| card.is_visible())
    }
}

fn came(card: Card, known: &BTreeSet<String>) -> DeckCard {
    let key = card.key();
    let known = known.contains(key.base());
    DeckCard { key, card, edited: false, known }
}

fn apply(cards: &mut Vec<DeckCard>, edit: Standing, known: &BTreeSet<String>) {
    match edit {
        Standing::Changed { key, change } => {
            for card in cards.iter_mut().filter(|card| card.key == key) {
                change.apply(&mut card.card);
                card.edited = true;
            }
        }
        Standing::Shown { keys, visible } => {
            let keys: BTreeSet<_> = keys.into_iter().collect();
            for card in cards.iter_mut().filter(|card| keys.contains(&card.key)) {
                card.card.visible = visible;
            }
        }
        // `standing` has removed the earlier changes.
        Standing::Restored { .. } => {}
        Standing::Imported { strategy, cards: imported } => {
            *cards = import(std::mem::take(cards), imported, strategy, known);
        }
    }
}

/// The deck after an import.
pub(crate) fn import(
    local: Vec<DeckCard>,
    imported: Vec<Card>,
    strategy: Strategy,
    known: &BTreeSet<String>,
) -> Vec<DeckCard> {
    let imported: Vec<DeckCard> = merge(imported, ContextsMax(usize::MAX))
        .into_iter()
        .map(|card| came(card, known))
        .collect();
    match strategy {
        Strategy::ReplaceAll => imported,
        Strategy::MergeKeepLocal => {
            let there: BTreeSet<CardKey> = local.iter().map(|card| card.key.clone()).collect();
            let new = imported.into_iter().filter(|card| !there.contains(&card.key));
            local.into_iter().chain(new).collect()
        }
        Strategy::MergePreferImported => {
            let mut coming: BTreeMap<CardKey, DeckCard> =
                imported.iter().map(|card| (card.key.clone(), card.clone())).collect();
            let mut cards: Vec<DeckCard> =
                local.into_iter().map(|card| coming.remove(&card.key).unwrap_or(card)).collect();
            cards.extend(imported.into_iter().filter(|card| coming.contains_key(&card.key)));
            cards
        }
    }
}
