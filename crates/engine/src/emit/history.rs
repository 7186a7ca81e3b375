//! What an answer took: every request that was made for it.

use std::fmt;

use contract::{ModelFault, Reply, Rung, Stop, Usage};
use dialect::Complaint;
use serde::Serialize;

use super::conversation::Conversation;
use super::judge::{Salvage, Verdict};
use super::shortfall::listed;

/// Every attempt, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct History {
    pub attempts: Vec<Attempt>,
}

/// One request and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    pub rung: Rung,
    /// What the answer was allowed to have.
    pub output_tokens: u32,
    /// Absent where no answer came.
    pub stop: Option<Stop>,
    pub usage: Usage,
    pub what: What,
    /// Records that were saved of an answer that is not whole.
    pub complete: usize,
    /// Records that came whole and do not fit.
    pub unfit: usize,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Fits,
    Cut,
    Unfit(Vec<Complaint>),
    Missing,
    Paused,
    Refused,
    ContextExceeded,
    Fault(ModelFault),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Fits => f.write_str("fits"),
            What::Cut => f.write_str("cut off"),
            What::Unfit(complaints) => write!(f, "does not fit: {}", listed(complaints, "; ")),
            What::Missing => f.write_str("not in the shape"),
            What::Paused => f.write_str("paused"),
            What::Refused => f.write_str("refused"),
            What::ContextExceeded => f.write_str("context exceeded"),
            What::Fault(fault) => write!(f, "no answer: {}", fault.message),
        }
    }
}

impl History {
    /// What all attempts cost together.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.attempts.iter().for_each(|attempt| sum += attempt.usage);
        sum
    }

    pub(super) fn add_fault(&mut self, talk: &Conversation, fault: &ModelFault) {
        self.attempts.push(Attempt {
            rung: talk.rung(),
            output_tokens: talk.output_tokens(),
            stop: None,
            usage: Usage::default(),
            what: What::Fault(fault.clone()),
            complete: 0,
            unfit: 0,
        });
    }

    pub(super) fn add_reply<T>(
        &mut self,
        talk: &Conversation,
        reply: &Reply,
        verdict: &Verdict<T>,
        salvage: &Salvage,
    ) {
        let what = match verdict {
            Verdict::Fits(_) => What::Fits,
            Verdict::Cut => What::Cut,
            Verdict::Unfit(complaints) | Verdict::Prose(complaints) => {
                What::Unfit(complaints.clone())
            }
            Verdict::Missing => What::Missing,
            Verdict::Paused => What::Paused,
            Verdict::Refused { .. } => What::Refused,
            Verdict::ContextExceeded => What::ContextExceeded,
        };
        self.attempts.push(Attempt {
            rung: talk.rung(),
            output_tokens: talk.output_tokens(),
            stop: Some(reply.stop.clone()),
            usage: reply.usage,
            what,
            complete: salvage.complete.len(),
            unfit: salvage.unfit,
        });
    }
}
