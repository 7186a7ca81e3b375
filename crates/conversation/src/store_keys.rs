//! Where conversations are in the store: one function per kind of key.

use policy::ConversationId;
use services::key_segment;
use store::{BadName, Key, LogName, Prefix};

const LOGS: &str = "talk/";

/// The log of a conversation.
pub(crate) fn log(conversation: &ConversationId) -> Result<LogName, BadName> {
    format!("{LOGS}{}", conversation.0).parse()
}

pub(crate) fn logs() -> Result<Prefix, BadName> {
    LOGS.parse()
}

/// The conversation of a log.
pub(crate) fn conversation_id(log: &LogName) -> Option<ConversationId> {
    log.as_str().strip_prefix(LOGS).map(|id| ConversationId(id.to_owned()))
}

const LEASES: &str = "lease/";

/// The lease of the process that answers in a conversation.
pub(crate) fn lease(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("{LEASES}{}", key_segment(&[&conversation.0])).parse()
}

/// All leases: there are as many as running turns.
pub(crate) fn leases() -> Result<Prefix, BadName> {
    LEASES.parse()
}
