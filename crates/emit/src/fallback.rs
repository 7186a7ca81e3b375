//! Falls back to the next way of asking for structured output (a rung), and remembers which
//! rungs a provider refused.
//!
//! Must hold: a rung counts as refused only after a lower one was answered; a request that
//! is itself invalid is refused on every rung, and nothing is remembered.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use contract::{Digest, FaultKind, ModelFacts, ModelFault, Rung, RungMemory};
use serde_json::Value;

use super::AskFault;

/// The rungs that providers refused, by model and schema: a provider may accept one schema
/// natively and reject another as too complex.
#[derive(Debug, Default)]
pub struct RefusedRungs {
    refused: Mutex<BTreeSet<(String, Digest, Rung)>>,
}

/// Beyond this limit a refused rung is tried again.
const REMEMBERED_MAX: usize = 1_000;

impl RefusedRungs {
    /// The rungs to try for one answer; `memory` has the refusals seen by other processes.
    pub(super) fn fallback<'a>(
        &'a self,
        facts: &ModelFacts,
        schema: &Value,
        memory: Option<&'a dyn RungMemory>,
    ) -> Result<Fallback<'a>, AskFault> {
        let model = facts.to_string();
        let schema = Digest::of(schema.to_string().as_bytes());
        let before = memory.map(|memory| memory.refused(schema)).unwrap_or_default();
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |rung: &Rung| {
            !refused.contains(&(model.clone(), schema, *rung)) && !before.contains(rung)
        };
        let rungs: Vec<Rung> = facts.rungs.iter().copied().filter(open).collect();
        let mut below = rungs.into_iter();
        let Some(rung) = below.next() else { return Err(AskFault::NoRung { model }) };
        let refused = Vec::new();
        Ok(Fallback { known: self, memory, model, schema, rung, below, refused, answered: false })
    }
}

/// The current rung of one answer, and those below it.
pub(super) struct Fallback<'a> {
    known: &'a RefusedRungs,
    memory: Option<&'a dyn RungMemory>,
    model: String,
    schema: Digest,
    rung: Rung,
    below: std::vec::IntoIter<Rung>,
    refused: Vec<Rung>,
    /// Whether a request on this rung was answered.
    answered: bool,
}

impl Fallback<'_> {
    pub(super) fn rung(&self) -> Rung {
        self.rung
    }

    /// Moves to the next rung if the fault may be caused by this one.
    pub(super) fn step_down(&mut self, fault: &ModelFault) -> bool {
        if self.answered || fault.kind != FaultKind::BadRequest {
            return false;
        }
        let Some(next) = self.below.next() else { return false };
        self.refused.push(self.rung);
        self.rung = next;
        true
    }

    /// Moves to the next rung because the reply ignored this one, as servers do that do not
    /// implement it.
    pub(super) fn skip_ignored(&mut self) -> bool {
        let Some(next) = self.below.next() else { return false };
        self.refused.push(self.rung);
        self.rung = next;
        self.answered = false;
        true
    }

    /// Records that this rung works, and remembers the refused ones above it.
    pub(super) fn record_answer(&mut self) {
        self.answered = true;
        if self.refused.is_empty() {
            return;
        }
        if let Some(memory) = self.memory {
            memory.remember(self.schema, &self.refused);
        }
        let mut known = self.known.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for rung in self.refused.drain(..) {
            if known.len() < REMEMBERED_MAX {
                known.insert((self.model.clone(), self.schema, rung));
            }
        }
    }
}
