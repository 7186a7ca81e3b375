//! Finds the ledger entries that concern a call: its own, and that of the same write.

use super::{LedgerEntry, LedgerState};
use crate::idempotency::{IdUse, id_is_trusted};
use crate::{CheckedCall, Timestamp};

/// The entries of a conversation that have a call's id, or its tool and arguments. Further
/// entries are ignored.
#[derive(Debug, Clone, Copy)]
pub struct Ledger<'a>(pub &'a [LedgerEntry]);

impl<'a> Ledger<'a> {
    /// Whether another call has the same id.
    pub fn id_use(&self, call: &CheckedCall) -> IdUse {
        let mut same_id = self.of_conversation(call).filter(|entry| entry.call == *call.id());
        match same_id.any(|entry| !same_work(entry, call)) {
            true => IdUse::Shared,
            false => IdUse::Unique,
        }
    }

    /// The entry of this call. An id that is only a counter names a call within its turn; there,
    /// the same work of an idempotent tool is the same call.
    pub fn same_call(&self, call: &CheckedCall) -> Option<&'a LedgerEntry> {
        let trusted = id_is_trusted(call, self.id_use(call));
        self.of_conversation(call).find(|entry| {
            let named = entry.call == *call.id() && (trusted || entry.turn == call.turn());
            let again = !trusted && call.contract().idempotent && entry.turn == call.turn();
            (named || again) && same_work(entry, call)
        })
    }

    /// The most relevant entry of the same write under another id: one with an unknown outcome,
    /// however old; else the newest within the window. One that failed without any effect does
    /// not count.
    pub fn same_write(
        &self,
        call: &CheckedCall,
        now: Timestamp,
        window_ms: u64,
    ) -> Option<&'a LedgerEntry> {
        let own = self.same_call(call);
        self.of_conversation(call)
            .filter(|entry| own != Some(*entry) && same_work(entry, call))
            .filter(|entry| may_have_happened(&entry.state))
            .filter(|entry| entry.may_still_end() || now.ms_since(entry.changed_at()) <= window_ms)
            .max_by_key(|entry| (entry.may_still_end(), entry.changed_at()))
    }

    fn of_conversation<'b>(
        &self,
        call: &'b CheckedCall,
    ) -> impl Iterator<Item = &'a LedgerEntry> + use<'a, 'b> {
        self.0.iter().filter(|entry| entry.conversation == *call.conversation())
    }
}

/// The same tool with the same arguments. A changed tool is still the same tool: its effect
/// remains.
fn same_work(entry: &LedgerEntry, call: &CheckedCall) -> bool {
    entry.tool == *call.tool() && entry.args == call.work()
}

/// Whether the effect happened, may have happened, or is about to.
fn may_have_happened(state: &LedgerState) -> bool {
    match state {
        LedgerState::Intended
        | LedgerState::Started { .. }
        | LedgerState::Done { .. }
        | LedgerState::InDoubt { .. } => true,
        LedgerState::Failed { error, .. } => error.partial_side_effects,
    }
}
