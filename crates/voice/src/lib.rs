//! Voice sessions, as a pure state machine: no socket, no sound card, no clock.
//!
//! In: what happened, with its time. Out: what to do. A session records every decision, and its
//! whole state can be made from that log again, in this process or another. Nothing here reads a
//! file, a clock or a socket; `Cargo.toml` and this crate's `clippy.toml` ensure that.
//!
//! Start at [`Session`], which decides, then [`Road`], which translates its decisions for a provider,
//! then [`Driver`], which joins the two and is what I/O calls. The modules stand in reading
//! order: what goes in and out, the state and its rules, what a person's words mean, the roads,
//! and sessions that are played from a script.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]
#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

mod ids;

mod config;
mod event;
mod input;

mod command;

mod session;
mod state;

mod transcript;

mod form;
mod words;

mod capabilities;
mod road;

mod microphone;
mod prompt;

mod driver;

mod script;

pub use capabilities::{
    CallBehavior, Capabilities, ClientContent, RoadKind, TurnEnd, all_capabilities, capabilities,
    capabilities_checked,
};
pub use command::{Command, EndReport, ListenTo, Respond, RoadCommand};
pub use config::{
    ApprovalRules, Config, EffectLevel, EndingRules, FarewellBy, InterruptedEnding, OnInterrupt,
    OwnParts, Presence, RespondsTo, RoadFacts, SpeechBy, TERMINAL_TOOLS, Timing, ToolFacts,
    ToolRole, Transcribes, TurnsBy,
};
pub use driver::{Driver, Effect};
pub use event::{
    AnswerEnd, AnswerKind, AskAbout, AskEvent, Asker, AudioEvent, CallAnswer, CallEvent,
    CallOutcome, CallResult, CancelReason, Context, EndingEvent, LogEntry, Opened, Piece, Purpose,
    SessionEvent, Speaking, TurnEvent, UserEvent, VoiceEvent, Waits,
};
pub use form::{
    Choice, Day, Dialogue, Field, FieldKind, Form, Locale, Needed, Submission, UiForm, form_targets,
};
pub use ids::{AnswerId, SpeechId, TurnNumber, UtteranceId};
pub use input::Input;
pub use microphone::{
    AudioGate, DETECTOR_RATE, EarshotDetector, Microphone, MicrophoneEvent, SpeechDetector,
    SpeechLimits,
};
pub use prompt::{ToolSummary, VoicePrompt, voice_prompt};
pub use road::{
    Cascade, Gemini, Incoming, Live, Outgoing, Realtime, Road, RoadEvent, Setup, TextTurnEnd,
    TextTurnEvent, TextTurnRequest, road,
};
pub use script::{
    EngineEvent, OutputLine, PlayedHandler, Run, Script, ScriptEngine, ScriptFault, ScriptProject,
    ScriptWire, Source, ToolEnd, WantedForm, in_words, log_line, parse as parse_script,
};
pub use session::{Refused, Session};
pub use state::shown_form::{FormContent, OpenQuestion, ShownForm};
pub use state::{Phase, State};
pub use transcript::{Line, Shown, Speaker};
pub use words::answer::{SpokenAnswer, has_words, is_backchannel, normalize, spoken_answer};
pub use words::heard::{Mark, heard_bytes};
pub use words::language::{Language, Words};
pub use words::sentence::{SENTENCE_CHARS_MAX, TextEnd, sentences};
