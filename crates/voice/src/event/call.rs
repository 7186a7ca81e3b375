//! Calls: asked, started, settled, answered.

use contract::{Artifact, Call, CallId, Intent};
use policy::{RequestId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::UtteranceId;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CallEvent {
    Asked {
        call: Call,
        /// What must be heard before a terminal tool runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<UtteranceId>,
        #[serde(default, skip_serializing_if = "Asker::is_model")]
        by: Asker,
    },
    Started {
        call: CallId,
    },
    OverBudget {
        call: CallId,
    },
    /// A person has to do something first.
    Waits {
        call: CallId,
        waits: Waits,
    },
    /// The handler was asked to stop.
    CancelAsked {
        call: CallId,
        why: CancelReason,
    },
    /// For the client; passed on when the call is settled, or at the end of the session.
    Message {
        call: CallId,
        message: Value,
    },
    Settled {
        call: CallId,
        result: CallResult,
    },
    /// The one answer that the model gets.
    Answered {
        call: CallId,
        answer: CallAnswer,
    },
    /// A result that came after the answer was given to the model as context.
    Informed {
        call: CallId,
    },
    IntentApplied {
        call: CallId,
        intent: Intent,
    },
}

/// Who wants a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Asker {
    #[default]
    Model,
    /// The person, who sent the form of this tool.
    Form {
        tool: String,
        /// The handler of the form that gets it; without one, the call is one of a tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handler: Option<String>,
    },
}

impl Asker {
    pub fn is_model(&self) -> bool {
        matches!(self, Asker::Model)
    }

    /// Whether a handler of a form does it, which no ledger knows.
    pub(crate) fn is_form_handler(&self) -> bool {
        matches!(self, Asker::Form { handler: Some(_), .. })
    }
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Waits {
    Approval {
        request: RequestId,
        preview: String,
        expires_at: Timestamp,
    },
    /// The handler's own question, by its name.
    Form {
        name: String,
        message: String,
        schema: Value,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The person spoke.
    Interrupted,
    /// The provider took the call back.
    Withdrawn,
    SessionEnded,
}

/// The end of a call, as the engine settled it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// What the model reads.
    pub content: Value,
    pub outcome: CallOutcome,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<Intent>,
    /// Files of the tool, which people see in the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
}

impl CallResult {
    /// A result that only the model reads.
    pub fn new(content: Value, outcome: CallOutcome) -> Self {
        Self { content, outcome, intents: Vec::new(), artifacts: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    Done,
    Failed,
    /// It failed or was stopped, and may have changed something.
    PartialEffects,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallAnswer {
    pub kind: AnswerKind,
    pub content: Value,
    pub speaking: Speaking,
}

/// Why this is the answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    Result,
    /// The conversation goes on before the call ends; its result follows as context.
    StillOpen,
    Cancelled,
    Malformed,
    /// The provider forgot the call with its connection; the result is part of the history.
    InHistory,
}

/// Whether the model speaks about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaking {
    Speaks,
    Silent,
}
