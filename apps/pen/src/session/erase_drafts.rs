//! Erases drafts for good, with everything that was said to the model about them.
//!
//! Must hold: the conversation goes first, so that an erasure that was interrupted is finished by
//! the next one; saved posts stay.

use conversation::{ConversationFault, Conversations};
use engine::Engine;
use policy::ConversationId;
use store::StoreFault;

use super::draft_store::{DraftStore, StoredDraftFault};

/// Why a draft is still there.
#[derive(Debug, thiserror::Error)]
pub enum EraseFault {
    #[error("the conversation of the draft `{id}` cannot be erased: {fault}")]
    Conversation { id: String, fault: ConversationFault },
    #[error(transparent)]
    Draft(#[from] StoredDraftFault),
}

/// Erases these drafts; a fault ends it, and leaves the rest as it is.
pub async fn erase_drafts(engine: &Engine, ids: &[String]) -> Result<(), EraseFault> {
    if ids.is_empty() {
        return Ok(());
    }
    let conversations = Conversations::new(engine.clone());
    let drafts = DraftStore::new(engine.shared_store());
    for id in ids {
        match conversations.erase(&ConversationId(id.clone())).await {
            // It never had one, or an erasure before this one was interrupted.
            Ok(())
            | Err(
                ConversationFault::NotFound(_)
                | ConversationFault::Store(StoreFault::Erased { .. }),
            ) => {}
            Err(fault) => return Err(EraseFault::Conversation { id: id.clone(), fault }),
        }
        drafts.erase(id).await?;
    }
    Ok(())
}
