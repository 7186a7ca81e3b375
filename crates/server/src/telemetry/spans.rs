//! A turn as OpenTelemetry spans, with the names of the `gen_ai` conventions.
//!
//! In: the events of a running turn. Out: a span for the turn, for each answer of the model
//! and for each call. Must hold: spans contain no messages, arguments or results unless the
//! operator asks for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{CallId, ModelFacts, Reply, StopReason, Usage};
use conversation::{ConversationEvent, EndReason, LiveEvent, SettledCall, TurnObserver};
use engine::Engine;
use policy::ConversationId;
use serde_json::{Value, json};

use crate::auth::tokens::random_name;
use crate::telemetry::Content;

const AGENT: &str = "ghosthand";

/// Records one turn and passes everything on.
pub(crate) struct Spans {
    engine: Engine,
    to: Arc<dyn TurnObserver>,
    content: Content,
    model: ModelFacts,
    conversation: String,
    /// Locked for one event at a time.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trace: String,
    root: String,
    began: u64,
    /// When the last step ended, which is when the model is asked.
    last: u64,
    running: BTreeMap<CallId, u64>,
    usage: Usage,
    ended: Option<EndReason>,
    spans: Vec<Value>,
}

impl Spans {
    pub(crate) fn new(
        engine: &Engine,
        to: Arc<dyn TurnObserver>,
        content: Content,
        model: &ModelFacts,
        conversation: &ConversationId,
    ) -> Self {
        let now = engine.now().0;
        // Without random bytes the ids are empty, and collectors drop the spans.
        let (trace, root) = (random_name().unwrap_or_default(), span_id());
        let state = State { trace, root, began: now, last: now, ..State::default() };
        Self {
            engine: engine.clone(),
            to,
            content,
            model: model.clone(),
            conversation: conversation.0.clone(),
            state: Mutex::new(state),
        }
    }

    /// The spans of the turn, which has ended or paused.
    pub(crate) fn finish(&self) -> Vec<Value> {
        let now = self.engine.now().0;
        let mut state = std::mem::take(&mut *self.lock());
        let mut attributes = self.attributes("invoke_agent");
        attributes.push(text("gen_ai.agent.name", AGENT));
        attributes.extend(tokens(state.usage));
        let error = match &state.ended {
            Some(EndReason::Failed { fault }) => {
                Some(json!(fault.kind).as_str().unwrap_or("failed").to_owned())
            }
            Some(EndReason::TooManyRounds) => Some("too_many_rounds".to_owned()),
            Some(EndReason::NoAnswer) => Some("no_answer".to_owned()),
            Some(EndReason::Cancelled) => Some("cancelled".to_owned()),
            Some(
                EndReason::Answered
                | EndReason::CutOff
                | EndReason::Refused { .. }
                | EndReason::MovedOn,
            )
            | None => None,
        };
        let root = Span {
            id: state.root.clone(),
            parent: None,
            name: format!("invoke_agent {AGENT}"),
            kind: INTERNAL,
            time: (state.began, now),
            attributes,
            error,
        };
        let root = root.to_json(&state.trace);
        state.spans.push(root);
        state.spans
    }

    fn replied(&self, state: &mut State, reply: &Reply, now: u64) {
        let mut attributes = self.attributes("chat");
        attributes.push(text("gen_ai.response.model", &reply.model));
        let reasons = json!({ "values": [{ "stringValue": stop(&reply.stop) }] });
        attributes
            .push(attribute("gen_ai.response.finish_reasons", &json!({ "arrayValue": reasons })));
        attributes.extend(tokens(reply.usage));
        if self.content == Content::Shown {
            attributes.push(text("gen_ai.output.messages", &json!(reply.blocks).to_string()));
        }
        state.usage += reply.usage;
        let name = format!("chat {}", self.model.model);
        state.push(name, CLIENT, (state.last, now), attributes, None);
    }

    fn settled(&self, state: &mut State, settled: &SettledCall, now: u64) {
        let SettledCall { call, verdict, content, is_error, .. } = settled;
        let mut attributes = vec![
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", &call.tool),
            text("gen_ai.tool.call.id", &call.id.0),
            text("gen_ai.tool.type", "function"),
            text("gen_ai.conversation.id", &self.conversation),
            text("ghosthand.verdict", verdict),
            text("ghosthand.rule", settled.rule.as_str()),
        ];
        if self.content == Content::Shown {
            attributes.push(text("gen_ai.tool.call.arguments", &settled.args().to_string()));
            attributes.push(text("gen_ai.tool.call.result", &content.to_string()));
        }
        let kind = || content["type"].as_str().unwrap_or("failed").to_owned();
        let error = is_error.then(kind);
        let began = state.running.remove(&call.id).unwrap_or(now);
        state.push(
            format!("execute_tool {}", call.tool),
            INTERNAL,
            (began, now),
            attributes,
            error,
        );
    }

