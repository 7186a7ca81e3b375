//! Why there is no whole answer, or no question at all.

use contract::{FaultKind, ModelFault, Pointer};
use dialect::Complaint;

/// Why an answer is not whole, sorted by what the caller does next.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Shortfall {
    /// Split the input: the answer to it is too long.
    #[error("the answer is cut off after {tokens} tokens; ask with less input at a time")]
    OutputLimit { tokens: u32 },
    /// Split the input: it is too long itself.
    #[error("the input does not fit into the model's context; ask with less input at a time")]
    ContextExceeded,
    #[error("the model refuses to answer{}", said(.text))]
    Refused { text: String },
    #[error("the model paused its work more than {times} times; ask again later")]
    Paused { times: u32 },
    /// Also after it was told what is wrong.
    #[error("the answer does not fit the schema: {}", listed(.complaints, "; "))]
    Unfit { complaints: Vec<Complaint> },
    /// Also after it was told to answer in the shape.
    #[error("the model answers, but not in the shape it was asked for; use another model")]
    Missing,
    #[error("all {max} requests for this answer are used up; ask again, or allow more")]
    Requests { max: u32 },
    /// Whatever may be sent again was already sent again by the model's client.
    #[error(transparent)]
    Model(ModelFault),
}

impl From<ModelFault> for Shortfall {
    fn from(fault: ModelFault) -> Self {
        match fault.kind == FaultKind::ContextExceeded {
            true => Shortfall::ContextExceeded,
            false => Shortfall::Model(fault),
        }
    }
}

/// Why nothing was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EmitFault {
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    #[error(
        "the schema has no plain list at `{0}`; name a property with `type: array` and `items`, \
         outside of unions and conditions"
    )]
    List(Pointer),
    #[error("`{model}` has no way to answer in a shape; use another model")]
    NoRung { model: String },
    #[error("there is no input to answer; give the text that the instructions speak about")]
    Empty,
    #[error("instructions and input have {bytes} bytes, at most {max} are sent; split the input")]
    TooLarge { bytes: usize, max: usize },
}

/// Complaints about an answer, for people and for the model.
pub(super) fn listed(complaints: &[Complaint], between: &str) -> String {
    let one = |complaint: &Complaint| match complaint.pointer.is_empty() {
        true => format!("the answer: {}", complaint.message),
        false => complaint.to_string(),
    };
    complaints.iter().map(one).collect::<Vec<_>>().join(between)
}

fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
