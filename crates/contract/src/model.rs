//! The provider-independent interface to models.
//!
//! In: a [`Request`]: system text, tools with their contract schemas, messages. Out: a
//! [`Reply`] whose calls have canonical tool ids and arguments; implementations of [`Model`]
//! translate to and from the provider's format.
//!
//! Must hold: a block from a provider keeps the provider's item ([`Native`]) and goes back to
//! that provider verbatim; a truncated call is never a [`Call`].

mod embedder;
mod file;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::words;
pub use embedder::{EmbeddedTexts, Embedder};
pub use file::{FileContent, FilePart, FileRef, Sight};

use crate::{Call, CallId, Digest, ToolId};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes the pieces of an answer as they arrive.
pub type Deltas<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// The answer to one request.
pub type ReplyFuture<'a> = BoxFuture<'a, Result<Reply, ModelFault>>;

/// A model. Dropping the future cancels the request.
pub trait Model: Send + Sync {
    fn facts(&self) -> &ModelFacts;

    /// Sends one request. `deltas` is called for each piece as it arrives; the reply has them all.
    fn ask<'a>(&'a self, request: &'a Request, deltas: Deltas<'a>) -> ReplyFuture<'a>;

    /// How many tools one request may have, if known.
    fn tools_max(&self) -> Option<usize> {
        None
    }

    /// Whether it gets the pictures of a message.
    fn sight(&self) -> Sight {
        Sight::Blind
    }

    /// Which tools of a failed request caused the fault; none if it is not about tools. May send
    /// a few short requests to find out.
    fn blamed<'a>(
        &'a self,
        _request: &'a Request,
        _fault: &'a ModelFault,
    ) -> BoxFuture<'a, Vec<RejectedTool>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// What its server refused in other processes, if that is stored.
    fn rung_memory(&self) -> Option<&dyn RungMemory> {
        None
    }
}

/// Remembers which rungs a server refused, by schema: a server may accept one schema natively
/// and find another too complex.
pub trait RungMemory: Send + Sync {
    /// The rungs that were recently refused for this schema.
    fn refused(&self, schema: Digest) -> Vec<Rung>;

    fn remember(&self, schema: Digest, refused: &[Rung]);
}

/// A tool that the provider does not accept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedTool {
    /// The tool's canonical id.
    pub tool: String,
    pub because: String,
}

/// What a model is and can do, from a dated table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// `anthropic`, `openai`, `gemini`, `rehearsal`, or the name of a configured server.
    pub provider: String,
    /// The model's name, exactly as the provider spells it.
    pub model: String,
    /// The format of its native blocks; none for models without a wire.
    pub wire: Option<Wire>,
    /// How it can produce structured output, best first.
    pub rungs: Vec<Rung>,
    /// The longest answer, if known.
    pub output_tokens_max: Option<u32>,
}

impl ModelFacts {
    /// A model of which only its names are known.
    pub fn named(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            wire: None,
            rungs: Vec::new(),
            output_tokens_max: None,
        }
    }
}

impl fmt::Display for ModelFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rehearsal has one model, so its provider's name is enough.
        match self.provider == self.model {
            true => f.write_str(&self.model),
            false => write!(f, "{}:{}", self.provider, self.model),
        }
    }
}

words! {
    /// The protocols of providers.
    Wire {
        Anthropic = "anthropic",
        /// OpenAI Chat Completions, and compatible servers.
        Chat = "chat",
        /// OpenAI Responses.
        Responses = "responses",
        /// Gemini generateContent.
        Gemini = "gemini",
    }
}

words! {
    /// One way to get structured output.
    Rung {
        /// The provider enforces the schema of the whole answer.
        Native = "native",
        /// One strict tool that the model must call.
        Forced = "forced",
        /// One strict tool that the model is asked to call.
        Automatic = "automatic",
    }
}

/// One request to a model. The fields are in the order of the prompt's prefix:
/// an unchanged prefix stays in the provider's cache.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Request {
    pub tools: Vec<ToolOffer>,
    pub system: String,
    pub messages: Vec<Message>,
    pub choice: ToolChoice,
    /// The schema of the answer; the model then has no tools except, on some rungs, this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<OutputSchema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_max: Option<u32>,
    #[serde(default)]
    pub sampling: Sampling,
    /// The provider's own tools (such as web search), in the provider's format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_tools: Vec<Value>,
    /// Merged into the final body (RFC 7396), for options that have no field here.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub patch: Value,
}

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOffer {
    pub id: ToolId,
    pub description: String,
    /// The contract's own schema; the wire lowers it.
    pub parameters: Value,
}

