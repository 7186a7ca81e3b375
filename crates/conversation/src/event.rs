//! What can happen in a conversation. The words are written to disk: they may be added to,
//! and never change their meaning.

use contract::{Call, CallId, Channel, Digest, Intent, Mode, ModelFault, Reply};
use policy::{RequestId, RuleId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event of a conversation's log. `turn` counts from 1, `round` from 0 within a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ConversationEvent {
    Opened(Opened),
    /// A person said something: a turn begins.
    Said {
        turn: u64,
        text: String,
    },
    /// What the model is offered from here on; written when it changes.
    Offered {
        turn: u64,
        round: u32,
        tools: Vec<OfferedTool>,
    },
    /// Tools that are there and that the model cannot be offered: from here on this
    /// conversation goes on without them.
    LeftOut {
        turn: u64,
        round: u32,
        tools: Vec<LeftOutTool>,
    },
    /// What tools report of themselves, as the model reads it in this turn.
    Dashboard {
        turn: u64,
        text: String,
    },
    /// The model answered; `request` is what it was asked.
    Replied {
        turn: u64,
        round: u32,
        request: Digest,
        reply: Reply,
    },
    /// A piece of an answer that is still being written. The whole answer (`replied`) takes
    /// its place; where none comes, this is what people have seen of it.
    Partial {
        turn: u64,
        round: u32,
        /// Counts from 0 how often the model was asked in this round.
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
    /// A tool spoke while it ran; neighbouring pieces of one channel are one event.
    Streamed {
        turn: u64,
        round: u32,
        call: CallId,
        part: u32,
        channel: Channel,
        text: String,
    },
    /// A tool left a message beside any turn; it is seen with the next one.
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
    /// Nobody knows how a write ended; a person has to find out.
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
    /// A person took these turns back: from here on nothing is made of them. What their
    /// calls have done stays done.
    TakenBack {
        first: u64,
        last: u64,
    },
}

/// What a piece of an unfinished answer is.
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
    /// How often the model may call tools before it must answer.
    pub rounds_max: u32,
    #[serde(default, skip_serializing_if = "PromptForm::is_beside")]
    pub prompt: PromptForm,
}

/// How the messages for the model are made of the events. A conversation keeps the form that
/// it began with, so that what was sent before stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptForm {
    /// What a tool said while it ran stands beside its result, on the user's side. So it is in
    /// conversations that say nothing else.
    #[default]
    Beside,
    /// It stands in the result of its call.
    InResult,
}

impl PromptForm {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
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

/// A tool that a conversation goes on without, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutTool {
    pub id: String,
    pub digest: Digest,
    pub because: String,
}

/// A call with its end, as the model, people and a replay need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettledCall {
    /// As it was asked for.
    pub call: Call,
    /// The arguments that a person put in the place of the call's own; it ran with these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
    /// The host ran it before the answer, without being asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto: bool,
    /// `run`, `ask`, `refuse` or `reuse`.
    pub verdict: String,
    pub rule: RuleId,
    /// What the model reads.
    pub content: Value,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<Intent>,
    /// Milliseconds in the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// For people; never shown to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl SettledCall {
    /// The arguments that counted: a person's where they changed them.
    pub fn args(&self) -> &Value {
        self.edited.as_ref().unwrap_or(&self.call.args)
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum EndReason {
    /// The model has answered.
    Answered,
    /// The answer was cut off at its longest allowed length.
    CutOff,
    Refused {
        text: String,
    },
    /// The rounds are used up, and the model still wanted tools.
    TooManyRounds,
    /// The model ended without a word, though it was asked twice.
    NoAnswer,
    Cancelled,
    /// The person said something else while a call waited.
    MovedOn,
    Failed {
        fault: ModelFault,
    },
}

impl ConversationEvent {
    /// A name that the event has once in its conversation: written twice, it stands once.
    pub(crate) fn name(&self) -> String {
        match self {
            ConversationEvent::Opened(_) => "opened".to_owned(),
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
            ConversationEvent::InDoubt { turn, call, .. } => {
                format!("t{turn}.doubt.{}", short(call))
            }
            ConversationEvent::Settled { turn, round, settled } => {
                let auto = if settled.auto { "auto" } else { "settled" };
                format!("t{turn}.r{round}.{auto}.{}", short(&settled.call.id))
            }
            ConversationEvent::Ended { turn, .. } => format!("t{turn}.ended"),
            ConversationEvent::TakenBack { first, last } => format!("taken-back.{first}.{last}"),
        }
    }

    /// The turn that it is a part of.
    pub fn turn(&self) -> Option<u64> {
        match self {
            ConversationEvent::Opened(_)
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::TakenBack { .. } => None,
            ConversationEvent::Said { turn, .. }
            | ConversationEvent::Offered { turn, .. }
            | ConversationEvent::LeftOut { turn, .. }
            | ConversationEvent::Dashboard { turn, .. }
            | ConversationEvent::Replied { turn, .. }
            | ConversationEvent::Partial { turn, .. }
            | ConversationEvent::BrokeOff { turn, .. }
            | ConversationEvent::Streamed { turn, .. }
            | ConversationEvent::Asked { turn, .. }
            | ConversationEvent::InDoubt { turn, .. }
            | ConversationEvent::Settled { turn, .. }
            | ConversationEvent::Ended { turn, .. } => Some(*turn),
        }
    }
}

/// A call's id in few bytes, whatever a provider made of it.
fn short(call: &CallId) -> String {
    Digest::of(call.0.as_bytes()).short()
}
