//! What a turn needs from tools: offers, automatic calls, settled calls, status reports.
//!
//! [`EngineTools`] runs them; a replay answers from its recording.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use attachments::Attachments;
use contract::{
    AskKind, Call, CallId, Channel, Chunk, FileContent, FileRef, SideEffects, ToolError, ToolOffer,
};
use engine::{CallContext, CallOrigin, Engine, HandlerQuestions, Waiting};
use policy::{BoxFuture, HookKind, RuleId};
use registry::{Feature, Lease, Tool};
use serde_json::{Value, json};
use services::Surface;

use super::TurnObserver;
use super::left_out::{OfferTarget, keep_refused, left_out};
use super::live_event::CallSurface;
use crate::conversations::questions::FormQuestion;
use crate::event::{LeftOutTool, OfferedTool, PartialKind, SettledCall};
use crate::settings::ConversationSettings;
use crate::state::WaitsFor;

/// How a call of a turn ended.
pub(crate) enum CallEnd {
    Settled(Box<SettledCall>, Vec<Chunk>),
    Waits(WaitsFor),
}

/// The state that determines which tools are offered.
pub(crate) struct OfferHistory {
    /// The tools that ran in this turn.
    pub used: BTreeSet<String>,
    /// Whether there are results of calls; the built-in tools that read them are useless before.
    pub has_results: bool,
}

/// The tools as a turn sees them.
pub(crate) trait TurnTools: Send + Sync {
    /// The tools that may be offered to the model.
    fn offers<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        history: &'a OfferHistory,
    ) -> BoxFuture<'a, Vec<(ToolOffer, OfferedTool)>>;

    /// The offered tools that this model cannot get, grouped as they are written to the log.
    fn left_out<'a>(
        &'a self,
        origin: &'a CallOrigin,
        round: u32,
        target: &'a OfferTarget,
        offered: &'a [OfferedTool],
    ) -> BoxFuture<'a, Vec<Vec<LeftOutTool>>>;

    /// Records the tools that a model has just refused.
    fn keep_refused<'a>(&'a self, model: &'a str, tools: &'a [LeftOutTool]) -> BoxFuture<'a, ()>;

    /// The calls that the host makes before an answer, in the order of registration.
    fn auto<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, Vec<Call>>;

    fn settle<'a>(
        &'a self,
        context: &'a CallContext,
        origin: &'a CallOrigin,
        call: &'a Call,
    ) -> BoxFuture<'a, CallEnd>;

    /// The pieces of the next answer, if they are known before the model is asked.
    fn partial(
        &self,
        _room: &CallOrigin,
        _round: u32,
        _attempt: u32,
    ) -> Vec<(PartialKind, String)> {
        Vec::new()
    }

    /// The content of a message's file. A replay has none, because nobody reads it.
    fn file_content<'a>(
        &'a self,
        _origin: &'a CallOrigin,
        _file: &'a FileRef,
    ) -> BoxFuture<'a, FileContent> {
        Box::pin(std::future::ready(FileContent::NotLoaded))
    }

    /// Whether the call must wait for the ones before it.
    fn in_order(&self, call: &Call) -> bool;

    /// The status reports of tools.
    fn dashboard<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, String>;

    /// Runs the tools' cleanup functions after the answer.
    fn cleanup<'a>(&'a self, origin: &'a CallOrigin) -> BoxFuture<'a, ()>;
}

/// The real tools: an engine, with one registry for the whole turn.
pub(crate) struct EngineTools {
    pub engine: Engine,
    pub lease: Lease,
    pub attachments: Attachments,
    pub observer: Arc<dyn TurnObserver>,
    /// Of the conversation; they can switch tools off.
    pub settings: ConversationSettings,
}

impl EngineTools {
    /// The registry's tools in the order of registration.
    fn tools(&self) -> Vec<Arc<Tool>> {
        self.lease.in_order().into_iter().cloned().collect()
    }

    /// Whether the tool is switched on, allowed in this mode, and its condition holds.
    async fn is_there(&self, origin: &CallOrigin, tool: &Tool) -> bool {
        let id = tool.contract.tool_id.as_str();
        tool.contract.allowed_modes.contains(&origin.mode)
            && !self.settings.is_off(id)
            && matches!(self.engine.why_not_offered(id).await, Ok(None))
            && self.engine.available(origin, tool).await.is_ok()
    }
}

