//! The engine of a script without a project: real policy, ledger and approvals; only the handlers
//! are played.

mod judge;

use std::collections::BTreeMap;

use contract::{Action, Answers, Call, CallId, HandlerAnswer, Intent, IntentFault, ToolError};
use policy::{
    ApprovalAnswer, ApprovalChoice, ApprovalRequest, Approved, CheckedCall, ConfigRules,
    ConversationId, LedgerEntry, LedgerEvent, Limits, LoopDetector, Question, RequestId,
    StandingAnswers, Timestamp, ToolMemory, TurnUsage, Verdict,
};
use serde_json::{Value, json};

use super::engine::{EngineEvent, ScriptEngine, WantedForm};
use super::statement::{ScriptTool, ToolEnd};
use crate::event::{Asker, CallOutcome, CallResult, LogEntry, Waits};
use crate::form::form_targets;

#[derive(Debug)]
pub(super) struct PlayedEngine {
    tools: Vec<ScriptTool>,
    conversation: ConversationId,
    rules: ConfigRules,
    standing: StandingAnswers,
    memory: ToolMemory,
    loops: LoopDetector,
    limits: Limits,
    spent: TurnUsage,
    ledger: Vec<LedgerEntry>,
    calls: BTreeMap<CallId, Known>,
}

/// A call that the engine has seen.
#[derive(Debug)]
struct Known {
    turn: u64,
    running: Option<CheckedCall>,
    request: Option<ApprovalRequest>,
    answer: Option<ApprovalAnswer>,
    answers: Answers,
}

impl PlayedEngine {
    pub(super) fn new(tools: &[ScriptTool]) -> Self {
        let conversation = ConversationId("script".to_owned());
        Self {
            tools: tools.to_vec(),
            rules: ConfigRules::none(),
            standing: StandingAnswers::nothing(conversation.clone()),
            memory: ToolMemory::new(conversation.clone()),
            conversation,
            loops: LoopDetector::default(),
            limits: Limits::voice(),
            spent: TurnUsage::nothing(0),
            ledger: Vec::new(),
            calls: BTreeMap::new(),
        }
    }

    /// Settles a call as far as it comes.
    fn settle(&mut self, now: Timestamp, turn: u64, call: &Call) -> EngineEvent {
        let known = self.calls.entry(call.id.clone()).or_insert_with(|| Known {
            turn,
            running: None,
            request: None,
            answer: None,
            answers: Answers::default(),
        });
        let (id, turn) = (call.id.clone(), known.turn);
        let tool =
            self.tools.iter().find(|tool| tool.contract.tool_id.as_str() == call.tool).cloned();
        let judgement = self.judge(now, turn, call, tool.as_ref());
        match judgement.verdict {
            Verdict::Run(approved) => {
                self.start(now, &approved);
                let ends = tool.and_then(|tool| tool.returns);
                let answers = self.form_answer(&id);
                EngineEvent::Runs { call: id, answers, ends }
            }
            Verdict::Ask { question: Question::MayItRun(request), preview, .. } => {
                let waits = Waits::Approval {
                    request: request.id.clone(),
                    preview,
                    expires_at: request.expires_at,
                };
                if let Some(known) = self.calls.get_mut(&id) {
                    known.request = Some(*request);
                }
                EngineEvent::Waits { call: id, waits }
            }
            Verdict::Ask { error, .. } => settled(id, &error, CallOutcome::PartialEffects),
            Verdict::Refuse { error } => settled(id, &error, CallOutcome::Failed),
            Verdict::Reuse(recorded) => match recorded.outcome {
                Ok(data) => EngineEvent::Settled { call: id, result: done(data, Vec::new()) },
                Err(error) => settled(id, &error, CallOutcome::Failed),
            },
        }
    }

    fn start(&mut self, now: Timestamp, approved: &Approved) {
        let call = approved.call().clone();
        self.spent = self.spent.add(&call);
        if call.contract().side_effects == contract::SideEffects::Writes {
            let entry = LedgerEntry::intend(approved, now);
            self.ledger.retain(|other| other.call != entry.call);
            self.ledger.push(entry.advance(LedgerEvent::Start, now).unwrap_or(entry));
        }
        if let Some(known) = self.calls.get_mut(call.id()) {
            known.running = Some(call);
        }
    }

    /// A handler that does not run ends nothing.
    fn end_handler(&mut self, now: Timestamp, call: &CallId, end: &ToolEnd) -> Vec<EngineEvent> {
        let Some(known) = self.calls.get_mut(call).filter(|known| known.running.is_some()) else {
            return vec![EngineEvent::Noted(format!("{call} does not run"))];
        };
        known.running = None;
        let call = call.clone();
        match end {
            ToolEnd::Returns { data, intents } => self.returned(now, call, data, intents),
            ToolEnd::Fails { message } => {
                let error = ToolError::before_start(contract::ErrorType::Permanent, message);
                self.record(now, &call, &LedgerEvent::End(Err(error.clone())));
                vec![settled(call, &error, CallOutcome::Failed)]
            }
            ToolEnd::Stops => {
                self.record(
                    now,
                    &call,
                    &LedgerEvent::Lose { because: "it was stopped".to_owned() },
                );
                let error = ToolError::broken("The call was stopped. It may have had effects.");
                vec![settled(call, &error, CallOutcome::PartialEffects)]
            }
            ToolEnd::Asks { name, message, schema } => {
                // Nothing has happened: the handler runs again with the answers.
                self.ledger.retain(|entry| entry.call != call);
                let (name, message, schema) = (name.clone(), message.clone(), schema.clone());
                vec![EngineEvent::Waits { call, waits: Waits::Form { name, message, schema } }]
            }
        }
    }

