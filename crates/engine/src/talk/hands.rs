//! What a turn needs from the tools: offers, automatic calls, calls settled, reports.
//!
//! The engine is one pair of hands; a replay is another, which knows every answer already.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Call, CallId, Channel, Chunk, SideEffects, ToolError, ToolOffer};
use policy::{BoxFuture, HookKind, ServiceFault};
use registry::{Feature, Lease, Tool};
use serde_json::{Value, json};
use services::{HandlerEvent, Surface};

use super::event::{LeftOutTool, OfferedTool, PartialKind, SettledCall};
use super::record::WaitsFor;
use super::refusals::Seat;
use super::turn::{Audience, Nobody};
use crate::call::context::CallContext;
use crate::call::origin::CallOrigin;
use crate::call::outcome::content_for_model;
use crate::call::settle::{Settled, Waiting};
use crate::engine::Engine;

/// How a call of a turn ended.
pub(super) enum Ending {
    Settled(Box<SettledCall>, Vec<Chunk>),
    Waits(WaitsFor),
}

/// What has happened so far, as far as offers depend on it.
pub(super) struct Past {
    /// The tools that ran in this turn.
    pub used: BTreeSet<String>,
    /// Are there results of calls? Own tools look into those, and are of no use before.
    pub has_results: bool,
}

/// The tools as a turn sees them.
pub(super) trait Hands: Send + Sync {
    /// What the model may be offered.
    fn offers<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        past: &'a Past,
    ) -> BoxFuture<'a, Vec<(ToolOffer, OfferedTool)>>;

    /// What of the offered tools this model cannot have, in the groups in which that is noted.
    fn left_out<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        seat: &'a Seat,
        offered: &'a [OfferedTool],
    ) -> BoxFuture<'a, Vec<Vec<LeftOutTool>>>;

    /// Keeps what a model was just seen to refuse.
    fn keep_refused<'a>(&'a self, model: &'a str, tools: &'a [LeftOutTool]) -> BoxFuture<'a, ()>;

    /// The calls that the host makes before an answer, in the order of registration.
    fn auto<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, Vec<Call>>;

    fn settle<'a>(
        &'a self,
        context: &'a CallContext,
        origin: &'a CallOrigin,
        call: &'a Call,
    ) -> BoxFuture<'a, Ending>;

    /// What is known before the model is asked of what it will say, piece by piece.
    fn partial(
        &self,
        _room: &CallOrigin,
        _round: u32,
        _attempt: u32,
    ) -> Vec<(PartialKind, String)> {
        Vec::new()
    }

    /// Must the call wait for the ones before it?
    fn in_order(&self, call: &Call) -> bool;

    /// What tools report of themselves.
    fn dashboard<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, String>;

    /// Lets tools put away what they took out for this answer.
    fn cleanup<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, ()>;
}

/// The real hands: an engine, with the registry that holds for the whole turn.
pub(super) struct EngineHands {
    pub engine: Engine,
    pub lease: Lease,
    pub audience: Arc<dyn Audience>,
}

impl EngineHands {
    /// The registry's tools in the order of their registration.
    fn tools(&self) -> Vec<Arc<Tool>> {
        self.lease.in_order().into_iter().cloned().collect()
    }

    /// Is the tool switched on, for this mode, and does its condition hold?
    async fn is_there(&self, origin: &CallOrigin, tool: &Tool) -> bool {
        let id = tool.contract.tool_id.as_str();
        tool.contract.allowed_modes.contains(&origin.mode)
            && matches!(self.engine.off(id).await, Ok(None))
            && self.engine.available(origin, tool).await.is_ok()
    }
}

