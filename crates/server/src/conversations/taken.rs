//! Conversations for extensions: an owner's, taken for something other than a text turn.

use std::sync::Arc;

use contract::{Model, Sampling};
use conversation::{Conversations, NoObserver, TurnOptions};
use engine::Cancel;
use policy::ConversationId;
use providers::{Purpose, UsageBook};

use crate::auth::caller::Caller;
use crate::conversations::answering_model::answering_model;
use crate::conversations::personalised_model::{FirstPrompt, personalised};
use crate::conversations::turns::Slot;
use crate::fault::HandlerResult;
use crate::routes::settings::system_of;
use crate::state::AppState;

/// The conversations of this server, each for its owner only. Every authenticated request
/// carries it as an extension.
#[derive(Clone)]
pub struct OwnConversations(pub(crate) AppState);

/// A conversation in which no text turn runs until it is released.
pub struct TakenConversation {
    app: AppState,
    owner: String,
    id: ConversationId,
    model: Arc<dyn Model>,
    system: String,
    output_tokens_max: Option<u32>,
    slot: Slot,
}

impl OwnConversations {
    /// Takes the caller's conversation. A running turn is a conflict; the conversation of another
    /// owner is not found.
    pub async fn take(&self, caller: &Caller, id: &str) -> HandlerResult<TakenConversation> {
        let (app, owner) = (self.0.clone(), caller.owner.clone());
        let id = app.index.id(&owner, id).await?;
        let slot = app.turns.reserve(&id).await?;
        let conversation = app.conversations.get(&id).await?;
        let by = TurnOptions {
            model: answering_model(&app, &conversation).await,
            observer: Arc::new(NoObserver),
            cancel: Cancel::default(),
            output_tokens_max: app.turns.output_tokens_max(),
            sampling: Sampling::default(),
            can_ask: Vec::new(),
        };
        let settings = &conversation.settings;
        let by = personalised(&app, &owner, &id, settings, FirstPrompt::OfRequest, by).await?;
        let book = UsageBook::new(app.engine.shared_store(), app.engine.clock());
        let model = book.metered(by.model, &owner, Purpose::Voice);
        let output_tokens_max = by.output_tokens_max;
        let system = match conversation.settings.system_prompt.clone() {
            Some(prompt) => prompt,
            None => system_of(&app, &owner).await?,
        };
        Ok(TakenConversation { app, owner, id, model, system, output_tokens_max, slot })
    }
}

impl TakenConversation {
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    pub fn conversations(&self) -> &Conversations {
        &self.app.conversations
    }

    /// The model with the owner's settings and the personas of the conversation.
    pub fn model(&self) -> Arc<dyn Model> {
        Arc::clone(&self.model)
    }

    /// The system prompt of the conversation, or of its owner.
    pub fn system(&self) -> &str {
        &self.system
    }

    pub fn rounds_max(&self) -> u32 {
        self.app.rounds_max
    }

    pub fn output_tokens_max(&self) -> Option<u32> {
        self.output_tokens_max
    }

    /// Updates the list of conversations, and lets text turns run again.
    pub async fn release(self) {
        let Self { app, owner, id, slot, .. } = self;
        if let Err(fault) = app.index.mark_closed(&owner, &id).await {
            tracing::debug!(?fault, "a conversation was deleted while it was taken");
        }
        drop(slot);
    }
}
