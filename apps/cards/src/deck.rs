//! Cards as people see them: with edits, and without known words.
//!
//! Must hold: a card keeps its key whatever is changed about it, so that exports and reviews
//! find it again; the same logs give the same deck.

pub(crate) mod card;

pub(crate) mod aggregate;
pub(crate) mod merge;

pub(crate) mod edit;
pub(crate) mod quality;
pub(crate) mod vocabulary;

pub(crate) mod review;
pub(crate) mod view;

use serde::Serialize;

use crate::deck::card::{Card, CardKey};
use crate::deck::quality::Doubt;

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
    /// How many sentences of all texts have it.
    pub sentences: usize,
    /// Why its meaning may be wrong; empty if a person has changed the card.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

impl DeckCard {
    /// Is it shown?
    pub fn is_visible(&self) -> bool {
        self.card.visible && !self.known
    }
}

/// Cards in the order in which a text has them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Deck {
    pub cards: Vec<DeckCard>,
}

impl Deck {
    pub fn get(&self, key: &CardKey) -> Option<&DeckCard> {
        self.cards.iter().find(|card| card.key == *key)
    }

    pub fn visible(&self) -> impl Iterator<Item = &DeckCard> {
        self.cards.iter().filter(|card| card.is_visible())
    }
}
