//! Reviews: what is due, and how well each card was known.

use std::time::Duration;

use serde::Serialize;

use super::Library;
use crate::deck::DeckCard;
use crate::deck::card::CardKey;
use crate::deck::merge::ContextsMax;
use crate::deck::review::{Learning, Memory, Rating, Review};
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::run_info::RunId;

const REVIEWS: &str = "reviews";

/// A card that is due.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DueCard {
    #[serde(flatten)]
    pub card: DeckCard,
    pub learning: Learning,
    /// The interval after each of again, hard, good and easy.
    pub intervals: [Duration; 4],
}

/// The cards to review now.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ReviewQueue {
    /// Cards seen before come first, the longest overdue at the head.
    pub cards: Vec<DueCard>,
    pub due: usize,
    pub new: usize,
    /// New cards that wait for another day.
    pub new_later: usize,
    /// When the next card is due, if none is now.
    pub next_at: Option<u64>,
}

/// What a person wants to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewPlan {
    /// New cards per day.
    pub new_max: usize,
    /// When the day began, in milliseconds since 1970.
    pub day_began: u64,
    /// Cards in learning are due this much earlier, so that a card that was not known returns
    /// in the same session.
    pub ahead: Duration,
}

impl Library {
    async fn memory(&self) -> Result<Memory, CardsFault> {
        self.migrate().await?;
        let log = self.place(REVIEWS).parse()?;
        let reviews = journal::read_all::<Review>(&*self.store, &log).await?;
        Ok(Memory::new(reviews, self.old_keys().await?))
    }

    /// The cards to review now, of one run or of all.
    pub async fn due(
        &self,
        run: Option<&RunId>,
        plan: ReviewPlan,
    ) -> Result<ReviewQueue, CardsFault> {
        let now = self.now();
        let memory = self.memory().await?;
        let mut queue = ReviewQueue::default();
        let (mut seen, mut fresh) = (Vec::new(), Vec::new());
        let ahead = u64::try_from(plan.ahead.as_millis()).unwrap_or(u64::MAX);
        for card in self.cards_of(run).await? {
            let lead = match memory.learning(&card.key) {
                Learning::Learning | Learning::Relearning => ahead,
                Learning::New | Learning::Known => 0,
            };
            match memory.due(&card.key) {
                Some(due) if due <= now.saturating_add(lead) => seen.push((due, card)),
                Some(due) => queue.next_at = Some(queue.next_at.map_or(due, |next| next.min(due))),
                None => fresh.push(card),
            }
        }
        seen.sort_by(|(one, card), (other, last)| (one, &card.key).cmp(&(other, &last.key)));
        let room = plan.new_max.saturating_sub(memory.begun_since(plan.day_began));
        queue.new_later = fresh.len().saturating_sub(room);
        fresh.truncate(room);
        (queue.due, queue.new) = (seen.len(), fresh.len());
        let cards = seen.into_iter().map(|(_, card)| card).chain(fresh);
        queue.cards = cards
            .map(|card| DueCard {
                learning: memory.learning(&card.key),
                intervals: memory.intervals(&card.key, now),
                card,
            })
            .collect();
        Ok(queue)
    }

    /// Records how well a card was known; returns when it is due again.
    pub async fn review(&self, key: &CardKey, rating: Rating) -> Result<u64, CardsFault> {
        let review = Review { key: key.clone().into(), rating, at: self.now() };
        let log = self.place(REVIEWS).parse()?;
        journal::append(&*self.store, &log, &review, None).await?;
        Ok(self.memory().await?.due(key).unwrap_or(review.at))
    }

    /// Visible cards, each once.
    async fn cards_of(&self, run: Option<&RunId>) -> Result<Vec<DeckCard>, CardsFault> {
        let mut cards = match run {
            Some(run) => self.deck(run, ContextsMax::USUAL).await?.cards,
            None => {
                let mut cards = Vec::new();
                for pair in self.pairs().await? {
                    cards.extend(self.words(&pair, ContextsMax::USUAL).await?.cards);
                }
                cards
            }
        };
        cards.retain(DeckCard::is_visible);
        Ok(cards)
    }
}
