//! The verdict on a call: run, ask, refuse, or reuse a recorded result.

use std::fmt;

use contract::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApprovalRequest, ApprovalScope, Approved, LedgerEntry, Reason, RequestId, Trace};

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

/// A verdict without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    Run,
    Ask,
    Refuse,
    Reuse,
}

impl VerdictKind {
    pub const ALL: [VerdictKind; 4] =
        [VerdictKind::Run, VerdictKind::Ask, VerdictKind::Refuse, VerdictKind::Reuse];

    /// The word in logs, metrics and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            VerdictKind::Run => "run",
            VerdictKind::Ask => "ask",
            VerdictKind::Refuse => "refuse",
            VerdictKind::Reuse => "reuse",
        }
    }

    /// None for any other word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Verdict {
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::Run(_) => VerdictKind::Run,
            Verdict::Ask { .. } => VerdictKind::Ask,
            Verdict::Refuse { .. } => VerdictKind::Refuse,
            Verdict::Reuse(_) => VerdictKind::Reuse,
        }
    }
}

#[cfg(test)]
mod tests;
