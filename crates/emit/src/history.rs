//! Every request that was made for one answer, with its result and usage.

use std::fmt;

use contract::{ModelFault, Reply, Rung, StopReason, Usage};
use dialect::Complaint;
use serde::Serialize;

use super::fault::join_complaints;
use super::request::EmitRequest;
use super::validate::{ReplyStatus, Salvage};

/// Every attempt, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct History {
    pub attempts: Vec<Attempt>,
}

/// One request and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    pub rung: Rung,
    /// The limit of this request.
    pub output_tokens: u32,
    /// Absent if there was no reply.
    pub stop: Option<StopReason>,
    pub usage: Usage,
    #[serde(rename = "what")]
    pub status: AttemptStatus,
    /// Complete records in an incomplete answer.
    pub complete: usize,
    /// Complete records that do not fit the schema.
    pub unfit: usize,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptStatus {
    Fits,
    Cut,
    Unfit(Vec<Complaint>),
    Missing,
    Paused,
    Refused,
    ContextExceeded,
    Fault(ModelFault),
}

impl fmt::Display for AttemptStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttemptStatus::Fits => f.write_str("fits"),
            AttemptStatus::Cut => f.write_str("cut off"),
            AttemptStatus::Unfit(complaints) => {
                write!(f, "does not fit: {}", join_complaints(complaints, "; "))
            }
            AttemptStatus::Missing => f.write_str("not in the requested form"),
            AttemptStatus::Paused => f.write_str("paused"),
            AttemptStatus::Refused => f.write_str("refused"),
            AttemptStatus::ContextExceeded => f.write_str("context exceeded"),
            AttemptStatus::Fault(fault) => write!(f, "no answer: {}", fault.message),
        }
    }
}

impl History {
    /// The sum of all attempts.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        self.attempts.iter().for_each(|attempt| sum += attempt.usage);
        sum
    }

    pub(super) fn add_fault(&mut self, request: &EmitRequest, fault: &ModelFault) {
        self.attempts.push(Attempt {
            rung: request.rung(),
            output_tokens: request.output_tokens(),
            stop: None,
            usage: Usage::default(),
            status: AttemptStatus::Fault(fault.clone()),
            complete: 0,
            unfit: 0,
        });
    }

    pub(super) fn add_reply<T>(
        &mut self,
        request: &EmitRequest,
        reply: &Reply,
        status: &ReplyStatus<T>,
        salvage: &Salvage,
    ) {
        let status = match status {
            ReplyStatus::Fits(_) => AttemptStatus::Fits,
            ReplyStatus::Cut => AttemptStatus::Cut,
            ReplyStatus::Unfit(complaints) | ReplyStatus::Prose(complaints) => {
                AttemptStatus::Unfit(complaints.clone())
            }
            ReplyStatus::Missing => AttemptStatus::Missing,
            ReplyStatus::Paused => AttemptStatus::Paused,
            ReplyStatus::Refused { .. } => AttemptStatus::Refused,
            ReplyStatus::ContextExceeded => AttemptStatus::ContextExceeded,
        };
        self.attempts.push(Attempt {
            rung: request.rung(),
            output_tokens: request.output_tokens(),
            stop: Some(reply.stop.clone()),
            usage: reply.usage,
            status,
            complete: salvage.complete.len(),
            unfit: salvage.unfit,
        });
    }
}
