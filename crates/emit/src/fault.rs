//! Why an answer is incomplete, or why nothing was asked.

use contract::{FaultKind, ModelFault, Pointer};
use dialect::Complaint;

/// Why an answer is incomplete, by what the caller can do next.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerFault {
    /// The answer is too long: split the input.
    #[error("the answer was cut off after {tokens} tokens; send less input at a time")]
    OutputLimit { tokens: u32 },
    /// The input is too long: split it.
    #[error("the input does not fit into the model's context; send less input at a time")]
    ContextExceeded,
    #[error("the model refused to answer{}", with_reason(.text))]
    Refused { text: String },
    #[error("the model paused more than {times} times; try again later")]
    Paused { times: u32 },
    /// Even after the model got the complaints.
    #[error("the answer does not fit the schema: {}", join_complaints(.complaints, "; "))]
    Unfit { complaints: Vec<Complaint> },
    /// Even after a reminder.
    #[error("the model does not answer in the requested form; use another model")]
    Missing,
    #[error("all {max} requests for this answer are used up; try again, or allow more")]
    Requests { max: u32 },
    /// The model's client has already retried what can be retried.
    #[error(transparent)]
    Model(ModelFault),
}

impl From<ModelFault> for AnswerFault {
    fn from(fault: ModelFault) -> Self {
        match fault.kind == FaultKind::ContextExceeded {
            true => AnswerFault::ContextExceeded,
            false => AnswerFault::Model(fault),
        }
    }
}

/// Why nothing was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskFault {
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    #[error(
        "the schema has no plain list at `{0}`; name a property with `type: array` and `items`, \
         outside of unions and conditions"
    )]
    List(Pointer),
    #[error("`{model}` does not support structured output; use another model")]
    NoRung { model: String },
    #[error("the input is empty; pass the text that the instructions refer to")]
    Empty,
    #[error("instructions and input have {bytes} bytes, at most {max} are sent; split the input")]
    TooLarge { bytes: usize, max: usize },
}

/// The complaints as text, for people and for the model.
pub(super) fn join_complaints(complaints: &[Complaint], between: &str) -> String {
    let one = |complaint: &Complaint| match complaint.pointer.is_empty() {
        true => format!("the answer: {}", complaint.message),
        false => complaint.to_string(),
    };
    complaints.iter().map(one).collect::<Vec<_>>().join(between)
}

fn with_reason(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