    /// Intents are read as the contract reads them: unknown ones are noted, wrong ones are an
    /// error of the whole response.
    fn returned(
        &mut self,
        now: Timestamp,
        call: CallId,
        data: &Value,
        intents: &[Value],
    ) -> Vec<EngineEvent> {
        let mut events = Vec::new();
        let mut read: Vec<Intent> = Vec::new();
        for intent in ToolEnd::intents(intents) {
            match intent {
                Ok(intent) => read.push(intent),
                Err(fault @ IntentFault::UnknownType { .. }) => {
                    events.push(EngineEvent::Noted(fault.to_string()));
                }
                Err(fault @ IntentFault::Malformed { .. }) => {
                    let error =
                        ToolError::broken(format!("the handler's response is wrong: {fault}"));
                    self.record(now, &call, &LedgerEvent::End(Err(error.clone())));
                    return vec![settled(call, &error, CallOutcome::PartialEffects)];
                }
            }
        }
        self.record(now, &call, &LedgerEvent::End(Ok(data.clone())));
        events.push(EngineEvent::Settled { call, result: done(data.clone(), read) });
        events
    }

    fn record(&mut self, now: Timestamp, call: &CallId, event: &LedgerEvent) {
        for entry in self.ledger.iter_mut().filter(|entry| entry.call == *call) {
            if let Ok(next) = entry.advance(event.clone(), now) {
                *entry = next;
            }
        }
    }

    /// What a handler was answered in a form, for the output.
    fn form_answer(&self, call: &CallId) -> Option<String> {
        let answers = &self.calls.get(call)?.answers.0;
        let shown: Vec<_> = answers
            .iter()
            .filter(|(_, answer)| answer.action == Action::Accept)
            .map(|(name, answer)| format!("{name}={}", answer.content))
            .collect();
        (!shown.is_empty()).then(|| shown.join(" "))
    }
}

impl ScriptEngine for PlayedEngine {
    /// The handler of a form is not a tool, and answers at once.
    fn run(&mut self, now: Timestamp, turn: u64, call: &Call, by: &Asker) -> Vec<EngineEvent> {
        if by.is_form_handler() {
            let result = done(json!({ "success": true }), Vec::new());
            return vec![EngineEvent::Settled { call: call.id.clone(), result }];
        }
        vec![self.settle(now, turn, call)]
    }

    fn form(&mut self, tool: &str, given: Option<Value>) -> Result<WantedForm, String> {
        let feature = given.ok_or_else(|| format!("write the form of `{tool}` as JSON"))?;
        let is_tool = |target: &String| {
            self.tools.iter().any(|tool| tool.contract.tool_id.as_str() == target)
        };
        let called = form_targets(&feature).into_iter().filter(is_tool);
        let calls = called.map(|target| (target.clone(), target)).collect();
        Ok((feature, calls))
    }

    fn end(&mut self, now: Timestamp, call: &CallId, end: &ToolEnd) -> Vec<EngineEvent> {
        self.end_handler(now, call, end)
    }

    /// A read stops at once, a write may already have had effects.
    fn cancel(&mut self, now: Timestamp, call: &CallId) -> Vec<EngineEvent> {
        let writes = self
            .calls
            .get(call)
            .and_then(|known| known.running.as_ref())
            .map(|running| running.contract().side_effects == contract::SideEffects::Writes);
        match writes {
            Some(true) => self.end_handler(now, call, &ToolEnd::Stops),
            Some(false) => {
                self.end_handler(now, call, &ToolEnd::Fails { message: "Cancelled.".to_owned() })
            }
            None => Vec::new(),
        }
    }

    fn answer_approval(
        &mut self,
        _now: Timestamp,
        request: &RequestId,
        choice: ApprovalChoice,
    ) -> Vec<EngineEvent> {
        let is_asked =
            |known: &&mut Known| known.request.as_ref().is_some_and(|asked| asked.id == *request);
        if let Some(known) = self.calls.values_mut().find(is_asked) {
            known.answer = Some(ApprovalAnswer { request: request.clone(), choice });
        }
        Vec::new()
    }

    fn answer_form(
        &mut self,
        _now: Timestamp,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Vec<EngineEvent> {
        if let Some(known) = self.calls.get_mut(call) {
            known.answers.0.insert(name.to_owned(), answer);
        }
        Vec::new()
    }

    fn open_approval(&self) -> Option<RequestId> {
        let open = |known: &Known| {
            let request = known.request.as_ref().filter(|_| known.answer.is_none())?;
            Some(request.id.clone())
        };
        self.calls.values().rev().find_map(open)
    }

    fn restart(&mut self, now: Timestamp) {
        self.calls.values_mut().for_each(|known| known.running = None);
        for entry in &mut self.ledger {
            let lost = LedgerEvent::Lose { because: "the process ended".to_owned() };
            if entry.may_still_end()
                && let Ok(next) = entry.advance(lost, now)
            {
                *entry = next;
            }
        }
    }

    fn record(&mut self, _entry: &LogEntry) -> Result<(), String> {
        Ok(())
    }
}

fn done(content: Value, intents: Vec<Intent>) -> CallResult {
    CallResult { intents, ..CallResult::new(content, CallOutcome::Done) }
}

/// What the model reads of an error.
fn settled(call: CallId, error: &ToolError, outcome: CallOutcome) -> EngineEvent {
    let content =
        json!({ "type": error.kind, "message": error.message, "retryable": error.retryable });
    EngineEvent::Settled { call, result: CallResult::new(content, outcome) }
}
