//! What crosses the border between this program and a child: one JSON value per frame.
//!
//! Both sides of every message are written here and nowhere else. The child is treated as
//! hostile: what it sends is parsed with limits, and a frame that does not parse ends it.
//! Payloads stay raw text until somebody needs them, so a result is parsed once.

pub(crate) mod frame;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::sandbox::Level;

/// The number of a call inside one child; counted up, never used again.
pub(crate) type CallNo = u64;

/// What the parent says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ToChild {
    /// The first word to a program of others: what it is to run.
    Boot(Box<RawValue>),
    Start(Box<Start>),
    /// A service answered.
    Reply {
        call: CallNo,
        n: u32,
        value: Box<RawValue>,
    },
    /// A service said no.
    Refusal {
        call: CallNo,
        n: u32,
        code: String,
        message: String,
    },
    /// The module an import leads to; without a source it is one of our own.
    Module {
        call: CallNo,
        name: String,
        source: Option<String>,
    },
    NoModule {
        call: CallNo,
        because: String,
    },
    /// Nobody waits for this call any more. Answered by `Gone`, or by a `Done` on its way.
    Cancel {
        call: CallNo,
    },
}

/// One call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Start {
    pub call: CallNo,
    /// Stands for the exact bytes of the handler and its imports: same number, same code.
    pub bundle: u64,
    pub handler: String,
    #[serde(default)]
    pub part: Part,
    pub args: Box<RawValue>,
    pub context: Box<RawValue>,
    pub time_ms: u64,
}

/// Which function of a handler is called. JavaScript has only `execute`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Part {
    #[default]
    Execute,
    Condition,
    Status,
    Cleanup,
    /// A handler of the tool's form, by its name.
    Ui(String),
    /// None at all: the file is imported and described.
    Describe,
    /// None at all: the file is compiled, with what it imports. For Python the arguments list
    /// the files.
    Check,
}

/// What a child says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FromChild {
    /// The first frame: what the sandbox of this child enforces.
    Hello { level: Level },
    /// A program of others has booted; with a gap it says why it cannot work.
    Ready { gap: Option<String> },
    /// A sign of life while it has calls.
    Beat,
    /// It has run out of something and should get no more calls.
    Spent,
    /// A call holds up all others and cannot be stopped; `limit` is what it went beyond.
    Stuck { call: CallNo, limit: String },
    /// Which module is this? Asked while a bundle is compiled.
    Import { call: CallNo, base: String, specifier: String },
    /// A handler asks for a service; with `n` 0 it wants no answer.
    Call { call: CallNo, n: u32, name: String, args: Box<RawValue> },
    /// The one end of a call.
    Done { call: CallNo, end: End },
    /// The one end of a call that was cancelled.
    Gone { call: CallNo },
    /// What a probe found; see [`crate::sandbox::doctor`].
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
    /// How much the handler has to say.
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

/// What a handler threw, as plain data.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Throw {
    /// The type of a `ToolError`, not looked at yet.
    pub kind: Option<String>,
    pub message: String,
    pub retryable: bool,
    pub partial_side_effects: bool,
    pub details: Option<Box<RawValue>>,
    pub place: Option<String>,
}
