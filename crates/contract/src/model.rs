//! The port through which a model is asked, in words that no provider owns.
//!
//! In: a [`Request`]: system text, tools as their contracts say them, messages. Out: a
//! [`Reply`] whose calls carry canonical tool ids and canonical arguments; whoever
//! implements [`Model`] does the spelling in between.
//!
//! Must hold: a block that came from a provider keeps the provider's own item beside it
//! ([`Native`]) and goes back to that provider verbatim; nothing torn is ever a [`Call`].

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::words;
use crate::{Call, CallId, Digest, ToolId};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What answers. Dropping the future cancels the request.
pub trait Model: Send + Sync {
    fn facts(&self) -> &ModelFacts;

    /// Asks once. `deltas` is called for each piece as it arrives; the reply has them all.
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, ModelFault>>;

    /// How many tools it can be offered at once, where that is known.
    fn tools_max(&self) -> Option<usize> {
        None
    }

    /// Which tools of a failed request are to blame for the fault; none if it is not about
    /// tools. May ask the server a few short questions to find out.
    fn blamed<'a>(
        &'a self,
        _request: &'a Request,
        _fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// What its server refused in other processes, where somebody keeps that.
    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        None
    }
}

/// Remembers which ways to a shape a server refused. By schema: a server may take one schema
/// natively and find another too complex.
pub trait RungMemory: Send + Sync {
    /// The rungs that were refused for this schema, not too long ago.
    fn refused(&self, schema: Digest) -> Vec<Rung>;

    fn remember(&self, schema: Digest, refused: &[Rung]);
}

/// A tool that a model cannot be offered, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedTool {
    /// The tool's canonical id.
    pub tool: String,
    pub because: String,
}

/// What a model is and can do; a dated table knows, nothing guesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// `anthropic`, `openai`, `gemini`, `rehearsal`, or the name of a configured server.
    pub provider: String,
    /// The model's own name, exactly as the provider spells it.
    pub model: String,
    /// The spelling of its native blocks; none for models that need no wire.
    pub wire: Option<Wire>,
    /// How it can be made to answer in a shape, best way first.
    pub rungs: Vec<Rung>,
    /// What one answer may have at most, where it is known.
    pub output_tokens_max: Option<u32>,
}

impl fmt::Display for ModelFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The stand-in is one model, and its provider's name is enough.
        match self.provider == self.model {
            true => f.write_str(&self.model),
            false => write!(f, "{}:{}", self.provider, self.model),
        }
    }
}

words! {
    /// The protocols in which providers are spoken to.
    Wire {
        Anthropic = "anthropic",
        /// OpenAI Chat Completions, and every server that speaks it.
        Chat = "chat",
        /// OpenAI Responses.
        Responses = "responses",
        /// Gemini generateContent.
        Gemini = "gemini",
    }
}

words! {
    /// One way to get an answer in a given shape.
    Rung {
        /// The provider enforces the schema of the whole answer.
        Native = "native",
        /// One strict tool that the model must call.
        Forced = "forced",
        /// One strict tool that the model is asked to call.
        Automatic = "automatic",
    }
}

/// One question to a model. The order of the fields is the order of the prompt's prefix:
/// what only grows at its end stays in the provider's cache.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Request {
    pub tools: Vec<ToolOffer>,
    pub system: String,
    pub messages: Vec<Message>,
    pub choice: ToolChoice,
    /// A shape for the answer; the model then has no tools but, on some rungs, this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<OutputSchema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
    #[serde(default)]
    pub sampling: Sampling,
    /// The provider's own tools (web search and the like), in the provider's spelling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_tools: Vec<Value>,
    /// Merged into the final body (RFC 7396): the way out for what has no word here.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub patch: Value,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOffer {
    pub id: ToolId,
    pub description: String,
    /// The contract's own schema; the wire lowers it.
    pub parameters: Value,
}

/// May, must or must not the model call a tool?
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// Some tool.
    Any,
    Tool(ToolId),
}

/// The shape an answer must have, and the rung to get it by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    pub name: ToolId,
    pub description: String,
    pub schema: Value,
    pub rung: Rung,
}

/// Wishes that a model may not accept; the facts of the model decide what is sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub blocks: Vec<Block>,
}

impl Message {
    pub fn user(blocks: Vec<Block>) -> Self {
        Self { role: Role::User, blocks }
    }

    pub fn assistant(blocks: Vec<Block>) -> Self {
        Self { role: Role::Assistant, blocks }
    }
}

