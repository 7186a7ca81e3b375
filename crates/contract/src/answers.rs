//! Answers to a handler's questions, from a person, a model or the calling program. They never
//! come from the arguments of a call, which a model writes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::words;

words! {
    /// How a question was answered.
    Action {
        Accept = "accept",
        /// The question was declined.
        Decline = "decline",
        /// The question was closed without an answer.
        Cancel = "cancel",
    }
}

/// One answer, as the handler finds it in `context.answers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlerAnswer {
    pub action: Action,
    /// The form that a person filled in, a model's `{"text"}`, or `{"folders"}`; null unless
    /// accepted.
    #[serde(default)]
    pub content: Value,
}

/// Every answer of a call so far, by the names of the handler's questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(pub BTreeMap<String, HandlerAnswer>);

impl Answers {
    /// How often a handler may ask in one call.
    pub const ROUNDS_MAX: u32 = 8;

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
