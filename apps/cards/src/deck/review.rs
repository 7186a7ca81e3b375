//! Spaced repetition: when a card is due again (FSRS).
//!
//! In: ratings and their times. Out: what is due, and the interval after each rating. Must
//! hold: the log of reviews only grows, so that the state of every card, and better parameters
//! later, can be computed from it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rs_fsrs::{FSRS, State};
use serde::{Deserialize, Serialize};

use crate::deck::card::{CardKey, CardRef};
use crate::library::OldKeys;

/// How well a card was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    Again,
    Hard,
    Good,
    Easy,
}

impl Rating {
    pub const ALL: [Rating; 4] = [Rating::Again, Rating::Hard, Rating::Good, Rating::Easy];

    fn fsrs(self) -> rs_fsrs::Rating {
        match self {
            Rating::Again => rs_fsrs::Rating::Again,
            Rating::Hard => rs_fsrs::Rating::Hard,
            Rating::Good => rs_fsrs::Rating::Good,
            Rating::Easy => rs_fsrs::Rating::Easy,
        }
    }
}

/// One record of the log of reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Without a target language in records of version 1.
    pub key: CardRef,
    pub rating: Rating,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// The stage of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    New,
    Learning,
    Known,
    Relearning,
}

/// The memory state of all cards that were reviewed.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    cards: BTreeMap<CardRef, Remembered>,
    old_keys: OldKeys,
}

#[derive(Debug, Clone)]
struct Remembered {
    card: rs_fsrs::Card,
    first: u64,
}

impl Memory {
    pub(crate) fn new(reviews: impl IntoIterator<Item = Review>, old_keys: OldKeys) -> Self {
        let mut memory = Self { cards: BTreeMap::new(), old_keys };
        for review in reviews {
            memory.add(&review);
        }
        memory
    }

    pub(crate) fn add(&mut self, review: &Review) {
        let before = match review.key.whole() {
            Some(key) => self.find(&key),
            None => self.cards.get(&review.key),
        };
        let card = before.map_or_else(|| fresh(review.at), |known| known.card.clone());
        let first = before.map_or(review.at, |known| known.first);
        let card = FSRS::default().next(card, time(review.at).into(), review.rating.fsrs()).card;
        self.cards.insert(review.key.clone(), Remembered { card, first });
    }

    /// What is remembered of a card, also from before keys named the target language.
    fn find(&self, key: &CardKey) -> Option<&Remembered> {
        let own = self.cards.get(&CardRef::from(key.clone()));
        let old = || self.cards.get(&key.without_target());
        own.or_else(|| old().filter(|_| self.old_keys.inherits(key)))
    }

    /// When a card is due, in milliseconds since 1970; none for a new one.
    pub(crate) fn due(&self, key: &CardKey) -> Option<u64> {
        self.find(key).map(|known| millis(SystemTime::from(known.card.due)))
    }

    pub(crate) fn learning(&self, key: &CardKey) -> Learning {
        match self.find(key).map(|known| known.card.state) {
            None | Some(State::New) => Learning::New,
            Some(State::Learning) => Learning::Learning,
            Some(State::Review) => Learning::Known,
            Some(State::Relearning) => Learning::Relearning,
        }
    }

    /// How many cards were seen for the first time since then.
    pub(crate) fn begun_since(&self, at: u64) -> usize {
        self.cards.values().filter(|known| known.first >= at).count()
    }

    /// The interval after each rating.
    pub(crate) fn intervals(&self, key: &CardKey, now: u64) -> [Duration; 4] {
        let card = self.card(key, now);
        Rating::ALL.map(|rating| {
            let next = FSRS::default().next(card.clone(), time(now).into(), rating.fsrs()).card;
            Duration::from_millis(millis(SystemTime::from(next.due)).saturating_sub(now))
        })
    }

    fn card(&self, key: &CardKey, now: u64) -> rs_fsrs::Card {
        self.find(key).map_or_else(|| fresh(now), |known| known.card.clone())
    }
}

/// A card that was never reviewed.
fn fresh(now: u64) -> rs_fsrs::Card {
    rs_fsrs::Card {
        due: time(now).into(),
        last_review: time(now).into(),
        ..rs_fsrs::Card::default()
    }
}

fn time(millis: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

fn millis(time: SystemTime) -> u64 {
    crate::run::work::millis(time)
}

#[cfg(test)]
mod tests;
