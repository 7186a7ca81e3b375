//! Follows a conversation while any process writes to it.

use policy::ConversationId;
use store::{Sequence, Subscription};

use super::Conversations;
use crate::fault::{ConversationFault, bad_name};
use crate::record::EventRecord;
use crate::store_keys;

/// The events of a conversation: first the existing ones, then each new one.
#[derive(Debug)]
pub struct EventFeed(Subscription<store::Record>);

impl EventFeed {
    /// Waits for the next event. Cancel safe.
    pub async fn next(&mut self) -> Result<EventRecord, ConversationFault> {
        EventRecord::decode(&self.0.next().await?)
    }
}

impl Conversations {
    /// Every event after the one with this number, whichever process writes it.
    pub async fn follow(
        &self,
        id: &ConversationId,
        after: u64,
    ) -> Result<EventFeed, ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let store = self.engine.store();
        Ok(EventFeed(store.log().follow(&log, Sequence(after).next()).await?))
    }
}
