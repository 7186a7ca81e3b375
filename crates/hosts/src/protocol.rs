//! The messages between this program and a child: one JSON value per frame.
//!
//! Both sides of every message are defined here. The child is untrusted: its messages are parsed
//! with limits, and an invalid frame ends it. Payloads stay raw JSON until they are needed, so a
//! result is parsed once.

pub(crate) mod frame;
pub(crate) mod meter;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::sandbox::Level;

/// The number of a call in one child; never reused.
pub(crate) type CallNo = u64;

/// Messages of the parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ToChild {
    /// The first message to a foreign program: what to run.
    Boot(Box<RawValue>),
    Start(Box<Start>),
    /// A service succeeded.
    Reply {
        call: CallNo,
        n: u32,
        value: Box<RawValue>,
    },
    /// A service refused.
    Refusal {
        call: CallNo,
        n: u32,
        code: String,
        message: String,
    },
    /// The resolved module of an import; without a source it is one of ours.
    Module {
        call: CallNo,
        name: String,
        source: Option<String>,
    },
    NoModule {
        call: CallNo,
        because: String,
    },
    /// The call was abandoned. Answered by `Gone`, or by a `Done` that is already on its way.
    Cancel {
        call: CallNo,
    },
}

/// Starts a call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Start {
    pub call: CallNo,
    /// Identifies the exact bytes of the handler and its imports.
    pub bundle: u64,
    pub handler: String,
    #[serde(default)]
    pub part: EntryPoint,
    pub args: Box<RawValue>,
    pub context: Box<RawValue>,
    pub time_ms: u64,
}

/// Which function of a handler to call. JavaScript has only `execute`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum EntryPoint {
    #[default]
    Execute,
    Condition,
    Status,
    Cleanup,
    /// A handler of the tool's form, by name.
    Ui(String),
    /// No function: import and describe the file.
    Describe,
    /// No function: compile the file and its imports. For Python the arguments list the files.
    Check,
}

/// Messages of the child.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FromChild {
    /// The first frame: what the child's sandbox enforces.
    Hello { level: Level },
    /// A foreign program has booted; a gap says why it cannot work.
    Ready { gap: Option<String> },
    /// A sign of life while it has calls.
    Beat,
    /// A resource is used up; it should get no more calls.
    Spent,
    /// A call blocks all others and cannot be stopped; `limit` is what it exceeded.
    Stuck { call: CallNo, limit: String },
    /// Asks for a module while compiling a bundle.
    Import { call: CallNo, base: String, specifier: String },
    /// A handler calls a service; `n` is 0 if it expects no answer.
    Call { call: CallNo, n: u32, name: String, args: Box<RawValue> },
    /// The end of a call.
    Done { call: CallNo, end: End },
    /// The end of a cancelled call.
    Gone { call: CallNo },
    /// The result of a probe; see [`crate::sandbox::doctor`].
    Probed { blocked: Vec<String>, open: Vec<String> },
}

/// How a call ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum End {
    Returned(Box<RawValue>),
    Threw(Box<Throw>),
    Stalled,
    TimedOut,
    OverLimit(String),
    NotStarted(String),
}

impl End {
    /// The size of the payload.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            End::Returned(json) => json.get().len(),
            End::Threw(throw) => {
                let details = throw.details.as_ref().map_or(0, |json| json.get().len());
                throw.message.len() + details
            }
            End::OverLimit(text) | End::NotStarted(text) => text.len(),
            End::Stalled | End::TimedOut => 0,
        }
    }
}

/// An exception as plain data.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Throw {
    /// The type of a `ToolError`, not validated yet.
    pub kind: Option<String>,
    pub message: String,
    pub retryable: bool,
    pub partial_side_effects: bool,
    pub details: Option<Box<RawValue>>,
    pub place: Option<String>,
}
