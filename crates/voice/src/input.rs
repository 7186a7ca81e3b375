//! The inputs of a session: from the road, the page, the engine and our own speech services.

use std::collections::BTreeMap;

use contract::{Call, CallId};
use policy::RequestId;
use serde_json::{Map, Value};

use crate::event::{AnswerEnd, CallResult, Context, Waits};
use crate::form::Submission;
use crate::ids::{AnswerId, SpeechId, UtteranceId};

/// One thing that happened. The time is given beside it.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    // The connection to the provider.
    Ready,
    ConnectionLost,
    ConnectionRestored {
        context: Context,
    },
    GoingAway {
        ms_left: u64,
    },

    // The person.
    SpeechStarted,
    SpeechEnded,
    Partial {
        text: String,
    },
    /// A final transcript; without a name, of the oldest speech that has none.
    Said {
        speech: Option<SpeechId>,
        text: String,
    },

    // The model.
    AnswerStarted {
        answer: AnswerId,
    },
    AnswerText {
        answer: AnswerId,
        text: String,
        until_ms: Option<u64>,
    },
    AnswerAudio {
        answer: AnswerId,
        ms: u64,
    },
    AnswerEnded {
        answer: AnswerId,
        end: AnswerEnd,
    },
    TurnDone,
    CallAsked {
        call: Call,
    },
    /// A call that cannot be read, or that broke off.
    CallMalformed {
        call: CallId,
        tool: String,
        message: String,
    },
    /// The provider does not want these results any more.
    CallsWithdrawn {
        calls: Vec<CallId>,
    },

    // Our own speech.
    SpeechAudio {
        utterance: UtteranceId,
        sentence: u32,
        ms: u64,
    },
    SentenceReady {
        utterance: UtteranceId,
        sentence: u32,
    },
    SpeechFailed {
        utterance: UtteranceId,
    },

    // The page.
    /// So much of an utterance was played, counted in samples.
    Played {
        utterance: UtteranceId,
        ms: u64,
    },
    /// The person wants silence: what is under way ends, as when they interrupt.
    Interrupt,
    /// A person answered an approval on the page.
    ApprovalAnswered {
        request: RequestId,
    },
    /// A person wants to fill in a tool's form by voice. `calls` has the tools that its buttons
    /// call, by the target of the button; other targets are handlers of the form.
    FormWanted {
        tool: String,
        feature: Value,
        calls: BTreeMap<String, String>,
    },
    /// A person writes into the form of this number; null takes an answer back.
    FormEdited {
        form: u32,
        answers: Map<String, Value>,
    },
    /// A person pressed a button of a tool's form.
    FormSubmitted {
        form: u32,
        submission: Submission,
    },
    /// A person closed a tool's form.
    FormClosed {
        form: u32,
    },
    /// A handler's question was answered by hand, here or elsewhere; the engine has the answer.
    QuestionAnswered {
        call: CallId,
        name: String,
    },

    // The engine.
    CallWaits {
        call: CallId,
        waits: Waits,
    },
    CallMessage {
        call: CallId,
        message: Value,
    },
    CallSettled {
        call: CallId,
        result: CallResult,
    },

    /// Something unexpected, for people.
    Noted {
        text: String,
    },
    /// The person hung up, or the program ends.
    Stop {
        cause: String,
    },
    /// A deadline has passed.
    Tick,
}
