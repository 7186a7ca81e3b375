//! Files of conversations: kept while an event names them, released with the conversation.

use attachments::{AttachmentFault, Use};
use contract::FileRef;
use policy::ConversationId;
use store::StoreFault;

use super::Conversations;
use crate::event::{ConversationEvent, Opened};
use crate::fault::ConversationFault;

impl Conversations {
    /// Releases every file that an event names, also those of turns that were taken back.
    pub(super) async fn release_files(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let events: Vec<_> = self.events(id).await?.into_iter().map(|one| one.event).collect();
        let Some(owner) = owner_of(&events) else { return Ok(()) };
        for file in files_of(&events) {
            let released =
                self.attachments.release(owner, &file.digest, Use::Conversation(&id.0)).await;
            found(released)?;
        }
        Ok(())
    }

    /// Deletes the folders of documents that belong to the conversation.
    pub(super) async fn delete_folders(
        &self,
        owner: &str,
        id: &ConversationId,
    ) -> Result<(), ConversationFault> {
        let deleted = self.engine.knowledge().delete_conversation(owner, &id.0).await;
        let unusable = |fault| StoreFault::Unusable { because: format!("{fault}") };
        Ok(deleted.map_err(unusable)?)
    }

    /// Keeps the files of events up to `last` for a copy of the conversation.
    pub(super) async fn keep_files(
        &self,
        id: &ConversationId,
        last: u64,
        to: &ConversationId,
    ) -> Result<(), ConversationFault> {
        let events = self.events(id).await?.into_iter().take_while(|one| one.sequence <= last);
        let events: Vec<_> = events.map(|one| one.event).collect();
        self.keep_imported(to, &events).await
    }

    /// Keeps the files of these events as far as their owner has them.
    pub(super) async fn keep_imported(
        &self,
        id: &ConversationId,
        events: &[ConversationEvent],
    ) -> Result<(), ConversationFault> {
        let Some(owner) = owner_of(events) else { return Ok(()) };
        for file in files_of(events) {
            let kept = self.attachments.keep(owner, &file.digest, Use::Conversation(&id.0)).await;
            found(kept.map(|_| ()))?;
        }
        Ok(())
    }
}

/// A file that is gone needs no care.
fn found(done: Result<(), AttachmentFault>) -> Result<(), ConversationFault> {
    match done {
        Ok(()) | Err(AttachmentFault::NotFound) => Ok(()),
        Err(AttachmentFault::Store(fault)) => Err(fault.into()),
        Err(other) => Err(StoreFault::Unusable { because: other.to_string() }.into()),
    }
}

fn owner_of(events: &[ConversationEvent]) -> Option<&str> {
    events.iter().find_map(|event| {
        if let ConversationEvent::Opened(Opened { client, .. }) = event {
            Some(client.as_str())
        } else {
            None
        }
    })
}

fn files_of(events: &[ConversationEvent]) -> impl Iterator<Item = &FileRef> {
    events.iter().flat_map(|event| {
        if let ConversationEvent::Said { files, .. } = event { files.as_slice() } else { &[] }
    })
}
