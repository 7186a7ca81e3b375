//! Follows a conversation while any process writes to it.

use policy::ConversationId;
use store::{Sequence, Subscription};

use super::Conversations;
use super::lease::fence::Admission;
use crate::fault::{ConversationFault, bad_name};
use crate::record::EventRecord;
use crate::store_keys;

/// The events of a conversation: first the existing ones, then each new one.
#[derive(Debug)]
pub struct EventFeed {
    records: Subscription<store::Record>,
    admission: Admission,
}

impl EventFeed {
    /// Waits for the next event. Cancel safe.
    pub async fn next(&mut self) -> Result<EventRecord, ConversationFault> {
        let record = EventRecord::decode(&self.records.next().await?)?;
        Ok(self.admission.admit(record))
    }
}

impl Conversations {
    /// Every event after these, which were read from the beginning, whichever process writes it.
    pub async fn follow(
        &self,
        id: &ConversationId,
        read: &[EventRecord],
    ) -> Result<EventFeed, ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let after = read.last().map_or(0, |record| record.sequence);
        let records = self.engine.store().log().follow(&log, Sequence(after).next()).await?;
        Ok(EventFeed { records, admission: Admission::after(read) })
    }
}
