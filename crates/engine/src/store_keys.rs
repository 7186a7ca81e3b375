//! Where the engine keeps things in the store: one function per kind of key.

use contract::{CallId, Digest};
use policy::{ConversationId, RequestId};
use services::key_segment;
use store::{BadName, Key, LogName, Prefix};

/// The session state of a conversation.
pub(crate) fn session_state(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("conversation/{}/calls", key_segment(&[&conversation.0])).parse()
}

pub(crate) fn ledger_entry(conversation: &ConversationId, key: &str) -> Result<Key, BadName> {
    format!("ledger/{}/{}", key_segment(&[&conversation.0]), key_segment(&[key])).parse()
}

/// The ledger's entries of a conversation.
pub fn ledger_of(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("ledger/{}/", key_segment(&[&conversation.0])).parse()
}

pub(crate) fn ledger() -> Result<Prefix, BadName> {
    "ledger/".parse()
}

pub(crate) fn approval(request: &RequestId) -> Result<Key, BadName> {
    format!("approval/{}", request.0).parse()
}

pub(crate) fn approvals() -> Result<Prefix, BadName> {
    "approval/".parse()
}

/// Which request was made for a call.
pub(crate) fn approval_of(conversation: &ConversationId, call: &CallId) -> Result<Key, BadName> {
    format!("approval-of/{}", key_segment(&[&conversation.0, &call.0])).parse()
}

/// What the handler of a call asked and was answered.
pub(crate) fn input(conversation: &ConversationId, call: &CallId) -> Result<Key, BadName> {
    format!("input/{}/{}", key_segment(&[&conversation.0]), key_segment(&[&call.0])).parse()
}

/// All of them: they expire after an hour.
pub(crate) fn inputs() -> Result<Prefix, BadName> {
    "input/".parse()
}

pub fn inputs_of(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("input/{}/", key_segment(&[&conversation.0])).parse()
}

pub(crate) fn switches() -> Result<Prefix, BadName> {
    "switch/".parse()
}

/// Whether a tool is switched off. A name that a model invented may be long.
pub(crate) fn switch(tool: &str) -> Result<Key, BadName> {
    format!("switch/{}", key_segment(&[tool])).parse()
}

pub(crate) fn audit() -> Result<LogName, BadName> {
    "audit".parse()
}

/// A tool that a model's provider did not accept.
pub(crate) fn refused_tool(model: &str, tool: &Digest) -> Result<Key, BadName> {
    format!("refused-tool/{}/{}", key_segment(&[model]), key_segment(&[&tool.to_string()])).parse()
}

pub(crate) fn refused_by(model: &str) -> Result<Prefix, BadName> {
    format!("refused-tool/{}/", key_segment(&[model])).parse()
}

pub(crate) fn refused_tools() -> Result<Prefix, BadName> {
    "refused-tool/".parse()
}