impl TurnTools for EngineTools {
    fn offers<'a>(
        &'a self,
        origin: &'a CallOrigin,
        _round: u32,
        history: &'a OfferHistory,
    ) -> BoxFuture<'a, Vec<(ToolOffer, OfferedTool)>> {
        Box::pin(async move {
            let mut offers = Vec::new();
            for tool in self.engine.tools(&self.lease) {
                let id = tool.contract.tool_id.as_str();
                let spent = tool.contract.one_time && history.used.contains(id);
                if tool.has(Feature::Callable)
                    && !tool.contract.auto
                    && !spent
                    && self.engine.is_of_use(origin, tool, history.has_results).await
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
        target: &'a OfferTarget,
        offered: &'a [OfferedTool],
    ) -> BoxFuture<'a, Vec<Vec<LeftOutTool>>> {
        Box::pin(left_out(&self.engine, target, offered))
    }

    fn keep_refused<'a>(&'a self, model: &'a str, tools: &'a [LeftOutTool]) -> BoxFuture<'a, ()> {
        Box::pin(keep_refused(&self.engine, model, tools))
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
    ) -> BoxFuture<'a, CallEnd> {
        Box::pin(async move {
            if self.settings.is_off(&call.tool) {
                return CallEnd::Settled(Box::new(off_here(call)), Vec::new());
            }
            if let Some(questions) = self.engine.open_questions(origin, call).await
                && let Some(waits) = for_person(origin, &questions)
            {
                return CallEnd::Waits(waits);
            }
            let call_surface = Arc::new(CallSurface {
                call: call.clone(),
                observer: Arc::clone(&self.observer),
                chunks: Mutex::default(),
            });
            let surface: Arc<dyn Surface> = call_surface.clone();
            let context = CallContext { surface, ..context.clone() };
            let settled = self.engine.settle_on(&context, origin, call).await;
            let chunks = std::mem::take(&mut *call_surface.lock());
            if let Some(Waiting::Input(questions)) = &settled.waiting
                && let Some(waits) = for_person(origin, questions)
            {
                return CallEnd::Waits(waits);
            }
            match &settled.waiting {
                // Nobody else can be asked here: the model reads the error, and asks the user.
                None | Some(Waiting::Input(_)) => {
                    let limits = self.engine.limits();
                    let is_context = is_context(&settled.outcome, &chunks);
                    let mut settled = SettledCall::of(call, settled, limits.shown_bytes_max);
                    if is_context {
                        settled.content = Value::Null;
                    }
                    CallEnd::Settled(Box::new(settled), chunks)
                }
                Some(Waiting::Approval(asked)) => CallEnd::Waits(WaitsFor::Approval {
                    request: asked.request.id.clone(),
                    preview: asked.request.preview.clone(),
                }),
                Some(Waiting::InDoubt(_)) => {
                    CallEnd::Waits(WaitsFor::Knowledge { tool: call.tool.clone() })
                }
            }
        })
    }

    fn file_content<'a>(
        &'a self,
        origin: &'a CallOrigin,
        file: &'a FileRef,
    ) -> BoxFuture<'a, FileContent> {
        Box::pin(self.attachments.content(&origin.client, file))
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
                    match self.engine.run_hook(origin, &tool, HookKind::Status, Value::Null).await {
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
                let done =
                    self.engine.run_hook(origin, &tool, HookKind::Cleanup, Value::Null).await;
                if let Err(because) = done {
                    let tool = tool.contract.tool_id.as_str();
                    tracing::warn!(tool, because, "a tool could not clean up");
                }
            }
        })
    }
}

/// What the call waits for, if a person is here and one of the questions is for them.
fn for_person(origin: &CallOrigin, questions: &HandlerQuestions) -> Option<WaitsFor> {
    let (open, round) = (FormQuestion::of(questions), questions.round);
    let can_ask = origin.can_ask.contains(&AskKind::Person) && !open.is_empty();
    can_ask.then_some(WaitsFor::Answers { round, questions: open })
}

/// Whether the result is only the tool's `context` chunks. Then that channel has it, and no
/// surface may show it.
fn is_context(outcome: &Result<Value, ToolError>, chunks: &[Chunk]) -> bool {
    let context = chunks.iter().filter(|chunk| chunk.channel == Channel::Context);
    let context: String = context.map(|chunk| chunk.text.as_str()).collect();
    let text = outcome.as_ref().ok().and_then(Value::as_str);
    !context.is_empty() && text == Some(context.as_str())
}

/// A call of a tool that a person switched off for this conversation.
pub(crate) fn off_here(call: &Call) -> SettledCall {
    let message = "The user switched this tool off for this conversation; it was not run.";
    let content = json!({ "type": "PERMANENT", "message": message, "retryable": false });
    SettledCall::unrun(call, content, RuleId::OFF_HERE)
}

/// Whether the order of its calls matters.
pub(crate) fn writes(tool: &Tool) -> bool {
    tool.contract.side_effects == SideEffects::Writes
}

pub(crate) fn offer(tool: &Tool) -> ToolOffer {
    ToolOffer {
        id: tool.contract.tool_id.clone(),
        description: tool.for_model().to_owned(),
        parameters: tool.contract.parameters.clone(),
    }
}

fn offered(tool: &Tool) -> OfferedTool {
    OfferedTool { id: tool.contract.tool_id.to_string(), digest: tool.digests.whole() }
}
