//! The state that a client carries for us between two attempts of a call, sealed so that it
//! cannot be altered, moved to another call or used by another caller.

use std::time::Duration;

use contract::{Call, Digester, canonical_bytes, hex};
use engine::{ApprovalRecord, CallOrigin};
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Expected, Expiry, Json, Store, StoreFault};

use crate::server::caller::{Caller, KEY_DIGITS};
use crate::server::mcp_server::McpServerFault;

/// The call and the question that a client returns with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallState {
    pub conversation: String,
    pub turn: u64,
    pub call: String,
    pub about: StateKind,
}

/// What the client was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StateKind {
    /// Whether the call may run; holds the id of the request.
    Approval(String),
    /// What the handler wants to know; holds the round.
    Input(u32),
}

impl CallState {
    pub(crate) fn of(asked: &ApprovalRecord) -> Self {
        Self {
            conversation: asked.origin.conversation.0.clone(),
            turn: asked.origin.turn,
            call: asked.call.id.0.clone(),
            about: StateKind::Approval(asked.request.id.0.clone()),
        }
    }

    pub(crate) fn of_input(origin: &CallOrigin, call: &Call, round: u32) -> Self {
        Self {
            conversation: origin.conversation.0.clone(),
            turn: origin.turn,
            call: call.id.0.clone(),
            about: StateKind::Input(round),
        }
    }
}

/// Seals and opens call state. The key is in the store, so every process on that store can open
/// it.
pub(crate) struct StateSealer(RequestStateCodec);

const KEY: &str = "mcp/seal-key";
const KEY_BYTES: usize = 32;

impl StateSealer {
    pub(crate) async fn of(store: &dyn Store) -> Result<Self, McpServerFault> {
        let key = KEY.parse().map_err(|bad| McpServerFault::Key(format!("{bad}")))?;
        let fresh = random_hex()?;
        let fresh = Json::of(&fresh).map_err(|bad| McpServerFault::Key(bad.to_string()))?;
        match store.kv().set(&key, fresh, Expected::Absent, Expiry::Never).await {
            Ok(_) | Err(StoreFault::Conflict { .. }) => {}
            Err(fault) => return Err(fault.into()),
        }
        let entry = store.kv().get(&key).await?;
        let secret: String = entry
            .and_then(|entry| entry.value.to().ok())
            .ok_or_else(|| McpServerFault::Key("it is not in the store".to_owned()))?;
        let codec = RequestStateCodec::try_new(secret.into_bytes());
        codec.map(Self).map_err(|fault| McpServerFault::Key(fault.to_string()))
    }

    pub(crate) fn seal(&self, carried: &CallState, bound: &[u8], ttl: Duration) -> Option<String> {
        let options = SealOptions::new().associated_data(bound).ttl(ttl);
        Some(self.0.seal_with(&serde_json::to_vec(carried).ok()?, &options))
    }

    /// `None` if we did not seal it, it has expired, or it belongs to another caller, tool or
    /// arguments.
    pub(crate) fn open(&self, sealed: &str, bound: &[u8]) -> Option<CallState> {
        let opened = self.0.open_with(sealed, bound).ok()?;
        serde_json::from_slice(&opened).ok()
    }
}

/// What sealed state is bound to.
pub(crate) fn binding_of(caller: &Caller, tool: &str, args: &Value) -> String {
    let mut digester = Digester::default();
    digester.part(caller.principal.name.as_bytes());
    digester.part(caller.program.as_bytes());
    digester.part(tool.as_bytes());
    digester.part(&canonical_bytes(args));
    digester.finish().hex(KEY_DIGITS)
}

/// 64 random hex digits.
pub(crate) fn random_hex() -> Result<String, McpServerFault> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|fault| McpServerFault::Key(fault.to_string()))?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests;
