//! Writes the notices of tools into the logs of conversations.

use std::sync::Arc;

use policy::BoxFuture;
use services::{Notice, NoticeFault, Notices};
use store::{Sequence, Store};

use crate::event::ConversationEvent;
use crate::fault::{ConversationFault, bad_name};
use crate::record::{EventRecord, encode};
use crate::store_keys;

/// Leaves notices in the conversations of a store.
pub struct LogNotices(Arc<dyn Store>);

impl LogNotices {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }
}

impl Notices for LogNotices {
    fn leave(&self, notice: Notice) -> BoxFuture<'static, Result<(), NoticeFault>> {
        let store = Arc::clone(&self.0);
        Box::pin(async move {
            let written = write(store.as_ref(), notice).await;
            written.map_err(|fault| NoticeFault(fault.to_string()))
        })
    }
}

/// Only conversations of the same owner accept a notice.
async fn write(store: &dyn Store, notice: Notice) -> Result<(), ConversationFault> {
    let Notice { conversation, owner, id, text, at } = notice;
    let log = store_keys::log(&conversation).map_err(|bad| bad_name(&bad))?;
    let first = store.log().read(&log, Sequence::FIRST, 1).await?;
    let opened = first.first().and_then(|record| EventRecord::decode(record).ok());
    match opened.map(|record| record.event) {
        Some(ConversationEvent::Opened(opened)) if opened.client == owner => {}
        _ => return Err(ConversationFault::NotFound(conversation.0)),
    }
    let (body, key) = encode(at, None, &ConversationEvent::Noticed { id, text })?;
    store.log().append(&log, body, Some(key)).await?;
    Ok(())
}