/// Whether the model may, must or must not call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// Any tool.
    Any,
    Tool(ToolId),
}

/// The schema of a structured answer, and the rung to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    pub name: ToolId,
    pub description: String,
    pub schema: Value,
    pub rung: Rung,
}

/// Sampling settings; the facts of the model decide which are sent.
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

    /// Its texts, joined without a separator.
    pub fn text(&self) -> String {
        self.blocks.iter().filter_map(|block| block.part.text()).collect()
    }
}

words! {
    /// Who wrote a message. Results of calls belong to the user, as in every wire.
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
    /// The item as a provider sent it; it is sent back there unchanged.
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

/// The content of a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        text: String,
    },
    /// The model's thinking; shown separately, and never sent to another wire.
    Thinking {
        text: String,
    },
    Call(Call),
    /// A call whose arguments were cut off or are not JSON: never run, never sent back.
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
    /// A file of a person's message.
    File(FilePart),
    /// A provider-specific item (server tools, citations, future kinds); its content is in
    /// `native`, and `label` is for people.
    Other {
        label: String,
    },
}

impl Part {
    /// Only of [`Part::Text`]: thinking and refusals are not part of the answer's text.
    pub fn text(&self) -> Option<&str> {
        if let Part::Text { text } = self { Some(text) } else { None }
    }

    /// Only of a complete call.
    pub fn call(&self) -> Option<&Call> {
        if let Part::Call(call) = self { Some(call) } else { None }
    }

    pub fn result(&self) -> Option<&CallResult> {
        if let Part::Result(result) = self { Some(result) } else { None }
    }

    pub fn refusal(&self) -> Option<&str> {
        if let Part::Refusal { text } = self { Some(text) } else { None }
    }
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub id: CallId,
    /// The tool's canonical id, or the name that the model invented.
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
    /// The structured answer, if an [`OutputSchema`] was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaped: Option<StructuredReply>,
}

impl Reply {
    /// The text of the answer, without thinking.
    pub fn text(&self) -> String {
        self.blocks.iter().filter_map(|block| block.part.text()).collect()
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| block.part.call())
    }
}

/// The answer to an [`OutputSchema`], decoded to the requested schema. Not validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredReply {
    Whole(Value),
    /// The answer was cut off: only its complete parts.
    Torn {
        complete: Value,
        text: String,
    },
    /// The answer is not JSON.
    NotJson {
        text: String,
        why: String,
    },
    /// No block of the answer is structured.
    Missing,
}

/// Why the answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    /// The provider paused; sending the answer so far resumes it.
    PauseTurn,
    Refusal {
        text: String,
    },
    ContextExceeded,
    /// An unknown reason.
    Other {
        reason: String,
    },
}

/// The tokens of an answer. `input` does not include cached tokens.
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

/// Why there is no answer, and what to do. Contains no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}; {fix}")]
pub struct ModelFault {
    pub kind: FaultKind,
    pub message: String,
    pub fix: String,
    /// The HTTP status, if there was one.
    pub status: Option<u16>,
    pub retry_after: Option<Duration>,
}

words! {
    /// The kinds of model faults that callers treat differently.
    FaultKind {
        NoKey = "no_key",
        WrongKey = "wrong_key",
        UnknownModel = "unknown_model",
        /// No connection: no network, a wrong address, a server that is down.
        Unreachable = "unreachable",
        /// The provider does not accept the request; not retryable.
        BadRequest = "bad_request",
        TooLarge = "too_large",
        ContextExceeded = "context_exceeded",
        RateLimited = "rate_limited",
        /// The credit or quota is used up.
        SpendCap = "spend_cap",
        Overloaded = "overloaded",
        /// The stream ended before the answer did.
        Truncated = "truncated",
        /// The server sent something that its protocol does not define.
        Garbled = "garbled",
        TimedOut = "timed_out",
    }
}

impl FaultKind {
    /// Whether the same request may be sent again.
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
