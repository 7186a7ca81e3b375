//! Which generation of the protocol a request uses, and the fields that only the stateless one
//! has.

use rmcp::RoleServer;
use rmcp::model::{MetaObject, ProtocolVersion};
use rmcp::service::RequestContext;

use super::mcp_server::server_info;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Before 2026-07-28: a handshake, a session, and requests to the client.
    SessionBased,
    /// 2026-07-28 and later: every request is self-contained.
    Stateless,
}

/// How long a client that does not subscribe to changes may cache a list.
const LIST_TTL_MS: u64 = 10_000;
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Protocol {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let new =
            |version: ProtocolVersion| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        match context.protocol_version().is_some_and(new) {
            true => Protocol::Stateless,
            false => Protocol::SessionBased,
        }
    }

    /// Adds the server's identity to a result; in the session-based protocol the handshake has
    /// it.
    pub(crate) fn sign(self, meta: &mut Option<MetaObject>) {
        if self == Protocol::Stateless
            && let Ok(info) = serde_json::to_value(server_info())
        {
            meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), info);
        }
    }

    /// Signs a list and says how long it may be cached.
    pub(crate) fn sign_list(self, meta: &mut Option<MetaObject>, ttl_ms: &mut Option<u64>) {
        self.sign(meta);
        *ttl_ms = (self == Protocol::Stateless).then_some(LIST_TTL_MS);
    }
}
