//! What the answers of conversations used and cost, from their logs.
//!
//! Must hold: an answer whose price is unknown is counted as unknown, never as free.

use contract::Usage;
use conversation::{ConversationEvent, EventRecord};
use policy::Timestamp;
use providers::{PriceBook, Spent};
use schemars::JsonSchema;
use serde::Serialize;

/// One request to a model, as it was recorded.
pub(crate) struct Answered<'r> {
    pub at: Timestamp,
    pub turn: u64,
    /// `provider:name`, as it was chosen.
    pub model: String,
    /// The name that the provider gave.
    pub answered: &'r str,
    pub usage: Usage,
}

/// Money, in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Money {
    /// Of the requests whose price is known.
    pub dollars: f64,
    /// Whether it may be less, because tokens from a cache are counted at the full price.
    pub is_most: bool,
    /// How many requests have an unknown price.
    pub unknown: u64,
}

/// Every answer of a log. A conversation may change its model, and a message may have its own.
pub(crate) fn answers(records: &[EventRecord]) -> Vec<Answered<'_>> {
    let (mut opened, mut chosen, mut of_turn) = (String::new(), None, None);
    let mut found = Vec::new();
    for EventRecord { at, event, .. } in records {
        if let ConversationEvent::Opened(first) = event {
            opened.clone_from(&first.model);
        } else if let ConversationEvent::SettingsChanged { settings, .. } = event {
            chosen.clone_from(&settings.model);
        } else if let ConversationEvent::Said { model, .. } = event {
            of_turn.clone_from(model);
        } else if let ConversationEvent::Replied { turn, reply, .. } = event {
            let model = of_turn.as_ref().or(chosen.as_ref()).unwrap_or(&opened).clone();
            let (at, turn, usage) = (*at, *turn, reply.usage);
            found.push(Answered { at, turn, model, answered: &reply.model, usage });
        }
    }
    found
}

impl Answered<'_> {
    pub(crate) fn spent(&self, prices: &PriceBook) -> Option<Spent> {
        prices.spent(&self.model, self.answered, &self.usage)
    }
}

/// The sum; none if there is nothing to add.
pub(crate) fn money(spent: impl Iterator<Item = Option<Spent>>) -> Option<Money> {
    let (mut sum, mut unknown, mut count) = (Spent::default(), 0, 0_u64);
    for one in spent {
        count += 1;
        match one {
            Some(one) => sum += one,
            None => unknown += 1,
        }
    }
    let Spent { cost, is_most } = sum;
    (count > 0).then(|| Money { dollars: cost.dollars(), is_most, unknown })
}
