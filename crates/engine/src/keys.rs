//! Where the engine keeps things in the store: one function per kind of key.

use contract::{CallId, Digest, Digester};
use policy::{ConversationId, RequestId};
use store::{BadName, Key, LogName, Prefix};

/// A short, safe name for texts that come from outside and may hold anything.
fn safe(parts: &[&str]) -> String {
    let mut digester = Digester::default();
    parts.iter().for_each(|part| digester.part(part.as_bytes()));
    let digest = digester.finish().to_string();
    digest.trim_start_matches("sha256:").chars().take(32).collect()
}

/// What is known of a conversation's calls: budget, loops, memory, what a person said.
pub(crate) fn notes(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("conversation/{}/calls", safe(&[&conversation.0])).parse()
}

pub(crate) fn ledger_entry(conversation: &ConversationId, key: &str) -> Result<Key, BadName> {
    format!("ledger/{}/{}", safe(&[&conversation.0]), safe(&[key])).parse()
}

pub(crate) fn ledger_of(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("ledger/{}/", safe(&[&conversation.0])).parse()
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
    format!("approval-of/{}", safe(&[&conversation.0, &call.0])).parse()
}

/// What the handler of a call asked and was answered.
pub(crate) fn input(conversation: &ConversationId, call: &CallId) -> Result<Key, BadName> {
    format!("input/{}/{}", safe(&[&conversation.0]), safe(&[&call.0])).parse()
}

pub(crate) fn inputs_of(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("input/{}/", safe(&[&conversation.0])).parse()
}

pub(crate) fn switches() -> Result<Prefix, BadName> {
    "switch/".parse()
}

/// Whether a tool is switched off. A name that a model invented may be long.
pub(crate) fn switch(tool: &str) -> Result<Key, BadName> {
    format!("switch/{}", safe(&[tool])).parse()
}

/// The log of a conversation.
pub(crate) fn talk(conversation: &ConversationId) -> Result<LogName, BadName> {
    format!("{TALKS}{}", conversation.0).parse()
}

pub(crate) fn talks() -> Result<Prefix, BadName> {
    TALKS.parse()
}

const TALKS: &str = "talk/";

/// The conversation of a log.
pub(crate) fn talk_id(log: &LogName) -> Option<ConversationId> {
    log.as_str().strip_prefix(TALKS).map(|id| ConversationId(id.to_owned()))
}

/// Who answers in a conversation now.
pub(crate) fn talk_hold(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("conversation/{}/held", safe(&[&conversation.0])).parse()
}

/// The keys that tools keep for a conversation.
pub(crate) fn kept_keys(conversation: &ConversationId) -> Result<Prefix, BadName> {
    format!("conversation/{}/kept/", safe(&[&conversation.0])).parse()
}

/// That a tool keeps this key for a conversation.
pub(crate) fn kept_key(conversation: &ConversationId, key: &Key) -> Result<Key, BadName> {
    format!("conversation/{}/kept/{}", safe(&[&conversation.0]), safe(&[key.as_str()])).parse()
}

/// The personas of a client.
pub(crate) fn personas(client: &str) -> Result<Prefix, BadName> {
    format!("persona/{}/", safe(&[client])).parse()
}

pub(crate) fn persona(client: &str, id: &str) -> Result<Key, BadName> {
    format!("persona/{}/{}", safe(&[client]), safe(&[id])).parse()
}

/// Who takes part in a conversation.
pub(crate) fn talk_personas(conversation: &ConversationId) -> Result<Key, BadName> {
    format!("conversation/{}/personas", safe(&[&conversation.0])).parse()
}

pub(crate) fn audit() -> Result<LogName, BadName> {
    "audit".parse()
}

/// A tool that a model's provider did not accept.
pub(crate) fn refused_tool(model: &str, tool: &Digest) -> Result<Key, BadName> {
    format!("refused-tool/{}/{}", safe(&[model]), safe(&[&tool.to_string()])).parse()
}

pub(crate) fn refused_by(model: &str) -> Result<Prefix, BadName> {
    format!("refused-tool/{}/", safe(&[model])).parse()
}

pub(crate) fn refused_tools() -> Result<Prefix, BadName> {
    "refused-tool/".parse()
}
