//! The personas of a client and of its conversations, in the engine's store.

use policy::ConversationId;
use services::{Persona, PlaceholderNames};
use store::StoreFault;

use crate::engine::Engine;

impl Engine {
    pub async fn personas(&self, client: &str) -> Result<Vec<Persona>, StoreFault> {
        services::personas_of(self.store(), client).await
    }

    /// The personas that take part in a conversation.
    pub async fn personas_in(
        &self,
        client: &str,
        conversation: &ConversationId,
    ) -> Result<Vec<Persona>, StoreFault> {
        services::personas_in(self.store(), client, conversation).await
    }

    /// The ids chosen for a conversation; empty if none were.
    pub async fn chosen_personas(
        &self,
        conversation: &ConversationId,
    ) -> Result<Vec<String>, StoreFault> {
        services::chosen_personas(self.store(), conversation).await
    }

    /// The values of the placeholders in a conversation.
    pub async fn names(
        &self,
        client: &str,
        conversation: &ConversationId,
    ) -> Result<PlaceholderNames, StoreFault> {
        services::names_in(self.store(), client, conversation).await
    }

    /// Creates or updates a persona; the default one stays beside it.
    pub async fn keep_persona(&self, client: &str, persona: &Persona) -> Result<(), StoreFault> {
        services::keep_persona(self.store(), client, persona).await
    }

    /// Removes a persona; after the last one the default is there again.
    pub async fn remove_persona(&self, client: &str, id: &str) -> Result<(), StoreFault> {
        services::remove_persona(self.store(), client, id).await
    }

    /// Chooses the personas of a conversation by their ids.
    pub async fn choose_personas(
        &self,
        conversation: &ConversationId,
        ids: &[String],
    ) -> Result<(), StoreFault> {
        services::choose_personas(self.store(), conversation, ids).await
    }
}