impl Hands for EngineHands {
    fn offers<'a>(
        &'a self,
        origin: &'a CallOrigin,
        _round: u32,
        past: &'a Past,
    ) -> BoxFuture<'a, Vec<(ToolOffer, OfferedTool)>> {
        Box::pin(async move {
            let mut offers = Vec::new();
            for tool in self.engine.tools(&self.lease) {
                let id = tool.contract.tool_id.as_str();
                let spent = tool.contract.one_time && past.used.contains(id);
                let in_vain = self.engine.is_builtin(tool) && !past.has_results;
                if tool.has(Feature::Callable)
                    && !tool.contract.auto
                    && !spent
                    && !in_vain
                    && self.is_there(origin, tool).await
                {
                    offers.push((offer(tool), offered(tool)));
                }
            }
            offers
        })
    }

    fn left_out<'a>(
        &'a self,
        _room: &'a CallOrigin,
        _round: u32,
        seat: &'a Seat,
        offered: &'a [OfferedTool],
    ) -> BoxFuture<'a, Vec<Vec<LeftOutTool>>> {
        Box::pin(self.engine.cannot_have(seat, offered))
    }

    fn keep_refused<'a>(&'a self, model: &'a str, tools: &'a [LeftOutTool]) -> BoxFuture<'a, ()> {
        Box::pin(self.engine.keep_refused(model, tools))
    }

    fn auto<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, Vec<Call>> {
        Box::pin(async move {
            let mut calls = Vec::new();
            for tool in self.tools() {
                if tool.contract.auto
                    && tool.has(Feature::Callable)
                    && self.is_there(origin, &tool).await
                {
                    let tool = tool.contract.tool_id.to_string();
                    let id = format!("auto-{}-{}-{tool}", origin.conversation.0, origin.turn);
                    calls.push(Call { id: CallId(id), tool, args: json!({}) });
                }
            }
            calls
        })
    }

    fn settle<'a>(
        &'a self,
        context: &'a CallContext,
        origin: &'a CallOrigin,
        call: &'a Call,
    ) -> BoxFuture<'a, Ending> {
        Box::pin(async move {
            let scribe = Arc::new(Scribe {
                call: call.clone(),
                audience: Arc::clone(&self.audience),
                chunks: Mutex::default(),
            });
            let surface: Arc<dyn Surface> = scribe.clone();
            let context = CallContext { surface, ..context.clone() };
            let settled = self.engine.settle_on(&context, origin, call).await;
            let chunks = std::mem::take(&mut *scribe.lock());
            match &settled.waiting {
                // Nobody but the model can be asked here: it reads the error, and asks in words.
                None | Some(Waiting::Input(_)) => {
                    let limits = self.engine.wiring().limits;
                    let is_context = is_context(&settled.outcome, &chunks);
                    let mut settled = SettledCall::of(call, settled, limits.shown_bytes_max);
                    if is_context {
                        settled.content = Value::Null;
                    }
                    Ending::Settled(Box::new(settled), chunks)
                }
                Some(Waiting::Approval(asked)) => Ending::Waits(WaitsFor::Approval {
                    request: asked.request.id.clone(),
                    preview: asked.request.preview.clone(),
                }),
                Some(Waiting::InDoubt(_)) => {
                    Ending::Waits(WaitsFor::Knowledge { tool: call.tool.clone() })
                }
            }
        })
    }

    fn in_order(&self, call: &Call) -> bool {
        self.engine.tool(&self.lease, &call.tool).is_some_and(|tool| writes(tool))
    }

    fn dashboard<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let mut lines = Vec::new();
            for tool in self.tools() {
                if tool.has(Feature::Status) && self.is_there(origin, &tool).await {
                    let id = &tool.contract.tool_id;
                    match self.engine.side(origin, &tool, HookKind::Status, Value::Null).await {
                        Ok(Value::String(text)) if text.is_empty() => {}
                        Ok(Value::String(text)) => lines.push(format!("{id}: {text}")),
                        Ok(other) => lines.push(format!("{id}: {other}")),
                        Err(because) => lines.push(format!("{id}: (Status error: {because})")),
                    }
                }
            }
            lines.join("\n")
        })
    }

    fn cleanup<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            for tool in self.tools().into_iter().filter(|tool| tool.has(Feature::Cleanup)) {
                let done = self.engine.side(origin, &tool, HookKind::Cleanup, Value::Null).await;
                if let Err(because) = done {
                    let tool = tool.contract.tool_id.as_str();
                    tracing::warn!(tool, because, "a tool could not clean up");
                }
            }
        })
    }
}

