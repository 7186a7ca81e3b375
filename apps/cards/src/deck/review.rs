//! Spaced repetition: when a card is due again (FSRS).
//!
//! In: the log of reviews. Out: what is due, and the interval after each rating. Must hold: the
//! log only grows, so that the state of every card, and better parameters later, can be
//! computed from it; the order in which reviews arrive does not matter, only when they were
//! made; an undone review never happened.

mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use rs_fsrs::{FSRS, State};
use serde::{Deserialize, Serialize};

pub(crate) use self::record::ReviewRecord;
pub use self::record::{BadReviewId, Recall, Recalls, Review, ReviewId};
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
    cards: BTreeMap<(CardRef, Recall), Remembered>,
    /// When each review was made, in order.
    times: Vec<u64>,
    old_keys: OldKeys,
}

#[derive(Debug, Clone)]
struct Remembered {
    card: rs_fsrs::Card,
    first: u64,
}

impl Memory {
    pub(crate) fn new(records: impl IntoIterator<Item = ReviewRecord>, old_keys: OldKeys) -> Self {
        let mut memory = Self { old_keys, ..Self::default() };
        let mut undone = BTreeSet::new();
        let mut reviews = Vec::new();
        for record in records {
            match record {
                ReviewRecord::Given(review) => reviews.push(review),
                ReviewRecord::Undone { undone: id, .. } => drop(undone.insert(id)),
            }
        }
        reviews.retain(|review| review.id.as_ref().is_none_or(|id| !undone.contains(id)));
        // Those made without a connection arrive late; the sort is stable.
        reviews.sort_by_key(|review| review.at);
        for review in &reviews {
            memory.add(review);
        }
        memory
    }

    pub(crate) fn add(&mut self, review: &Review) {
        let before = match review.key.whole() {
            Some(key) => self.find(&key, review.recall),
            None => self.cards.get(&(review.key.clone(), review.recall)),
        };
        let card = before.map_or_else(|| fresh(review.at), |known| known.card.clone());
        let first = before.map_or(review.at, |known| known.first);
        let card = FSRS::default().next(card, time(review.at).into(), review.rating.fsrs()).card;
        self.times.push(review.at);
        self.cards.insert((review.key.clone(), review.recall), Remembered { card, first });
    }

    /// What is remembered of a card, also from before keys named the target language.
    fn find(&self, key: &CardKey, recall: Recall) -> Option<&Remembered> {
        let own = self.cards.get(&(CardRef::from(key.clone()), recall));
        let old = || self.cards.get(&(key.without_target(), recall));
        own.or_else(|| old().filter(|_| self.old_keys.inherits(key)))
    }

    /// When a card is due, in milliseconds since 1970; none for a new one.
    pub(crate) fn due(&self, key: &CardKey, recall: Recall) -> Option<u64> {
        self.find(key, recall).map(|known| millis(SystemTime::from(known.card.due)))
    }

    pub(crate) fn learning(&self, key: &CardKey, recall: Recall) -> Learning {
        match self.find(key, recall).map(|known| known.card.state) {
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

    /// How many reviews were made since then.
    pub(crate) fn reviews_since(&self, at: u64) -> usize {
        self.times.iter().filter(|time| **time >= at).count()
    }

    /// The interval after each rating.
    pub(crate) fn intervals(&self, key: &CardKey, recall: Recall, now: u64) -> [Duration; 4] {
        let card = self.card(key, recall, now);
        Rating::ALL.map(|rating| {
            let next = FSRS::default().next(card.clone(), time(now).into(), rating.fsrs()).card;
            Duration::from_millis(millis(SystemTime::from(next.due)).saturating_sub(now))
        })
    }

    fn card(&self, key: &CardKey, recall: Recall, now: u64) -> rs_fsrs::Card {
        self.find(key, recall).map_or_else(|| fresh(now), |known| known.card.clone())
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
