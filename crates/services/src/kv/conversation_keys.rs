//! Which tool keys belong to a conversation, so that they are deleted with it.
//!
//! Before a call writes a key whose name contains the id of the call's conversation, the key is
//! noted for the conversation. Keys without a note are recognised by name alone ([`names`]).

use policy::ConversationId;
use store::{Expected, Expiry, Json, Key, Pages, Store, StoreFault};

use crate::store_keys;

/// Whether the key contains the id as a whole word.
pub fn names(key: &str, id: &str) -> bool {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    !id.is_empty()
        && key.match_indices(id).any(|(at, _)| {
            let (before, after) = (&key[..at], &key[at + id.len()..]);
            is_edge(before.chars().next_back()) && is_edge(after.chars().next())
        })
}

/// Notes a key that is about to be written, if its name contains the conversation.
pub(crate) async fn note(
    store: &dyn Store,
    conversation: &ConversationId,
    (name, key): (&str, &Key),
    lasts: Expiry,
) -> Result<(), StoreFault> {
    if !names(name, &conversation.0) {
        return Ok(());
    }
    let note = store_keys::noted_key(conversation, key)?;
    let known = store.kv().get(&note).await?;
    // A permanent note must not get an expiry.
    if known.is_some_and(|entry| entry.expires_at.is_none()) {
        return Ok(());
    }
    let value = Json::of(&key.as_str())?;
    store.kv().set(&note, value, Expected::Any, lasts).await?;
    Ok(())
}

/// Deletes the keys noted for a conversation, and the notes.
pub async fn delete_noted(
    store: &dyn Store,
    conversation: &ConversationId,
) -> Result<(), StoreFault> {
    let prefix = store_keys::noted_keys(conversation)?;
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        for note in pages.items(store.kv().list(&prefix, request).await?) {
            let key = note.value.to::<String>().ok().and_then(|key| key.parse::<Key>().ok());
            if let Some(key) = key {
                store.kv().delete(&key, Expected::Any).await?;
            }
            store.kv().delete(&note.key, Expected::Any).await?;
        }
    }
    Ok(())
}

/// Whether the key was noted for this conversation.
pub async fn is_noted(
    store: &dyn Store,
    conversation: &ConversationId,
    key: &Key,
) -> Result<bool, StoreFault> {
    match store_keys::noted_key(conversation, key) {
        Ok(name) => Ok(store.kv().get(&name).await?.is_some()),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn an_id_is_found_only_as_a_whole_word() {
        let check = |key: &str, id: &str, expected: bool| {
            assert_eq!(names(key, id), expected, "{key} {id}");
        };
        for key in ["a1", "mood-a1", "mood_a1", "count-a1-ada", "n:a1", "n/a1.x", "{a1}"] {
            check(key, "a1", true);
        }
        for key in ["mood-a12", "mood-ba1", "mooda1", "mood", "", "mood-éa1", "mood-a1é"] {
            check(key, "a1", false);
        }
        check("mood-a12-a1", "a1", true);
        check("mood-chat-1-2", "chat-1", true);
        check("mood-", "", false);
    }
}
