//! Which of the two protocols a request speaks, and what only the new one has.

use rmcp::RoleServer;
use rmcp::model::{MetaObject, ProtocolVersion};
use rmcp::service::RequestContext;

use super::door::server_info;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// A handshake, a session, and requests to the client.
    Old,
    /// Every request stands alone.
    New,
}

/// How long a list may be kept by a client that does not listen for changes.
const LIST_TTL_MS: u64 = 10_000;
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Era {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let new =
            |version: ProtocolVersion| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        match context.protocol_version().is_some_and(new) {
            true => Era::New,
            false => Era::Old,
        }
    }

    /// Says in a result who answered; in the old era the handshake has said it.
    pub(super) fn sign(self, meta: &mut Option<MetaObject>) {
        if self == Era::New
            && let Ok(info) = serde_json::to_value(server_info())
        {
            meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), info);
        }
    }

    /// Signs a list, and says how long it may be kept.
    pub(super) fn sign_list(self, meta: &mut Option<MetaObject>, ttl_ms: &mut Option<u64>) {
        self.sign(meta);
        *ttl_ms = (self == Era::New).then_some(LIST_TTL_MS);
    }
}
