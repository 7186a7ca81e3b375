//! The events of a conversation. Their names are written to disk: new ones may be added, but
//! none may change its meaning.

use contract::{Artifact, Call, CallId, Channel, Digest, FileRef, Intent, Mode, ModelFault, Reply};
use policy::{RequestId, RuleId, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversations::questions::FormQuestion;
use crate::settings::ConversationSettings;

/// One event of a conversation's log. `turn` counts from 1, `round` from 0 within a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ConversationEvent {
    Opened(Opened),
    /// A person chose other settings for the conversation; they count from the next turn on.
    /// Numbers count from 1.
    SettingsChanged {
        number: u64,
        settings: ConversationSettings,
    },
    /// A person sent a message: a turn begins.
    Said {
        turn: u64,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileRef>,
        /// Answers this message instead of the conversation's model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The tools that the model is offered from here on; written when they change.
    Offered {
        turn: u64,
        round: u32,
        tools: Vec<OfferedTool>,
    },
    /// Tools that exist but cannot be offered to the model: from here on this conversation
    /// continues without them.
    LeftOut {
        turn: u64,
        round: u32,
        tools: Vec<LeftOutTool>,
    },
    /// The status reports of tools, as the model reads them in this turn.
    Dashboard {
        turn: u64,
        text: String,
    },
    /// The model answered; `request` is the digest of the request.
    Replied {
        turn: u64,
        round: u32,
        request: Digest,
        reply: Reply,
    },
    /// A piece of an answer that is still being written. The complete answer (`replied`)
    /// replaces it; without one, this is what people have seen of it.
    Partial {
        turn: u64,
        round: u32,
        /// How often the model was asked in this round, from 0.
        attempt: u32,
        part: u32,
        kind: PartialKind,
        text: String,
    },
    /// The program ended while the model answered; the model is asked again.
    BrokeOff {
        turn: u64,
        round: u32,
        attempt: u32,
    },
    /// A tool sent chunks while it ran; consecutive chunks of one channel are one event.
    Streamed {
        turn: u64,
        round: u32,
        call: CallId,
        part: u32,
        channel: Channel,
        text: String,
    },
    /// A tool left a message outside of turns; the model gets it with the next one.
    Noticed {
        id: String,
        text: String,
    },
    /// A call waits for a person.
    Asked {
        turn: u64,
        call: CallId,
        request: RequestId,
        preview: String,
    },
    /// The handler of a call asks a person, and runs again with the answers. `round` counts how
    /// often it asked, `number` the events of this kind for the call; both from 1.
    Questioned {
        turn: u64,
        call: CallId,
        number: u32,
        round: u32,
        questions: Vec<FormQuestion>,
    },
    /// The outcome of a write is unknown; a person has to find out.
    InDoubt {
        turn: u64,
        call: CallId,
        tool: String,
    },
    Settled {
        turn: u64,
        round: u32,
        settled: SettledCall,
    },
    Ended {
        turn: u64,
        how: EndReason,
    },
    /// A person took these turns back: from here on they are not used. The effects of their
    /// calls are not undone.
    TakenBack {
        first: u64,
        last: u64,
    },
    /// A person sent the message of the turn `first` again, as it was or changed, as the turn
    /// `turn`: a version of it. From here on the turns `first` to `last` are not used, unless
    /// they are chosen.
    SentAgain {
        first: u64,
        last: u64,
        turn: u64,
    },
    /// A person chose the version that begins with this turn: from here on it is used, with the
    /// turns that followed it, in place of the version that was used before. Choices count
    /// from 1.
    Chosen {
        turn: u64,
        choice: u64,
    },
    /// An entry of the log of a voice session. Sessions count from 1, entries from 0.
    Voice {
        session: u64,
        number: u64,
        entry: voice::LogEntry,
    },
}

/// The kind of a piece of an unfinished answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialKind {
    Text,
    /// Shown to people; never sent to a model again.
    Thinking,
}

/// How a conversation began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    pub client: String,
    pub mode: Mode,
    /// `provider:name` of the model that was asked first.
    pub model: String,
    pub system: String,
    /// How many rounds of calls the model may use before it must answer.
    pub rounds_max: u32,
    #[serde(default, skip_serializing_if = "PromptForm::is_beside")]
    pub prompt: PromptForm,
}

/// How the messages for the model are built from the events. A conversation keeps the form that
/// it began with, so that earlier messages stay as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptForm {
    /// Chunks of a tool are next to its result, in the user's message. The form of
    /// conversations without an explicit form.
    #[default]
    Beside,
    /// Chunks are inside the result of their call.
    InResult,
}

impl PromptForm {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_beside(&self) -> bool {
        *self == Self::Beside
    }
}

/// A tool with the state it was offered in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedTool {
    pub id: String,
    pub digest: Digest,
}

/// A tool that a conversation continues without, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutTool {
    pub id: String,
    pub digest: Digest,
    pub because: String,
}

