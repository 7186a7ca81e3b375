//! What a host runs: an approved call, or a dry run that may only ask.
//!
//! Both have private fields, and only a judgement makes them: [`crate::Host::run`] takes
//! nothing else.

use contract::{Contract, SideEffects};

use crate::{CheckedCall, Judgement, Question, Verdict};

/// A call that policy let through. It always has an idempotency key.
#[derive(Debug)]
pub struct Approved {
    call: CheckedCall,
    idempotency_key: String,
}

impl Approved {
    /// Only a verdict makes one.
    pub(crate) fn new(call: CheckedCall, idempotency_key: String) -> Self {
        Self { call, idempotency_key }
    }

    pub fn call(&self) -> &CheckedCall {
        &self.call
    }

    /// Given to the handler; the same for every attempt of the same call.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }
}

/// A run of a handler before its call is approved. It finds out whether the handler asks; any
/// other result is discarded.
///
/// Must hold: the contract of its call lets the handler read at most. It has no network and no
/// secrets, so that it cannot change, send or give away anything.
#[derive(Debug)]
pub struct DryRun {
    call: CheckedCall,
}

impl DryRun {
    /// None if the handler may not ask, or nothing would run anyway.
    pub fn of(judgement: &Judgement, call: &CheckedCall) -> Option<Self> {
        let would_run = match &judgement.verdict {
            Verdict::Run(_) => true,
            Verdict::Ask { question, .. } => matches!(question, Question::MayItRun(_)),
            Verdict::Refuse { .. } | Verdict::Reuse(_) => false,
        };
        let may_ask = !call.contract().asks.is_empty();
        (would_run && may_ask).then(|| Self { call: call.under(read_only(call.contract())) })
    }

    pub fn call(&self) -> &CheckedCall {
        &self.call
    }
}

/// The contract without anything that changes, sends or gives away.
fn read_only(contract: &Contract) -> Contract {
    let side_effects = match contract.side_effects {
        SideEffects::Writes | SideEffects::ReadOnly => SideEffects::ReadOnly,
        SideEffects::None => SideEffects::None,
    };
    let mut narrowed = Contract { side_effects, ..contract.clone() };
    narrowed.capabilities.net.clear();
    narrowed.capabilities.secrets.clear();
    narrowed
}

/// What a host is asked to run.
#[derive(Debug, Clone, Copy)]
pub enum Run<'a> {
    Approved(&'a Approved),
    /// The handler may ask, and must do nothing else.
    Dry(&'a DryRun),
}

impl<'a> Run<'a> {
    pub fn call(self) -> &'a CheckedCall {
        match self {
            Run::Approved(approved) => approved.call(),
            Run::Dry(dry_run) => dry_run.call(),
        }
    }
}

#[cfg(test)]
mod tests;
