//! What a running turn shows before it is in the log: text, calls and tool output.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Call, CallId, Channel, Chunk};
use policy::{BoxFuture, ServiceFault};
use serde_json::Value;
use services::{HandlerEvent, Surface};

use super::TurnObserver;

/// Output of a running turn that is not an event of its log.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    /// A piece of the model's answer.
    Text(String),
    Thinking(String),
    /// The model has started to write a call.
    CallBegun {
        call: CallId,
        tool: String,
    },
    /// A call was passed to its tool.
    Running {
        call: CallId,
        tool: String,
    },
    /// A chunk for the person; the channel is never `context`.
    Chunk {
        call: CallId,
        chunk: Chunk,
    },
    Progress {
        call: CallId,
        fraction: f64,
        note: Option<String>,
    },
    Message {
        call: CallId,
        message: Value,
    },
    Console {
        call: CallId,
        text: String,
    },
}

/// The surface of one call: passes its output to the observer and keeps its chunks for the log.
pub(crate) struct CallSurface {
    pub call: Call,
    pub observer: Arc<dyn TurnObserver>,
    pub chunks: Mutex<Vec<Chunk>>,
}

impl CallSurface {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Chunk>> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins consecutive chunks of one channel.
    fn keep(&self, chunk: Chunk) {
        let mut chunks = self.lock();
        match chunks.last_mut() {
            Some(last) if last.channel == chunk.channel => last.text.push_str(&chunk.text),
            Some(_) | None => chunks.push(chunk),
        }
    }
}

impl Surface for CallSurface {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        let call = self.call.id.clone();
        match event {
            HandlerEvent::Chunk(chunk) => {
                match chunk.channel {
                    Channel::Assistant | Channel::System => {
                        self.observer.live(LiveEvent::Chunk { call, chunk: chunk.clone() });
                    }
                    Channel::Context => {}
                }
                self.keep(chunk);
            }
            HandlerEvent::Progress { fraction, note } => {
                self.observer.live(LiveEvent::Progress { call, fraction, note });
            }
            HandlerEvent::Message(message) => {
                self.observer.live(LiveEvent::Message { call, message })
            }
            HandlerEvent::Console { text, .. } => {
                self.observer.live(LiveEvent::Console { call, text })
            }
            HandlerEvent::Audit { event, data } => {
                tracing::info!(tool = self.call.tool, event, %data, "a handler's audit");
            }
        }
        Box::pin(async { Ok(()) })
    }
}
