//! Who the model may be in a conversation: named personas of a client, kept in the store.

use policy::ConversationId;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, PageRequest, Store, StoreFault};

use crate::desk::Desk;
use crate::keys;

/// The persona that is there without being made.
pub const DEFAULT_PERSONA: &str = "Assistant";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
}

fn unusable(bad: &store::BadName) -> StoreFault {
    StoreFault::Unusable { because: bad.to_string() }
}

/// The personas of a client; the default one if none was made.
pub(crate) async fn personas_of(
    store: &dyn Store,
    client: &str,
) -> Result<Vec<Persona>, StoreFault> {
    let prefix = keys::personas(client).map_err(|bad| unusable(&bad))?;
    let page = store.kv().list(&prefix, PageRequest::first(500)).await?;
    let mut personas: Vec<Persona> =
        page.items.iter().filter_map(|entry| entry.value.to().ok()).collect();
    if personas.is_empty() {
        let (id, name) = ("assistant".to_owned(), DEFAULT_PERSONA.to_owned());
        personas.push(Persona { id, name, description: String::new() });
    }
    Ok(personas)
}

/// The names of the personas in a conversation: those chosen for it, else the first of all.
pub(crate) async fn personas_in(
    store: &dyn Store,
    client: &str,
    conversation: &ConversationId,
) -> Result<Vec<String>, StoreFault> {
    let all = personas_of(store, client).await?;
    let key = keys::talk_personas(conversation).map_err(|bad| unusable(&bad))?;
    let chosen: Vec<String> = match store.kv().get(&key).await? {
        Some(entry) => entry.value.to().unwrap_or_default(),
        None => Vec::new(),
    };
    let named = |id: &String| all.iter().find(|one| one.id == *id).map(|one| one.name.clone());
    let names: Vec<String> = chosen.iter().filter_map(named).collect();
    match names.is_empty() {
        true => Ok(all.into_iter().take(1).map(|one| one.name).collect()),
        false => Ok(names),
    }
}

impl Desk {
    pub async fn personas(&self, client: &str) -> Result<Vec<Persona>, StoreFault> {
        personas_of(self.store(), client).await
    }

    /// Makes a persona, or changes the one of this id.
    pub async fn keep_persona(&self, client: &str, persona: &Persona) -> Result<(), StoreFault> {
        let key = keys::persona(client, &persona.id).map_err(|bad| unusable(&bad))?;
        let json =
            Json::of(persona).map_err(|bad| StoreFault::Unusable { because: bad.to_string() })?;
        self.store().kv().set(&key, json, Expected::Any, Expiry::Never).await.map(|_| ())
    }

    /// The ids of the personas that were chosen for a conversation.
    pub async fn chosen_personas(&self, id: &ConversationId) -> Result<Vec<String>, StoreFault> {
        let key = keys::talk_personas(id).map_err(|bad| unusable(&bad))?;
        let found = self.store().kv().get(&key).await?;
        Ok(found.and_then(|entry| entry.value.to().ok()).unwrap_or_default())
    }

    /// Says which personas take part in a conversation, by their ids.
    pub async fn choose_personas(
        &self,
        conversation: &ConversationId,
        ids: &[String],
    ) -> Result<(), StoreFault> {
        let key = keys::talk_personas(conversation).map_err(|bad| unusable(&bad))?;
        let json =
            Json::of(&ids).map_err(|bad| StoreFault::Unusable { because: bad.to_string() })?;
        self.store().kv().set(&key, json, Expected::Any, Expiry::Never).await.map(|_| ())
    }
}