/// A call with its outcome, as the model, people and a replay need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettledCall {
    /// As the model requested it.
    pub call: Call,
    /// The arguments that a person entered instead; the call ran with these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
    /// The host ran it automatically before the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto: bool,
    /// The word of a [`VerdictKind`]; an imported conversation may have any other.
    pub verdict: String,
    pub rule: RuleId,
    /// What the model reads.
    pub content: Value,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<Intent>,
    /// Files of the tool, which people see beside the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Milliseconds in the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// For people; never shown to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl SettledCall {
    /// The arguments that the call ran with: a person's if they changed them.
    pub fn args(&self) -> &Value {
        self.edited.as_ref().unwrap_or(&self.call.args)
    }

    /// None for a word that only an imported conversation has.
    pub fn verdict_kind(&self) -> Option<VerdictKind> {
        VerdictKind::of_word(&self.verdict)
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum EndReason {
    /// The model has answered.
    Answered,
    /// The answer was cut off at the maximum length.
    CutOff,
    Refused {
        text: String,
    },
    /// The rounds are used up, and the model still calls tools.
    TooManyRounds,
    /// The model gave an empty answer twice.
    NoAnswer,
    Cancelled,
    /// The person sent another message while a call waited.
    MovedOn,
    Failed {
        fault: ModelFault,
    },
}

impl ConversationEvent {
    /// A name that is unique in the conversation: an event that is written twice is stored once.
    pub(crate) fn name(&self) -> String {
        match self {
            ConversationEvent::Opened(_) => "opened".to_owned(),
            ConversationEvent::SettingsChanged { number, .. } => format!("settings.{number}"),
            ConversationEvent::Said { turn, .. } => format!("t{turn}.said"),
            ConversationEvent::Offered { turn, round, .. } => format!("t{turn}.r{round}.offered"),
            ConversationEvent::LeftOut { turn, round, tools } => {
                let ids: Vec<_> = tools.iter().map(|tool| tool.id.as_str()).collect();
                let which = Digest::of(ids.join("\n").as_bytes()).short();
                format!("t{turn}.r{round}.left-out.{which}")
            }
            ConversationEvent::Dashboard { turn, .. } => format!("t{turn}.dashboard"),
            ConversationEvent::Replied { turn, round, .. } => format!("t{turn}.r{round}.replied"),
            ConversationEvent::Partial { turn, round, attempt, part, .. } => {
                format!("t{turn}.r{round}.partial.{attempt}.{part}")
            }
            ConversationEvent::BrokeOff { turn, round, attempt } => {
                format!("t{turn}.r{round}.broke-off.{attempt}")
            }
            ConversationEvent::Streamed { turn, round, call, part, .. } => {
                format!("t{turn}.r{round}.streamed.{part}.{}", short(call))
            }
            ConversationEvent::Noticed { id, .. } => format!("noticed.{id}"),
            ConversationEvent::Asked { turn, call, request, .. } => {
                format!("t{turn}.asked.{}.{}", short(call), request.0)
            }
            ConversationEvent::Questioned { turn, call, number, .. } => {
                format!("t{turn}.questioned.{number}.{}", short(call))
            }
            ConversationEvent::InDoubt { turn, call, .. } => {
                format!("t{turn}.doubt.{}", short(call))
            }
            ConversationEvent::Settled { turn, round, settled } => {
                let auto = if settled.auto { "auto" } else { "settled" };
                format!("t{turn}.r{round}.{auto}.{}", short(&settled.call.id))
            }
            ConversationEvent::Ended { turn, .. } => format!("t{turn}.ended"),
            ConversationEvent::TakenBack { first, last } => format!("taken-back.{first}.{last}"),
            ConversationEvent::SentAgain { turn, .. } => format!("sent-again.{turn}"),
            ConversationEvent::Chosen { choice, .. } => format!("chosen.{choice}"),
            ConversationEvent::Voice { session, number, .. } => format!("voice.{session}.{number}"),
        }
    }

    /// The turn that it belongs to.
    pub fn turn(&self) -> Option<u64> {
        match self {
            ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::TakenBack { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. }
            | ConversationEvent::Voice { .. } => None,
            ConversationEvent::Said { turn, .. }
            | ConversationEvent::Offered { turn, .. }
            | ConversationEvent::LeftOut { turn, .. }
            | ConversationEvent::Dashboard { turn, .. }
            | ConversationEvent::Replied { turn, .. }
            | ConversationEvent::Partial { turn, .. }
            | ConversationEvent::BrokeOff { turn, .. }
            | ConversationEvent::Streamed { turn, .. }
            | ConversationEvent::Asked { turn, .. }
            | ConversationEvent::Questioned { turn, .. }
            | ConversationEvent::InDoubt { turn, .. }
            | ConversationEvent::Settled { turn, .. }
            | ConversationEvent::Ended { turn, .. } => Some(*turn),
        }
    }
}

/// A short form of a call's id, however long the provider's is.
fn short(call: &CallId) -> String {
    Digest::of(call.0.as_bytes()).short()
}
