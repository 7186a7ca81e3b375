//! The messages of a connection, as JSON. Audio is in binary messages.
//!
//! From the client: 16-bit little-endian mono samples at [`voice::DETECTOR_RATE`], nothing else
//! in the message. To the client: the number of the message and of the utterance, each four
//! bytes, little-endian, then samples at [`voice_session::OUTPUT_RATE`].

use policy::{PreviewLine, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Missing;

/// The version of these messages.
pub(crate) const VERSION: u32 = 1;

/// The first message of a client.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hello {
    #[serde(rename = "type")]
    _kind: HelloKind,
    pub version: u32,
    /// Who writes down what the person says.
    #[serde(default)]
    pub hears: Side,
    /// Who speaks.
    #[serde(default)]
    pub speaks: Side,
    /// The person's distance from UTC, in minutes.
    #[serde(default)]
    pub utc_offset: i32,
    /// Goes on with a session whose connection was lost.
    #[serde(default)]
    pub resume: Option<Resume>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HelloKind {
    Hello,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    #[default]
    Server,
    Browser,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    /// As `ready` gave it.
    pub session: String,
    /// The number of the last message that arrived.
    pub seen: u64,
}

/// Every later message of a client.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ClientEvent {
    /// So many samples of an utterance were played; `seen` is the last message that arrived.
    Played { utterance: u32, samples: u64, seen: u64 },
    /// A sign of life.
    Alive { seen: u64 },
    /// The browser's own words for what the person says; each replaces the one before.
    Heard {
        text: String,
        #[serde(rename = "final")]
        is_final: bool,
    },
    /// A button of an approval.
    Answer { request: RequestId, answer: Answer },
    /// Begin the form of this tool.
    Form { tool: String },
    /// What the person wrote into a form by hand; null takes an answer back.
    FormEdit {
        form: u32,
        #[serde(default)]
        answers: Map<String, Value>,
    },
    /// A handler's question, answered by hand; or any form, closed.
    FormAnswer {
        form: u32,
        action: FormAction,
        #[serde(default)]
        content: Value,
    },
    /// A button of a tool's form was pressed.
    FormSend { form: u32, target: String, params: Value },
    /// Whether the person does not want to be heard.
    Mute { muted: bool },
    /// Stop the answer, as an interruption does.
    Stop,
    /// Hang up.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Approve,
    Decline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormAction {
    Accept,
    Decline,
    Cancel,
}

/// A message for the client. Each has a number, `seq`, except `error` and `alive`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ServerEvent {
    Ready {
        version: u32,
        /// Names the session after a lost connection.
        session: String,
        /// How long it waits for that.
        resume_seconds: u64,
        input_rate: u32,
        output_rate: u32,
    },
    /// What one side says. The same `id` replaces; no text takes it back.
    Words {
        who: Who,
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(rename = "final")]
        is_final: bool,
    },
    /// More of the words with this `id`, at their end.
    MoreWords {
        who: Who,
        id: String,
        text: String,
    },
    Phase {
        phase: Phase,
    },
    Tool {
        call: String,
        tool: String,
        state: ToolState,
    },
    /// A call needs a person's yes.
    Approval {
        request: RequestId,
        tool: String,
        preview: String,
        /// The same, line by line.
        preview_lines: Vec<PreviewLine>,
        /// Unix time in milliseconds.
        expires_at: u64,
    },
    /// Only a button can answer it now.
    Button {
        request: RequestId,
    },
    ApprovalDone {
        request: RequestId,
    },
    /// A form is open: a handler's question, with a schema, or a tool's form, with a feature.
    Form {
        form: u32,
        tool: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        feature: Option<Value>,
    },
    /// What was answered so far, by voice or by hand, and what is being asked for.
    FormAnswers {
        form: u32,
        answers: Map<String, Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        /// Nothing is asked aloud any more.
        by_hand: bool,
    },
    /// The form was sent, answered or closed, by voice, by hand or elsewhere.
    FormDone {
        form: u32,
    },
    /// Nothing is wrong, and people should know it.
    Notice {
        text: String,
    },
    /// Play the audio of this utterance as it comes.
    Play {
        utterance: u32,
    },
    /// Fade out, hold the rest, and report the position.
    Pause {
        utterance: u32,
        fade_ms: u64,
    },
    Resume {
        utterance: u32,
    },
    /// Throw away what is left of it.
    Cut {
        utterance: u32,
    },
    Tone,
    /// A sentence for the browser's own voice; it counts as this many samples.
    Speak {
        utterance: u32,
        text: String,
        samples: u64,
    },
    /// A tool's message.
    Message {
        message: Value,
    },
    /// Something went wrong that people should know.
    Trouble {
        text: String,
    },
    Ended {
        cause: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Who {
    User,
    Assistant,
    /// Our own words: a read-back, a question, a farewell.
    Program,
}

/// What goes on, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Listening,
    Hearing,
    Thinking,
    Speaking,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolState {
    Asked,
    Running,
    Waiting,
    Done,
    Failed,
    Cancelled,
}

/// Why a connection ends; its last message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub code: String,
    pub message: String,
    pub fix: String,
    /// Until when, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl Refusal {
    pub(crate) fn new(code: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let (code, message, fix) = (code.to_owned(), message.into(), fix.into());
        Self { kind: "error", code, message, fix, until: None }
    }
}

impl From<Missing> for Refusal {
    fn from(missing: Missing) -> Self {
        Self::new("not_set_up", missing.what, missing.fix)
    }
}

impl From<server::Fault> for Refusal {
    fn from(fault: server::Fault) -> Self {
        Self::new(fault.code(), fault.message(), fault.fix())
    }
}
