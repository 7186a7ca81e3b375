//! Reviews: what is due, and how well each card was known.

use std::time::Duration;

use serde::Serialize;

use super::Library;
use crate::deck::DeckCard;
use crate::deck::card::CardKey;
use crate::deck::merge::ContextsMax;
use crate::deck::review::{
    Learning, Memory, Rating, Recall, Recalls, Review, ReviewId, ReviewRecord,
};
use crate::deck::view::has_gap;
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::run_info::RunId;

const REVIEWS: &str = "reviews";

/// A card that is due.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DueCard {
    #[serde(flatten)]
    pub card: DeckCard,
    pub recall: Recall,
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
    /// Reviews since the day began.
    pub today: usize,
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
    pub recalls: Recalls,
    pub order: NewOrder,
}

/// Which new cards come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewOrder {
    /// As in the texts.
    Text,
    /// The most frequent words.
    Frequency,
}

impl ReviewPlan {
    /// A card that was not known is asked for again in the same session.
    pub const LEARN_AHEAD: Duration = Duration::from_secs(20 * 60);
}

/// A change of the log of reviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewChange {
    Given { id: ReviewId, key: CardKey, recall: Recall, rating: Rating, at: u64 },
    Undone { id: ReviewId },
}

impl Library {
    pub(super) async fn memory(&self) -> Result<Memory, CardsFault> {
        self.migrate().await?;
        let log = self.place(REVIEWS).parse()?;
        let records = journal::read_all::<ReviewRecord>(&*self.store, &log).await?;
        Ok(Memory::new(records, self.old_keys().await?))
    }

    /// The cards to review now, of one run or of all.
    pub async fn due(
        &self,
        run: Option<&RunId>,
        plan: ReviewPlan,
    ) -> Result<ReviewQueue, CardsFault> {
        let now = self.now();
        let memory = self.memory().await?;
        let mut queue =
            ReviewQueue { today: memory.reviews_since(plan.day_began), ..ReviewQueue::default() };
        let (mut seen, mut fresh) = (Vec::new(), Vec::new());
        for card in self.cards_of(run).await? {
            for recall in asked_of(&card, plan.recalls, &memory) {
                match memory.due(&card.key, recall) {
                    Some(due) if due <= now.saturating_add(lead(&memory, &card, recall, plan)) => {
                        seen.push((due, card.clone(), recall));
                    }
                    Some(due) => {
                        queue.next_at = Some(queue.next_at.map_or(due, |next| next.min(due)));
                    }
                    None => fresh.push((card.clone(), recall)),
                }
            }
        }
        seen.sort_by(|(one, card, recall), (other, last, then)| {
            (one, &card.key, recall).cmp(&(other, &last.key, then))
        });
        if plan.order == NewOrder::Frequency {
            fresh.sort_by_key(|(card, _)| std::cmp::Reverse(card.sentences));
        }
        let room = plan.new_max.saturating_sub(memory.begun_since(plan.day_began));
        queue.new_later = fresh.len().saturating_sub(room);
        fresh.truncate(room);
        (queue.due, queue.new) = (seen.len(), fresh.len());
        let cards = seen.into_iter().map(|(_, card, recall)| (card, recall)).chain(fresh);
        queue.cards = cards
            .map(|(card, recall)| DueCard {
                learning: memory.learning(&card.key, recall),
                intervals: memory.intervals(&card.key, recall, now),
                recall,
                card,
            })
            .collect();
        Ok(queue)
    }

    /// Records how well a card was known now; returns when it is due again.
    pub async fn review(
        &self,
        id: ReviewId,
        key: &CardKey,
        recall: Recall,
        rating: Rating,
    ) -> Result<u64, CardsFault> {
        let at = self.now();
        let change = ReviewChange::Given { id, key: key.clone(), recall, rating, at };
        self.record_reviews(vec![change]).await?;
        Ok(self.memory().await?.due(key, recall).unwrap_or(at))
    }

    /// Writes reviews and undone ones; each counts once, however often it is sent. Returns how
    /// many are new. A review cannot be made in the future: a clock that is ahead counts as now.
    pub async fn record_reviews(&self, changes: Vec<ReviewChange>) -> Result<usize, CardsFault> {
        let log = self.place(REVIEWS).parse()?;
        let now = self.now();
        let mut records = Vec::with_capacity(changes.len());
        for change in changes {
            let (record, once) = match change {
                ReviewChange::Given { id, key, recall, rating, at } => {
                    let once = format!("given-{id}");
                    let (key, at) = (key.into(), at.min(now));
                    (ReviewRecord::Given(Review { key, recall, rating, at, id: Some(id) }), once)
                }
                ReviewChange::Undone { id } => {
                    let once = format!("undone-{id}");
                    (ReviewRecord::Undone { undone: id, at: now }, once)
                }
            };
            records.push((journal::json(&record)?, Some(once.parse()?)));
        }
        let appended = self.store.log().append_all(&log, records).await?;
        let new = |one: &&store::AppendResult| matches!(one, store::AppendResult::New(_));
        Ok(appended.iter().filter(new).count())
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

/// What a card may be asked for: its word and its gap only once the meaning is known, so that
/// one does not give the answer to the other.
fn asked_of(card: &DeckCard, recalls: Recalls, memory: &Memory) -> Vec<Recall> {
    let mut asked = Vec::new();
    for recall in recalls.iter() {
        let possible = match recall {
            Recall::Meaning => true,
            Recall::Word => !card.card.meaning().is_empty(),
            Recall::Gap => has_gap(card),
        };
        let begun = memory.due(&card.key, recall).is_some();
        let ready = asked.iter().all(|first| memory.learning(&card.key, *first) == Learning::Known);
        if possible && (begun || ready) {
            asked.push(recall);
        }
    }
    asked
}

fn lead(memory: &Memory, card: &DeckCard, recall: Recall, plan: ReviewPlan) -> u64 {
    match memory.learning(&card.key, recall) {
        Learning::Learning | Learning::Relearning => {
            u64::try_from(plan.ahead.as_millis()).unwrap_or(u64::MAX)
        }
        Learning::New | Learning::Known => 0,
    }
}
