//! The four protocols: one pure encoder and decoder each.
//!
//! In: a [`WireRequest`], encoded for the wire; frames as they arrive. Out: the body to
//! send; the reply, with the wire's names and arguments. Must hold: no socket, no
//! clock; the same request gives the same bytes; a reply that is not streamed is expanded into
//! frames ([`frames_of`]) and read by the same decoder as a stream.
//!
//! Start at [`body`] for requests and at [`Decoder`] for replies.

pub mod anthropic;
mod call_ids;
pub mod chat;
mod error_frame;
pub mod gemini;
mod json;
mod partial_block;
pub mod responses;
mod result_text;
mod sse;

use contract::{Delta, FilePart, Message, ModelFault, Reply, Sampling, Wire};
use serde_json::Value;

pub use call_ids::CallIds;
pub use sse::{Frame, FrameReader};

use crate::provider::TokensField;

/// A request whose parts are encoded for the wire, before they are put into a body.
#[derive(Debug, Clone)]
pub struct WireRequest {
    pub model: String,
    /// Entries for `tools`, from the dialect.
    pub tools: Vec<Value>,
    pub server_tools: Vec<Value>,
    pub system: String,
    /// The roles alternate, and results come first. Calls have wire names and wire arguments;
    /// a native item is included only if it is sent back.
    pub messages: Vec<Message>,
    pub choice: WireChoice,
    pub calls: ParallelCalls,
    /// Whether the provider enforces the schemas of all tools.
    pub validated: bool,
    /// The fields that request a structured answer.
    pub output: Option<Value>,
    pub output_tokens_max: Option<u32>,
    pub tokens_field: TokensField,
    pub sampling: Sampling,
    pub delivery: ResponseMode,
}

/// A picture as a URL, for wires that take pictures by URL.
fn data_url(file: &FilePart, base64: &str) -> String {
    format!("data:{};base64,{base64}", file.file.media_type)
}

/// [`contract::ToolChoice`] with the wire's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireChoice {
    Auto,
    None,
    Any,
    Tool(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParallelCalls {
    Many,
    One,
}

/// How the answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseMode {
    Stream,
    Whole,
}

/// Reads one answer. The same frames give the same reply, so a recording is a whole test.
pub trait Decoder: Send {
    /// Reads one frame and returns the deltas to show.
    fn push(&mut self, frame: Frame) -> Result<Vec<Delta>, ModelFault>;

    /// Whether the protocol's last frame was read. Protocols without one end the connection.
    fn is_over(&self) -> bool;

    /// The reply, or *truncated* unless the protocol's end was seen.
    fn finish(self: Box<Self>) -> Result<Reply, ModelFault>;
}

/// The body of a request.
pub fn body(wire: Wire, request: &WireRequest) -> Value {
    match wire {
        Wire::Anthropic => anthropic::body(request),
        Wire::Chat => chat::body(request),
        Wire::Responses => responses::body(request),
        Wire::Gemini => gemini::body(request),
    }
}

/// The path below the provider's base address.
pub fn path(wire: Wire, model: &str, delivery: ResponseMode) -> String {
    match wire {
        Wire::Anthropic => "/v1/messages".to_owned(),
        Wire::Chat => "/chat/completions".to_owned(),
        Wire::Responses => "/responses".to_owned(),
        Wire::Gemini => gemini::path(model, delivery),
    }
}

/// The decoder of the answer.
pub fn decoder(wire: Wire, ids: CallIds) -> Box<dyn Decoder> {
    match wire {
        Wire::Anthropic => Box::new(anthropic::Decoder::default()),
        Wire::Chat => Box::new(chat::Decoder::new(ids)),
        Wire::Responses => Box::new(responses::Decoder::default()),
        Wire::Gemini => Box::new(gemini::Decoder::new(ids)),
    }
}

/// An unstreamed reply as the frames of a stream.
pub fn frames_of(wire: Wire, reply: Value) -> Vec<Frame> {
    match wire {
        Wire::Anthropic => anthropic::frames_of(reply),
        Wire::Responses => responses::frames_of(&reply),
        // In these protocols a chunk has the form of a whole reply.
        Wire::Chat | Wire::Gemini => vec![Frame::Json(reply)],
    }
}

/// Reads an unstreamed reply.
pub fn read_whole(wire: Wire, ids: CallIds, reply: Value) -> Result<Reply, ModelFault> {
    let mut decoder = decoder(wire, ids);
    for frame in frames_of(wire, reply) {
        decoder.push(frame)?;
    }
    decoder.finish()
}
