//! The ways to get a shape, best first, and the memory of those that were refused.
//!
//! Must hold: a rung counts as refused only when a lower one was then answered; a request
//! that is wrong in itself is refused on every rung and teaches nothing.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use contract::{Digest, FaultKind, ModelFacts, ModelFault, Rung, RungMemory};
use serde_json::Value;

use super::EmitFault;

/// Which rungs providers refused, for as long as the caller keeps it. By schema too: a
/// provider may take one schema natively and find another too complex.
#[derive(Debug, Default)]
pub struct Ladder {
    refused: Mutex<BTreeSet<(String, Digest, Rung)>>,
}

/// How much is remembered; beyond it a refused rung is only tried again.
const REMEMBERED_MAX: usize = 1_000;

impl Ladder {
    /// The rungs to try for one answer; `memory` knows what other processes found out.
    pub(super) fn way_down<'l>(
        &'l self,
        facts: &ModelFacts,
        schema: &Value,
        memory: Option<&'l dyn RungMemory>,
    ) -> Result<WayDown<'l>, EmitFault> {
        let model = facts.to_string();
        let schema = Digest::of(schema.to_string().as_bytes());
        let before = memory.map(|memory| memory.refused(schema)).unwrap_or_default();
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |rung: &Rung| {
            !refused.contains(&(model.clone(), schema, *rung)) && !before.contains(rung)
        };
        let rungs: Vec<Rung> = facts.rungs.iter().copied().filter(open).collect();
        let mut below = rungs.into_iter();
        let Some(rung) = below.next() else { return Err(EmitFault::NoRung { model }) };
        let refused = Vec::new();
        Ok(WayDown { ladder: self, memory, model, schema, rung, below, refused, held: false })
    }
}

/// Where one answer stands on the ladder.
pub(super) struct WayDown<'l> {
    ladder: &'l Ladder,
    memory: Option<&'l dyn RungMemory>,
    model: String,
    schema: Digest,
    rung: Rung,
    below: std::vec::IntoIter<Rung>,
    refused: Vec<Rung>,
    /// Was a request on this rung answered?
    held: bool,
}

impl WayDown<'_> {
    pub(super) fn rung(&self) -> Rung {
        self.rung
    }

    /// Takes the next rung if this one may be what was refused.
    pub(super) fn step_down(&mut self, fault: &ModelFault) -> bool {
        if self.held || fault.kind != FaultKind::BadRequest {
            return false;
        }
        let Some(next) = self.below.next() else { return false };
        self.refused.push(self.rung);
        self.rung = next;
        true
    }

    /// Takes the next rung because this one was answered past the shape: a server that does
    /// not know it ignores it.
    pub(super) fn step_past(&mut self) -> bool {
        let Some(next) = self.below.next() else { return false };
        self.refused.push(self.rung);
        self.rung = next;
        self.held = false;
        true
    }

    /// This rung holds: what was refused above it is remembered.
    pub(super) fn answered(&mut self) {
        self.held = true;
        if self.refused.is_empty() {
            return;
        }
        if let Some(memory) = self.memory {
            memory.remember(self.schema, &self.refused);
        }
        let mut known = self.ladder.refused.lock().unwrap_or_else(PoisonError::into_inner);
        for rung in self.refused.drain(..) {
            if known.len() < REMEMBERED_MAX {
                known.insert((self.model.clone(), self.schema, rung));
            }
        }
    }
}
