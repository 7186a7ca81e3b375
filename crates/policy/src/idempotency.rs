//! The idempotency key by which a remote service recognises a repeated call.
//!
//! In: the call, and whether its id can be trusted. Out: the key that every attempt of the
//! call carries. Must hold: the same call has the same key, and two intended calls never
//! share one.

use contract::{Digester, canonical_bytes};

use crate::CheckedCall;

/// Whether the provider's id names this call and no other of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdUse {
    Unique,
    /// Another call of the conversation has the same id.
    Shared,
}

/// An id of this length or less is a counter (`0`, `call_1`), which restarts in every answer
/// of the model.
const COUNTER_ID_CHARS_MAX: usize = 8;

/// Whether the id alone distinguishes this call from the others of its conversation.
pub(crate) fn id_is_trusted(call: &CheckedCall, id_use: IdUse) -> bool {
    id_use == IdUse::Unique && call.id().0.chars().count() > COUNTER_ID_CHARS_MAX
}

/// `provider:<call id>` for an id that can be trusted, else `hash:<16 hex>` of
/// conversation, tool, arguments and turn.
pub fn idempotency_key(call: &CheckedCall, id_use: IdUse) -> String {
    match id_is_trusted(call, id_use) {
        true => format!("provider:{}", call.id()),
        false => hashed(call, None),
    }
}

/// The key of a write that a person allowed a second time: the service must not take it
/// for the first. `request` names the approval, which is used once.
pub(crate) fn key_of_repetition(call: &CheckedCall, request: &str) -> String {
    hashed(call, Some(request))
}

fn hashed(call: &CheckedCall, request: Option<&str>) -> String {
    let mut digester = Digester::default();
    digester.part(call.conversation().0.as_bytes());
    digester.part(call.tool().as_str().as_bytes());
    digester.part(&canonical_bytes(call.args()));
    if !call.answers().is_empty() {
        digester.part(call.work().to_string().as_bytes());
    }
    digester.part(&call.turn().to_le_bytes());
    if let Some(request) = request {
        digester.part(request.as_bytes());
    }
    format!("hash:{}", digester.finish().hex(16))
}

#[cfg(test)]
mod tests;
