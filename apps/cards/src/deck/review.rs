//! Spaced repetition: when a card is due again (FSRS).
//!
//! In: ratings and their times. Out: what is due, and the interval after each rating. Must
//! hold: the log of reviews only grows, so that the state of every card, and better parameters
//! later, can be computed from it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rs_fsrs::{FSRS, State};
use serde::{Deserialize, Serialize};

use crate::deck::card::CardKey;

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
    pub key: CardKey,
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
#[derive(Debug, Clone, Default)]
pub struct Memory {
    cards: BTreeMap<CardKey, Remembered>,
}

#[derive(Debug, Clone)]
struct Remembered {
    card: rs_fsrs::Card,
    first: u64,
}

impl Memory {
    pub fn of(reviews: impl IntoIterator<Item = Review>) -> Self {
        let mut memory = Self::default();
        for review in reviews {
            memory.add(&review);
        }
        memory
    }

    pub fn add(&mut self, review: &Review) {
        let card = self.card(&review.key, review.at);
        let next = FSRS::default().next(card, time(review.at).into(), review.rating.fsrs()).card;
        let remembered = Remembered { card: next, first: review.at };
        self.cards
            .entry(review.key.clone())
            .and_modify(|known| known.card.clone_from(&remembered.card))
            .or_insert(remembered);
    }

    /// When a card is due, in milliseconds since 1970; none for a new one.
    pub fn due(&self, key: &CardKey) -> Option<u64> {
        self.cards.get(key).map(|known| millis(SystemTime::from(known.card.due)))
    }

    pub fn learning(&self, key: &CardKey) -> Learning {
        match self.cards.get(key).map(|known| known.card.state) {
            None | Some(State::New) => Learning::New,
            Some(State::Learning) => Learning::Learning,
            Some(State::Review) => Learning::Known,
            Some(State::Relearning) => Learning::Relearning,
        }
    }

    /// How many cards were seen for the first time since then.
    pub fn begun_since(&self, at: u64) -> usize {
        self.cards.values().filter(|known| known.first >= at).count()
    }

    /// The interval after each rating.
    pub fn intervals(&self, key: &CardKey, now: u64) -> [Duration; 4] {
        let card = self.card(key, now);
        Rating::ALL.map(|rating| {
            let next = FSRS::default().next(card.clone(), time(now).into(), rating.fsrs()).card;
            Duration::from_millis(millis(SystemTime::from(next.due)).saturating_sub(now))
        })
    }

    fn card(&self, key: &CardKey, now: u64) -> rs_fsrs::Card {
        let fresh = || rs_fsrs::Card {
            due: time(now).into(),
            last_review: time(now).into(),
            ..rs_fsrs::Card::default()
        };
        self.cards.get(key).map_or_else(fresh, |known| known.card.clone())
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
