//! What a client carries for us between two tries of a call, sealed so that it cannot
//! be changed, moved to another call, or used by somebody else.

use std::time::Duration;

use contract::{Call, Digester, canonical_bytes};
use engine::{ApprovalRecord, CallOrigin};
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Expected, Expiry, Json, Store, StoreFault};

use super::caller::{Caller, hex};
use super::door::DoorFault;

/// The question that a client brings back with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carried {
    pub conversation: String,
    pub turn: u64,
    pub call: String,
    pub about: About,
}

/// What the client was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum About {
    /// Whether the call may run; the id of the request.
    Approval(String),
    /// What the handler wants to know, in this round.
    Input(u32),
}

impl Carried {
    pub(super) fn of(asked: &ApprovalRecord) -> Self {
        Self {
            conversation: asked.origin.conversation.0.clone(),
            turn: asked.origin.turn,
            call: asked.call.id.0.clone(),
            about: About::Approval(asked.request.id.0.clone()),
        }
    }

    pub(super) fn of_input(origin: &CallOrigin, call: &Call, round: u32) -> Self {
        Self {
            conversation: origin.conversation.0.clone(),
            turn: origin.turn,
            call: call.id.0.clone(),
            about: About::Input(round),
        }
    }
}

/// Seals and opens. Its key is the store's, so any process of the same store can open.
pub(super) struct Seals(RequestStateCodec);

const KEY: &str = "mcp/seal-key";
const KEY_BYTES: usize = 32;

impl Seals {
    pub(super) async fn of(store: &dyn Store) -> Result<Self, DoorFault> {
        let key = KEY.parse().map_err(|bad| DoorFault::Key(format!("{bad}")))?;
        let fresh = random_hex()?;
        let fresh = Json::of(&fresh).map_err(|bad| DoorFault::Key(bad.to_string()))?;
        match store.kv().set(&key, fresh, Expected::Absent, Expiry::Never).await {
            Ok(_) | Err(StoreFault::Conflict { .. }) => {}
            Err(fault) => return Err(fault.into()),
        }
        let entry = store.kv().get(&key).await?;
        let secret: String = entry
            .and_then(|entry| entry.value.to().ok())
            .ok_or_else(|| DoorFault::Key("it is not in the store".to_owned()))?;
        let codec = RequestStateCodec::try_new(secret.into_bytes());
        codec.map(Self).map_err(|fault| DoorFault::Key(fault.to_string()))
    }

    pub(super) fn seal(&self, carried: &Carried, bound: &[u8], ttl: Duration) -> Option<String> {
        let options = SealOptions::new().associated_data(bound).ttl(ttl);
        Some(self.0.seal_with(&serde_json::to_vec(carried).ok()?, &options))
    }

    /// Nothing if it is not ours, too old, or for another caller, tool or arguments.
    pub(super) fn open(&self, sealed: &str, bound: &[u8]) -> Option<Carried> {
        let opened = self.0.open_with(sealed, bound).ok()?;
        serde_json::from_slice(&opened).ok()
    }
}

/// What a sealed question is bound to.
pub(super) fn bond(caller: &Caller, tool: &str, args: &Value) -> String {
    let mut digester = Digester::default();
    digester.part(caller.principal.name.as_bytes());
    digester.part(caller.program.as_bytes());
    digester.part(tool.as_bytes());
    digester.part(&canonical_bytes(args));
    hex(digester)
}

/// 64 hex digits nobody can guess.
pub(super) fn random_hex() -> Result<String, DoorFault> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|fault| DoorFault::Key(fault.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests;