words! {
    /// Who speaks. Results of calls are said by the user's side, as every wire wants it.
    Role {
        User = "user",
        Assistant = "assistant",
    }
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    #[serde(flatten)]
    pub part: Part,
    /// The item as a provider sent it; it goes back there unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

impl From<Part> for Block {
    fn from(part: Part) -> Self {
        Self { part, native: None }
    }
}

impl Block {
    pub fn text(text: impl Into<String>) -> Self {
        Part::Text { text: text.into() }.into()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Native {
    pub wire: Wire,
    /// Who sent it, as [`ModelFacts`] prints itself: `anthropic:claude-opus-5-5`. The same
    /// wire at another provider would not know it.
    pub from: String,
    pub item: Value,
}

/// What a block says, whoever made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        text: String,
    },
    /// What the model thought; shown apart, rebuilt for no other wire.
    Thinking {
        text: String,
    },
    Call(Call),
    /// Arguments that were cut off or are no JSON: never run, never sent back.
    TornCall {
        id: CallId,
        tool: String,
        text: String,
        why: String,
    },
    Result(CallResult),
    Refusal {
        text: String,
    },
    /// The provider's own business (server tools, citations, what is not invented yet);
    /// it lives in `native`, and `label` is for people.
    Other {
        label: String,
    },
}

/// What a call gave, as the model may read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub id: CallId,
    /// The tool's canonical id, or the name the model invented.
    pub tool: String,
    pub content: Value,
    #[serde(default)]
    pub is_error: bool,
}

/// A piece of an answer, while it arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Thinking(String),
    /// The model has begun to write a call of this tool.
    CallBegun {
        id: CallId,
        tool: String,
    },
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub blocks: Vec<Block>,
    pub stop: StopReason,
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The answer in the wanted shape, where a [`OutputSchema`] was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaped: Option<StructuredReply>,
}

impl Reply {
    /// The text of the answer, without thinking.
    pub fn text(&self) -> String {
        let text = |block: &Block| {
            if let Part::Text { text } = &block.part { Some(text.clone()) } else { None }
        };
        self.blocks.iter().filter_map(text).collect()
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks
            .iter()
            .filter_map(|block| if let Part::Call(call) = &block.part { Some(call) } else { None })
    }
}

/// What came back for a [`OutputSchema`], decoded to the schema that was asked for. Not validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredReply {
    Whole(Value),
    /// The answer broke off: the parts that are complete, never half a one.
    Torn {
        complete: Value,
        text: String,
    },
    /// There is an answer, and it is not JSON.
    NotJson {
        text: String,
        why: String,
    },
    /// No block of the answer has the shape.
    Missing,
}

/// Why the answer ends here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    /// The provider paused its own work; asking again with the answer so far goes on.
    PauseTurn,
    Refusal {
        text: String,
    },
    ContextExceeded,
    /// A reason this program has no word for.
    Other {
        reason: String,
    },
}

/// What an answer cost in tokens. `input` does not contain what came from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// The part of `output` that was thinking.
    pub thinking: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let Usage { input, output, cache_read, cache_write, thinking } = other;
        self.input = self.input.saturating_add(input);
        self.output = self.output.saturating_add(output);
        self.cache_read = self.cache_read.saturating_add(cache_read);
        self.cache_write = self.cache_write.saturating_add(cache_write);
        self.thinking = self.thinking.saturating_add(thinking);
    }
}

/// Why there is no answer, in a sentence that says what to do. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}; {fix}")]
pub struct ModelFault {
    pub kind: FaultKind,
    pub message: String,
    pub fix: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    pub retry_after: Option<Duration>,
}

words! {
    /// The sorts of model faults that callers treat differently.
    FaultKind {
        NoKey = "no_key",
        WrongKey = "wrong_key",
        UnknownModel = "unknown_model",
        /// No connection: no network, a wrong address, a server that is down.
        Unreachable = "unreachable",
        /// The provider does not accept the request; trying again changes nothing.
        BadRequest = "bad_request",
        TooLarge = "too_large",
        ContextExceeded = "context_exceeded",
        RateLimited = "rate_limited",
        /// The money or the quota is used up.
        SpendCap = "spend_cap",
        Overloaded = "overloaded",
        /// The stream ended before the answer did.
        Truncated = "truncated",
        /// The server said something that its protocol does not have.
        Garbled = "garbled",
        TimedOut = "timed_out",
    }
}

impl FaultKind {
    /// May the same request be sent again?
    pub fn is_retryable(self) -> bool {
        match self {
            FaultKind::RateLimited
            | FaultKind::Overloaded
            | FaultKind::Truncated
            | FaultKind::Unreachable
            | FaultKind::TimedOut => true,
            FaultKind::NoKey
            | FaultKind::WrongKey
            | FaultKind::UnknownModel
            | FaultKind::BadRequest
            | FaultKind::TooLarge
            | FaultKind::ContextExceeded
            | FaultKind::SpendCap
            | FaultKind::Garbled => false,
        }
    }
}