    fn attributes(&self, operation: &str) -> Vec<Value> {
        vec![
            text("gen_ai.operation.name", operation),
            text("gen_ai.provider.name", &self.model.provider),
            text("gen_ai.request.model", &self.model.model),
            text("gen_ai.conversation.id", &self.conversation),
        ]
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnObserver for Spans {
    fn live(&self, live: LiveEvent) {
        if let LiveEvent::Running { call, .. } = &live {
            self.lock().running.insert(call.clone(), self.engine.now().0);
        }
        self.to.live(live);
    }

    fn event(&self, event: &ConversationEvent) {
        let now = self.engine.now().0;
        let mut state = self.lock();
        match event {
            ConversationEvent::Replied { reply, .. } => self.replied(&mut state, reply, now),
            ConversationEvent::Settled { settled, .. } => self.settled(&mut state, settled, now),
            ConversationEvent::Ended { how, .. } => state.end(how, &self.model, now),
            ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Said { .. }
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Dashboard { .. }
            | ConversationEvent::Partial { .. }
            | ConversationEvent::BrokeOff { .. }
            | ConversationEvent::Streamed { .. }
            | ConversationEvent::LeftOut { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::Voice { .. }
            | ConversationEvent::Asked { .. }
            | ConversationEvent::Questioned { .. }
            | ConversationEvent::InDoubt { .. }
            | ConversationEvent::TakenBack { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. } => {}
        }
        state.last = now;
        drop(state);
        self.to.event(event);
    }
}

impl State {
    fn push(
        &mut self,
        name: String,
        kind: u8,
        time: (u64, u64),
        attributes: Vec<Value>,
        error: Option<String>,
    ) {
        let parent = Some(self.root.clone());
        let span = Span { id: span_id(), parent, name, kind, time, attributes, error };
        let json = span.to_json(&self.trace);
        self.spans.push(json);
    }

    /// A failed model request has a span too.
    fn end(&mut self, how: &EndReason, model: &ModelFacts, now: u64) {
        if let EndReason::Failed { fault } = how {
            let attributes = vec![
                text("gen_ai.operation.name", "chat"),
                text("gen_ai.provider.name", &model.provider),
                text("gen_ai.request.model", &model.model),
            ];
            let error = json!(fault.kind).as_str().map(str::to_owned);
            let time = (self.last, now);
            self.push(format!("chat {}", model.model), CLIENT, time, attributes, error);
        }
        self.ended = Some(how.clone());
    }
}

const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
const FAILED: u8 = 2;

struct Span {
    id: String,
    parent: Option<String>,
    name: String,
    kind: u8,
    /// In milliseconds.
    time: (u64, u64),
    attributes: Vec<Value>,
    error: Option<String>,
}

impl Span {
    /// The OTLP JSON encoding.
    fn to_json(&self, trace: &str) -> Value {
        let nanos = |ms: u64| (u128::from(ms) * 1_000_000).to_string();
        let mut attributes = self.attributes.clone();
        let mut span = json!({
            "traceId": trace,
            "spanId": self.id,
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": nanos(self.time.0),
            "endTimeUnixNano": nanos(self.time.1),
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = parent.as_str().into();
        }
        if let Some(error) = &self.error {
            attributes.push(text("error.type", error));
            span["status"] = json!({ "code": FAILED });
        }
        span["attributes"] = attributes.into();
        span
    }
}

/// 16 hexadecimal digits.
fn span_id() -> String {
    random_name().unwrap_or_default().chars().take(16).collect()
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": value })
}

fn text(key: &str, value: &str) -> Value {
    attribute(key, &json!({ "stringValue": value }))
}

fn tokens(usage: Usage) -> [Value; 2] {
    let Usage { input, output, cache_read, cache_write, thinking: _ } = usage;
    let input = input.saturating_add(cache_read).saturating_add(cache_write);
    let number = |key, value: u64| attribute(key, &json!({ "intValue": value.to_string() }));
    [number("gen_ai.usage.input_tokens", input), number("gen_ai.usage.output_tokens", output)]
}

fn stop(stop: &StopReason) -> &str {
    match stop {
        StopReason::EndTurn => "stop",
        StopReason::ToolUse => "tool_call",
        StopReason::MaxTokens | StopReason::ContextExceeded => "length",
        StopReason::StopSequence => "stop_sequence",
        StopReason::PauseTurn => "pause",
        StopReason::Refusal { .. } => "content_filter",
        StopReason::Other { .. } => "other",
    }
}
