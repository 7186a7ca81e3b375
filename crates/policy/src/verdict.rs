//! The verdict on a call: run, ask, refuse, or reuse a recorded result.

use std::sync::Arc;

use contract::{Contract, SideEffects, ToolError};
use serde_json::Value;

use crate::{
    ApprovalRequest, ApprovalScope, Approved, CheckedCall, LedgerEntry, Reason, RequestId, Trace,
};

/// A verdict with the rule that decided and the trace that led to it.
#[derive(Debug)]
pub struct Judgement {
    /// The name in the call; not necessarily that of a tool.
    pub tool: String,
    pub verdict: Verdict,
    /// The rule that decided.
    pub reason: Reason,
    pub trace: Trace,
    /// The approval that the verdict uses up. It is marked as used in the same transaction
    /// in which the verdict takes effect.
    pub uses: Option<(RequestId, ApprovalScope)>,
    /// The rules that ask a person regardless of the arguments.
    pub always_asks: Vec<Reason>,
}

impl Judgement {
    /// The call for a first run that only finds out whether its handler asks: before anybody
    /// has agreed to it, and so with nothing that it could change, send or give away. None if
    /// the handler may not ask, or nothing would run anyway.
    pub fn first_run(&self, call: &CheckedCall) -> Option<Approved> {
        let would_run = match &self.verdict {
            Verdict::Run(_) => true,
            Verdict::Ask { question, .. } => matches!(question, Question::MayItRun(_)),
            Verdict::Refuse { .. } | Verdict::Reuse(_) => false,
        };
        let contract = call.contract.as_ref();
        if !would_run || contract.asks.is_empty() {
            return None;
        }
        let mut bare = Contract { side_effects: harmless(contract), ..contract.clone() };
        bare.capabilities.net.clear();
        bare.capabilities.secrets.clear();
        let call = CheckedCall { contract: Arc::new(bare), ..call.clone() };
        Some(Approved::new(call, String::new()))
    }
}

fn harmless(contract: &Contract) -> SideEffects {
    match contract.side_effects {
        SideEffects::Writes | SideEffects::ReadOnly => SideEffects::ReadOnly,
        SideEffects::None => SideEffects::None,
    }
}

#[derive(Debug)]
pub enum Verdict {
    Run(Approved),
    /// A person must answer first.
    Ask {
        question: Question,
        /// Every rule that asks.
        why: Vec<Reason>,
        preview: String,
        /// The model's result until then.
        error: ToolError,
    },
    Refuse {
        error: ToolError,
    },
    /// Nothing runs; this is the result.
    Reuse(RecordedOutcome),
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    MayItRun(Box<ApprovalRequest>),
    /// No approval can run this call again; the answer is recorded in the ledger.
    WhatHappened(Box<LedgerEntry>),
}

/// An earlier outcome, or one that a person provided.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedOutcome {
    pub outcome: Result<Value, ToolError>,
    /// Its origin, for the model and for people.
    pub note: String,
}

impl Verdict {
    /// One word for logs and metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Run(_) => "run",
            Verdict::Ask { .. } => "ask",
            Verdict::Refuse { .. } => "refuse",
            Verdict::Reuse(_) => "reuse",
        }
    }
}

#[cfg(test)]
mod tests;
