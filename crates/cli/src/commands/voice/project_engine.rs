//! The engine of a project behind a scripted session: real calls, on the virtual clock.
//!
//! A handler runs at once; its result comes when the script says that it ends. So a script is
//! exact to the millisecond, however fast the machine is.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{Call, CallId, HandlerAnswer};
use conversation::{ConversationEvent, LiveEvent, TurnObserver, VoiceCallEnd, VoiceLog};
use engine::Cancel;
use policy::{ApprovalChoice, RequestId, Timestamp};
use serde_json::{Value, json};
use store::{Clock, ManualClock};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use voice::{
    Asker, CallOutcome, CallResult, EffectLevel, EngineEvent, LogEntry, OnInterrupt, PlayedHandler,
    ScriptEngine, ToolEnd, ToolFacts, TurnNumber, Waits, WantedForm,
};

/// Settles the calls of a session with the engine of a project.
pub(super) struct ProjectEngine<'a> {
    pub log: &'a VoiceLog,
    pub clock: Arc<ManualClock>,
    pub runtime: Handle,
    pub facts: BTreeMap<String, ToolFacts>,
    pub handlers: Vec<PlayedHandler>,
    pub calls: BTreeMap<CallId, (Call, TurnNumber)>,
    pub open: Vec<RequestId>,
}

impl ProjectEngine<'_> {
    /// The session's time is the engine's time.
    fn set_clock(&self, now: Timestamp) {
        let engine = self.clock.now().as_millis();
        self.clock.advance(Duration::from_millis(now.0.saturating_sub(engine)));
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        block_in_place(|| self.runtime.block_on(work))
    }

    fn delay_ms(&self, tool: &str) -> u64 {
        self.handlers.iter().find(|one| one.tool == tool).map_or(0, |one| one.ms)
    }

    fn settled(&mut self, call: &Call, end: VoiceCallEnd, sent: Vec<Value>) -> Vec<EngineEvent> {
        let id = call.id.clone();
        match end {
            VoiceCallEnd::Waits(waits) => {
                if let Waits::Approval { request, .. } = &waits {
                    self.open.push(request.clone());
                }
                vec![EngineEvent::Waits { call: id, waits }]
            }
            VoiceCallEnd::Settled { result, ran, notes } => {
                let later = |event| match self.delay_ms(&call.tool) {
                    ms if ran && ms > 0 => EngineEvent::Later { ms, event: Box::new(event) },
                    _ => event,
                };
                let runs = EngineEvent::Runs { call: id.clone(), answers: None, ends: None };
                let notes = notes.into_iter().filter(|note| !engine::is_timing_note(note));
                let messages = sent
                    .into_iter()
                    .map(|message| later(EngineEvent::Message { call: id.clone(), message }));
                let mut events: Vec<EngineEvent> = ran.then_some(runs).into_iter().collect();
                events.extend(notes.map(|note| EngineEvent::Noted(format!("{id}: {note}"))));
                events.extend(messages);
                events.push(later(EngineEvent::Settled { call: id.clone(), result }));
                events
            }
        }
    }
}

impl ScriptEngine for ProjectEngine<'_> {
    fn run(&mut self, now: Timestamp, turn: u64, call: &Call, by: &Asker) -> Vec<EngineEvent> {
        self.set_clock(now);
        let number = TurnNumber(u32::try_from(turn).unwrap_or(u32::MAX));
        let known = self.calls.entry(call.id.clone()).or_insert_with(|| (call.clone(), number));
        let turn = known.1;
        let messages = Arc::new(Messages::default());
        let settle = self.log.settle(turn, call, by, messages.clone(), Cancel::default());
        let log = self.wait(async {
            // What led to the call is on disk before it runs.
            self.log.flush().await.map_err(|fault| fault.to_string())?;
            Ok::<_, String>(settle.await)
        });
        match log {
            Ok(end) => self.settled(call, end, messages.take()),
            Err(fault) => vec![EngineEvent::Noted(format!("the log cannot be written: {fault}"))],
        }
    }

    fn end(&mut self, _now: Timestamp, call: &CallId, _end: &ToolEnd) -> Vec<EngineEvent> {
        vec![EngineEvent::Noted(format!("{call} ends by itself"))]
    }

    /// A read is given up. A write has happened already, and its result still comes.
    fn cancel(&mut self, _now: Timestamp, call: &CallId) -> Vec<EngineEvent> {
        let tool = self.calls.get(call).map(|(known, _)| known.tool.as_str()).unwrap_or_default();
        let facts = self.facts.get(tool).copied().unwrap_or(ToolFacts::UNKNOWN);
        let is_read = facts.effects == EffectLevel::Reads;
        if !is_read || facts.on_interrupt == OnInterrupt::Finish {
            return Vec::new();
        }
        let content = json!({ "type": "PERMANENT", "message": "Cancelled.", "retryable": false });
        let result = CallResult::new(content, CallOutcome::Failed);
        vec![EngineEvent::Settled { call: call.clone(), result }]
    }

    fn answer_approval(
        &mut self,
        now: Timestamp,
        request: &RequestId,
        choice: ApprovalChoice,
    ) -> Vec<EngineEvent> {
        self.set_clock(now);
        self.open.retain(|open| open != request);
        match self.wait(self.log.answer_approval(request, &choice)) {
            Ok(()) => Vec::new(),
            Err(fault) => vec![EngineEvent::Noted(format!("the answer does not count: {fault}"))],
        }
    }

    fn answer_form(
        &mut self,
        now: Timestamp,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Vec<EngineEvent> {
        self.set_clock(now);
        match self.wait(self.log.answer_form(call, name, answer)) {
            Ok(()) => Vec::new(),
            Err(fault) => vec![EngineEvent::Noted(format!("the answer does not count: {fault}"))],
        }
    }

    fn form(&mut self, tool: &str, given: Option<Value>) -> Result<WantedForm, String> {
        match given {
            None => self.wait(self.log.form(tool)),
            Some(feature) => {
                let calls = self.wait(self.log.calls_of(tool, &feature))?;
                Ok((feature, calls))
            }
        }
    }

    fn open_approval(&self) -> Option<RequestId> {
        self.open.last().cloned()
    }

    /// Handlers have ended before the clock moves on, so none is lost.
    fn restart(&mut self, _now: Timestamp) {}

    fn record(&mut self, entry: &LogEntry) -> Result<(), String> {
        self.set_clock(entry.at);
        self.log.write(entry);
        Ok(())
    }
}

/// Keeps what a handler sends to the client.
#[derive(Default)]
struct Messages(Mutex<Vec<Value>>);

impl Messages {
    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TurnObserver for Messages {
    fn live(&self, event: LiveEvent) {
        if let LiveEvent::Message { message, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        }
    }

    fn event(&self, _event: &ConversationEvent) {}
}