/// Is the result nothing but what the tool told the model alone? Then that channel has it,
/// and no surface can show it.
fn is_context(outcome: &Result<Value, ToolError>, chunks: &[Chunk]) -> bool {
    let context = chunks.iter().filter(|chunk| chunk.channel == Channel::Context);
    let context: String = context.map(|chunk| chunk.text.as_str()).collect();
    let text = outcome.as_ref().ok().and_then(Value::as_str);
    !context.is_empty() && text == Some(context.as_str())
}

/// Does the order of its calls matter?
pub(super) fn writes(tool: &Tool) -> bool {
    tool.contract.side_effects == SideEffects::Writes
}

pub(super) fn offer(tool: &Tool) -> ToolOffer {
    ToolOffer {
        id: tool.contract.tool_id.clone(),
        description: tool.for_model().to_owned(),
        parameters: tool.contract.parameters.clone(),
    }
}

impl Engine {
    /// What tools report of themselves in this room.
    pub async fn dashboard(&self, origin: &CallOrigin) -> String {
        let (engine, lease) = (self.clone(), self.registry().lease());
        EngineHands { engine, lease, audience: Arc::new(Nobody) }.dashboard(origin).await
    }
}

fn offered(tool: &Tool) -> OfferedTool {
    OfferedTool { id: tool.contract.tool_id.to_string(), digest: tool.digests.whole() }
}

impl SettledCall {
    /// A settled call as it stands in the log.
    pub(super) fn of(call: &Call, settled: Settled, shown_bytes_max: usize) -> Self {
        let (content, is_error) = content_for_model(&settled, shown_bytes_max);
        let duration = settled.duration();
        Self {
            call: call.clone(),
            edited: settled.edited,
            auto: false,
            verdict: settled.verdict.to_owned(),
            rule: settled.reason.rule,
            content,
            is_error,
            intents: settled.intents,
            duration,
            notes: settled.notes,
        }
    }

    /// A call that was never made, with what the model is told instead.
    pub(super) fn unrun(call: &Call, content: Value, rule: policy::RuleId) -> Self {
        Self {
            call: call.clone(),
            edited: None,
            auto: false,
            verdict: "refuse".to_owned(),
            rule,
            content,
            is_error: true,
            intents: Vec::new(),
            duration: None,
            notes: Vec::new(),
        }
    }
}

/// Something that is heard while a turn runs, beside its events.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// A piece of the model's answer.
    Text(String),
    Thinking(String),
    /// The model has begun to write a call.
    CallBegun {
        call: CallId,
        tool: String,
    },
    /// A call has gone to its tool.
    Running {
        call: CallId,
        tool: String,
    },
    /// A tool speaks to the person; the channel is never `context`.
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

/// Hears one call: shows it to the audience, and keeps its chunks for the log.
struct Scribe {
    call: Call,
    audience: Arc<dyn Audience>,
    chunks: Mutex<Vec<Chunk>>,
}

impl Scribe {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Chunk>> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Neighbours of one channel are one piece.
    fn keep(&self, chunk: Chunk) {
        let mut chunks = self.lock();
        match chunks.last_mut() {
            Some(last) if last.channel == chunk.channel => last.text.push_str(&chunk.text),
            Some(_) | None => chunks.push(chunk),
        }
    }
}

impl Surface for Scribe {
    fn event(&self, event: HandlerEvent) -> BoxFuture<'static, Result<(), ServiceFault>> {
        let call = self.call.id.clone();
        match event {
            HandlerEvent::Chunk(chunk) => {
                match chunk.channel {
                    Channel::Assistant | Channel::System => {
                        self.audience.hear(Heard::Chunk { call, chunk: chunk.clone() });
                    }
                    Channel::Context => {}
                }
                self.keep(chunk);
            }
            HandlerEvent::Progress { fraction, note } => {
                self.audience.hear(Heard::Progress { call, fraction, note });
            }
            HandlerEvent::Message(message) => self.audience.hear(Heard::Message { call, message }),
            HandlerEvent::Console { text, .. } => self.audience.hear(Heard::Console { call, text }),
            HandlerEvent::Audit { event, data } => {
                tracing::info!(tool = self.call.tool, event, %data, "a handler's audit");
            }
        }
        Box::pin(async { Ok(()) })
    }
}
