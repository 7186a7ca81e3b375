//! Store keys of services, and the encoding of untrusted names that the engine's keys share.

use contract::Digester;
use policy::ConversationId;
use store::{BadName, Key, Prefix};

/// A short key segment for text from outside, which may contain anything: the first 32 hex
/// digits of a digest over the parts.
pub fn key_segment(parts: &[&str]) -> String {
    let mut digester = Digester::default();
    parts.iter().for_each(|part| digester.part(part.as_bytes()));
    digester.finish().hex(32)
}

/// The notes of keys that tools stored for a conversation.
pub fn noted_keys(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("conversation/{}/kept/", key_segment(&[&conversation.0])).parse()
}

/// The note of a key that was stored for a conversation.
pub fn noted_key(conversation: &ConversationId, key: &Key) -> Result<Key, BadName> {
    let (conversation, key) = (key_segment(&[&conversation.0]), key_segment(&[key.as_str()]));
    format!("conversation/{conversation}/kept/{key}").parse()
}

/// The personas of a client.
pub(crate) fn personas(client: &str) -> Result<Prefix, BadName> {
    format!("persona/{}/", key_segment(&[client])).parse()
}

pub(crate) fn persona(client: &str, id: &str) -> Result<Key, BadName> {
    format!("persona/{}/{}", key_segment(&[client]), key_segment(&[id])).parse()
}

/// The personas chosen for a conversation.
pub fn conversation_personas(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("conversation/{}/personas", key_segment(&[&conversation.0])).parse()
}
