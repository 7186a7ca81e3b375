//! Questions to the person, and the end of a session.

use std::collections::BTreeMap;

use contract::{After, CallId, HandlerAnswer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::InterruptedEnding;
use crate::form::Submission;
use crate::ids::{SpeechId, UtteranceId};
use crate::words::answer::SpokenAnswer;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AskEvent {
    /// A question to the person begins.
    Opened {
        question: AskAbout,
    },
    /// The button of the page is asked instead.
    ToButton,
    /// The person's final transcript, as an answer to the read-back.
    Answered {
        speech: SpeechId,
        text: String,
        answer: SpokenAnswer,
    },
    /// The question was not heard to its end, and nothing was said.
    NotHeard,
    /// The person's final transcript, as an answer to a question of a form.
    FormHeard {
        speech: SpeechId,
        text: String,
    },
    /// The person wrote these answers by hand; null takes one back. The form is not sent yet.
    FormEdited {
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        answers: Map<String, Value>,
    },
    /// No answer came in time.
    Expired,
    /// It was answered elsewhere or closed by hand, or its call is settled.
    Closed,
    Approved,
    Declined,
    FormFilled {
        answer: HandlerAnswer,
    },
    /// A feature's form is sent, as its button on the page would do.
    FormSent {
        submission: Submission,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AskAbout {
    Approval {
        call: CallId,
    },
    Form {
        call: CallId,
    },
    /// The form of a tool's `ui.json`.
    Feature {
        tool: String,
        feature: Value,
        /// The tools that its buttons call, by the target of the button.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        calls: BTreeMap<String, String>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EndingEvent {
    Started {
        cause: String,
        after: After,
        interrupted: InterruptedEnding,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        farewell: Option<String>,
    },
    /// This is the farewell.
    Farewell { utterance: UtteranceId },
    /// The person spoke, and the session goes on.
    Cancelled,
}
