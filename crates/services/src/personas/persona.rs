//! Personas, which the model can take in a conversation: stored by client.

use policy::ConversationId;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, PageRequest, Store, StoreFault};

use super::placeholders::PlaceholderNames;
use crate::kv::tool_kv_prefix;
use crate::store_keys;

/// The built-in persona.
pub const DEFAULT_PERSONA: &str = "Assistant";

const DEFAULT_ID: &str = "assistant";

/// The value of `{{user}}` if the user has not given a name.
const DEFAULT_USER: &str = "User";

const NAME_CHARS_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
}

impl Persona {
    fn default_one() -> Self {
        let (id, name) = (DEFAULT_ID.to_owned(), DEFAULT_PERSONA.to_owned());
        Self { id, name, description: String::new() }
    }

    /// The name as used in keys: `Ada Lovelace` becomes `ada-lovelace`.
    pub fn slug(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

/// The personas of a client, the default one first; only the default one if none was created.
pub async fn personas_of(store: &dyn Store, client: &str) -> Result<Vec<Persona>, StoreFault> {
    let mut personas = created_by(store, client).await?;
    if personas.is_empty() {
        personas.push(Persona::default_one());
    }
    personas.sort_by_key(|one| (one.id != DEFAULT_ID, one.name.clone()));
    Ok(personas)
}

async fn created_by(store: &dyn Store, client: &str) -> Result<Vec<Persona>, StoreFault> {
    let prefix = store_keys::personas(client)?;
    let page = store.kv().list(&prefix, PageRequest::first(500)).await?;
    Ok(page.items.iter().filter_map(|entry| entry.value.to().ok()).collect())
}

/// The personas in a conversation: those chosen for it, otherwise the first of all.
pub async fn personas_in(
    store: &dyn Store,
    client: &str,
    conversation: &ConversationId,
) -> Result<Vec<Persona>, StoreFault> {
    let all = personas_of(store, client).await?;
    let chosen = chosen_personas(store, conversation).await?;
    let of_id = |id: &String| all.iter().find(|one| one.id == *id).cloned();
    let here: Vec<Persona> = chosen.iter().filter_map(of_id).collect();
    match here.is_empty() {
        true => Ok(all.into_iter().take(1).collect()),
        false => Ok(here),
    }
}

pub async fn chosen_personas(
    store: &dyn Store,
    conversation: &ConversationId,
) -> Result<Vec<String>, StoreFault> {
    let key = store_keys::conversation_personas(conversation)?;
    let found = store.kv().get(&key).await?;
    Ok(found.and_then(|entry| entry.value.to().ok()).unwrap_or_default())
}

/// Tools can write the user's name and prompts contain it, so it is limited to one short line.
fn as_name(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    line.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect()
}

/// The values of the placeholders in a conversation of this client.
pub async fn names_in(
    store: &dyn Store,
    client: &str,
    conversation: &ConversationId,
) -> Result<PlaceholderNames, StoreFault> {
    let here = personas_in(store, client, conversation).await?;
    let char = here.into_iter().next().map(|one| one.name);
    let user = match format!("{}user_name", tool_kv_prefix(client)).parse() {
        Ok(key) => store.kv().get(&key).await?,
        Err(_) => None,
    };
    let user = user.and_then(|entry| entry.value.to::<String>().ok()).map(|text| as_name(&text));
    Ok(PlaceholderNames {
        user: user.filter(|name| !name.is_empty()).unwrap_or_else(|| DEFAULT_USER.to_owned()),
        char: char.unwrap_or_else(|| DEFAULT_PERSONA.to_owned()),
    })
}

/// Creates a persona, or updates the one of this id. The default one stays beside it.
pub async fn keep_persona(
    store: &dyn Store,
    client: &str,
    persona: &Persona,
) -> Result<(), StoreFault> {
    if persona.id != DEFAULT_ID && created_by(store, client).await?.is_empty() {
        put_persona(store, client, &Persona::default_one()).await?;
    }
    put_persona(store, client, persona).await
}

/// Removes a persona; after the last one, the default is used again.
pub async fn remove_persona(store: &dyn Store, client: &str, id: &str) -> Result<(), StoreFault> {
    let key = store_keys::persona(client, id)?;
    store.kv().delete(&key, Expected::Any).await.map(|_| ())
}

async fn put_persona(store: &dyn Store, client: &str, persona: &Persona) -> Result<(), StoreFault> {
    let key = store_keys::persona(client, &persona.id)?;
    put(store, &key, persona).await
}

/// Chooses the personas of a conversation by their ids.
pub async fn choose_personas(
    store: &dyn Store,
    conversation: &ConversationId,
    ids: &[String],
) -> Result<(), StoreFault> {
    let key = store_keys::conversation_personas(conversation)?;
    put(store, &key, &ids).await
}

async fn put(store: &dyn Store, key: &Key, value: &impl Serialize) -> Result<(), StoreFault> {
    store.kv().set(key, Json::of(value)?, Expected::Any, Expiry::Never).await.map(|_| ())
}
