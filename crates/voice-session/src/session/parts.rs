//! What a session is made of, and what goes between it and its client.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{HandlerAnswer, Model};
use conversation::{VoiceLog, VoiceStart};
use policy::{ApprovalChoice, RequestId};
use serde_json::{Map, Value};
use voice::{
    ApprovalRules, EndReport, Language, LogEntry, Presence, ShownForm, Submission, ToolFacts,
    UtteranceId,
};

use crate::provider::SessionRoad;
use crate::speech::{Speaks, Transcribes};

/// The parts of a session.
pub struct SessionParts {
    pub log: VoiceLog,
    pub start: VoiceStart,
    pub model: Arc<dyn Model>,
    pub hears: Arc<dyn Transcribes>,
    pub speaks: Arc<dyn Speaks>,
    /// The instructions of the model, made with [`voice::voice_prompt`].
    pub system: String,
    pub languages: Vec<Language>,
    /// The person's distance from UTC, for "tomorrow".
    pub utc_offset_minutes: i32,
    pub tools: BTreeMap<String, ToolFacts>,
    /// How many rounds of calls the model may use in one turn.
    pub rounds_max: u32,
    pub output_tokens_max: Option<u32>,
}

/// How a session runs.
#[derive(Clone)]
pub struct SessionOptions {
    pub road: SessionRoad,
    /// Which approvals may be spoken.
    pub approval: ApprovalRules,
    /// Whether the client shows forms, so that a person can fill them in by hand.
    pub page_forms: Presence,
}

impl SessionOptions {
    /// With the usual rules.
    pub fn on(road: SessionRoad) -> Self {
        Self { road, approval: ApprovalRules::standard(), page_forms: Presence::Absent }
    }
}

/// From the client.
#[derive(Debug, Clone, PartialEq)]
pub enum FromClient {
    /// The person's audio at [`voice::DETECTOR_RATE`], in pieces of any length.
    Audio(Vec<i16>),
    /// So much of an utterance was played, counted in samples.
    Played { utterance: UtteranceId, ms: u64 },
    /// A button was pressed.
    Answer { request: RequestId, choice: ApprovalChoice },
    /// The person wants the form of this tool.
    Form { tool: String },
    /// The person writes into a form; null takes an answer back.
    FormEdit { form: u32, answers: Map<String, Value> },
    /// The person answers a handler's question by hand, or closes any form.
    FormAnswer { form: u32, answer: HandlerAnswer },
    /// The person presses a button of a tool's form.
    FormSend { form: u32, submission: Submission },
    /// What the client heard itself, instead of audio.
    Heard(Heard),
    /// The person wants silence: what is under way ends, as when they interrupt.
    Interrupt,
    /// The person hangs up.
    Stop,
    /// No more audio will come: end when nothing is under way any more.
    Finish,
}

/// A person's speech, as a client with its own speech recognition reports it. The final words
/// are what [`Transcribes`] gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Started,
    /// Words so far; each replaces the one before.
    Words(String),
    Ended,
}

/// For the client.
#[derive(Debug, Clone, PartialEq)]
pub enum ToClient {
    /// Something was recorded: what the client shows is made from these.
    Recorded(LogEntry),
    /// Play the audio of this utterance as it comes.
    Play(UtteranceId),
    /// Audio of an utterance, at [`crate::OUTPUT_RATE`].
    Audio {
        utterance: UtteranceId,
        samples: Vec<i16>,
    },
    /// A sentence that will be spoken, for a client with a voice of its own.
    Speak {
        utterance: UtteranceId,
        sentence: u32,
        text: String,
    },
    Pause {
        utterance: UtteranceId,
        fade_ms: u64,
    },
    Resume(UtteranceId),
    /// Throw away what is left of it.
    Cut(UtteranceId),
    Tone,
    ShowButton(RequestId),
    HideButton(RequestId),
    /// The form that is open now, as far as it is filled in.
    Form(Box<ShownForm>),
    /// The form of this number is not open any more.
    FormDone(u32),
    /// Nothing is wrong, and people should know it.
    Notice(String),
    /// A tool's message.
    Message(Value),
    /// Something went wrong that people should know.
    Trouble(String),
    Ended(EndReport),
}
