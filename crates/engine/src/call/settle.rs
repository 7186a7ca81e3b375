//! Settles one call: check, judge, ask, run, record. Every branch is on this screen.

use std::sync::Arc;
use std::time::Duration;

use contract::{Artifact, Call, CallId, Intent, Meta, ToolError};
use policy::{
    ApprovalStatus, ArgumentsGiven, Judgement, LedgerEntry, LedgerState, Question, Reason,
    RecordedOutcome, RuleId, Trace, Verdict, VerdictKind,
};
use registry::Lease;
use serde_json::Value;
use store::KeyedLockGuard;

use crate::call::approvals::ApprovalRecord;
use crate::call::context::{CallContext, Cancel, PaidBy};
use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::call::questions::HandlerQuestions;
use crate::engine::Engine;

/// How a call ended, for the model and for people.
#[derive(Debug)]
pub struct Settled {
    pub call: CallId,
    pub tool: String,
    pub verdict: VerdictKind,
    /// The rule that decided.
    pub reason: Reason,
    pub trace: Trace,
    pub outcome: Result<Value, ToolError>,
    /// The arguments with which a person replaced the call's own.
    pub edited: Option<Value>,
    /// Requests to the surface; never shown to the model.
    pub intents: Vec<Intent>,
    /// Files of the tool for the person.
    pub artifacts: Vec<Artifact>,
    /// For people; never shown to the model. Always present once the call is settled.
    pub meta: Option<Meta>,
    pub waiting: Option<Waiting>,
    /// For people: an exceeded budget, an unknown intent, a reused result.
    pub notes: Vec<String>,
}

/// A note for people: the tool exists, and is left out because of its faults.
fn left_out_note(tools: &Lease, tool: &str) -> Option<String> {
    let excluded = tools.left_out_as(tool)?;
    let (name, reason) = (&excluded.name, excluded.reason());
    Some(format!("`{name}` is left out because of its faults: {reason}"))
}

/// What the call waits for.
#[derive(Debug)]
pub enum Waiting {
    Approval(Box<ApprovalRecord>),
    /// A write started, and its outcome is unknown.
    InDoubt(Box<LedgerEntry>),
    /// The handler has a question. A surface that cannot ask it gives the error to the model.
    Input(Box<HandlerQuestions>),
}

impl Engine {
    /// Settles one call. Never fails: every error is an outcome.
    pub async fn settle(&self, origin: &CallOrigin, call: &Call) -> Settled {
        self.settle_on(&self.default_context(), origin, call).await
    }

    /// Settles one call. `context` gets the handler's events, and can cancel it.
    pub async fn settle_on(
        &self,
        context: &CallContext,
        origin: &CallOrigin,
        call: &Call,
    ) -> Settled {
        let mut settled = self.settle_round(context, origin, call).await;
        while self.answer_as_model(origin, call, &mut settled).await {
            settled = self.settle_round(context, origin, call).await;
        }
        settled
    }

    /// Settles the call up to its end, or up to a question.
    async fn settle_round(
        &self,
        context: &CallContext,
        origin: &CallOrigin,
        call: &Call,
    ) -> Settled {
        if let Some(settled) = self.ask_first(context, origin, call).await {
            return settled;
        }
        let guard = self.inner.conversation_locks.lock(&origin.conversation.0).await;
        let mut facts = Facts::gather(self, origin, call, context).await;
        let mut settled = self.settle_gathered(&mut facts, guard).await;
        if let Ok(None) = facts.prepared {
            settled.notes.extend(left_out_note(&self.tools_of(context), &call.tool));
        }
        settled.notes.extend(doubt_note(&facts, &settled));
        settled.complete(&facts);
        self.record(&facts, &settled).await;
        settled
    }

    /// The tools that a call runs with.
    pub(crate) fn tools_of(&self, context: &CallContext) -> Lease {
        context.tools.clone().unwrap_or_else(|| self.registry().lease())
    }

    fn default_context(&self) -> CallContext {
        self.context(PaidBy::Turn)
    }

    /// The program's own surface, without a way to cancel the call.
    pub fn context(&self, paid_by: PaidBy) -> CallContext {
        let surface = Arc::clone(&self.wiring().surface);
        CallContext { surface, cancel: Cancel::default(), paid_by, tools: None }
    }

    async fn settle_gathered(&self, facts: &mut Facts<'_>, guard: KeyedLockGuard) -> Settled {
        let (origin, call) = (facts.origin, facts.call);
        let mut judgement = facts.judge(None);
        let mut asked = None;
        match &judgement.verdict {
            Verdict::Ask { question: Question::MayItRun(request), .. } => {
                match self.question_about(origin, call).await {
                    Err(fault) => judgement = facts.judge(Some(Err(fault))),
                    Ok(None) => {
                        let request = request.as_ref().clone();
                        return self.ask(facts, judgement, request).await;
                    }
                    Ok(Some((question, _))) if was_used_without_start(facts, &question) => {
                        let request = request.as_ref().clone();
                        return self.ask(facts, judgement, request).await;
                    }
                    Ok(Some((question, _)))
                        if question.answer.is_none() && facts.now < question.request.expires_at =>
                    {
                        return waiting(call, judgement, question);
                    }
                    Ok(Some((question, revision))) => {
                        facts.take_edited(&question);
                        let given = facts.judge_answer(&question);
                        judgement = facts.judge(Some(given));
                        asked = Some((question, revision));
                    }
                }
            }
            // A person's answer counts even if no rule asks any more: a declined call does not
            // run, and edited arguments stay edited.
            Verdict::Run(_) => match self.question_about(origin, call).await {
                Err(fault) => judgement = facts.judge(Some(Err(fault))),
                Ok(Some((question, revision)))
                    if question.answer.is_some()
                        && question.request.status != ApprovalStatus::Used =>
                {
                    facts.take_edited(&question);
                    let given = facts.judge_answer(&question);
                    judgement = facts.judge(Some(given));
                    asked = Some((question, revision));
                }
                Ok(_) => {}
            },
            Verdict::Ask { .. } | Verdict::Refuse { .. } | Verdict::Reuse(_) => {}
        }
        match judgement.verdict {
            Verdict::Run(_) => self.start(facts, judgement, asked, guard).await,
            Verdict::Ask { .. } => self.ask_again(facts, judgement).await,
            Verdict::Refuse { .. } | Verdict::Reuse(_) => {
                self.answer_unrun(facts, judgement, asked).await
            }
        }
    }

    /// Explains what would be decided about a call now, stage by stage. Runs and writes
    /// nothing. Without arguments, it is about the tool.
    pub async fn why(
        &self,
        origin: &CallOrigin,
        call: &Call,
        given: ArgumentsGiven,
        paid_by: PaidBy,
    ) -> Vec<String> {
        let context = self.context(paid_by);
        let facts = Facts::gather(self, origin, call, &context).await;
        let mut lines = policy::explain(&facts.judge(None), given);
        let refused = self.refused_tools().await.unwrap_or_default();
        for refused in refused.iter().filter(|refused| refused.tool == call.tool) {
            lines.push(format!("not offered to `{}`: {}", refused.model, refused.because));
        }
        if let Some(because) = self.wiring().not_set_up.get(&call.tool) {
            lines.push(format!("not offered to models: {because}"));
        }
        lines.extend(left_out_note(&self.registry().lease(), &call.tool));
        lines
    }

    /// Continues a call that waited for a person, in this process or another.
    pub async fn resume(&self, asked: &ApprovalRecord) -> Settled {
        self.settle(&asked.origin, &asked.call).await
    }

    /// Stores the question, then waits for a person.
    async fn ask(
        &self,
        facts: &Facts<'_>,
        judgement: Judgement,
        request: policy::ApprovalRequest,
    ) -> Settled {
        let (origin, call, edited) = (facts.origin.clone(), facts.call, facts.edited.is_some());
        let asked = ApprovalRecord { request, call: call.clone(), origin, answer: None, edited };
        match self.store_question(&asked).await {
            Ok(()) => waiting(call, judgement, asked),
            Err(fault) => {
                let message = "A person could not be asked, so the call was not run.";
                let error = ToolError::before_start(contract::ErrorType::Internal, message);
                let mut settled = Settled::new(call, judgement, Err(error));
                settled.notes.push(format!("the question could not be stored: {fault}"));
                settled
            }
        }
    }

    /// The call changed after the question, or what happened is unknown.
    async fn ask_again(&self, facts: &Facts<'_>, judgement: Judgement) -> Settled {
        let question = match &judgement.verdict {
            Verdict::Ask { question, .. } => question.clone(),
            Verdict::Run(_) | Verdict::Refuse { .. } | Verdict::Reuse(_) => {
                unreachable!("only a verdict that asks comes here")
            }
        };
        match question {
            Question::MayItRun(request) => self.ask(facts, judgement, *request).await,
            Question::WhatHappened(entry) => {
                let error = error_of(&judgement);
                let mut settled = Settled::new(facts.call, judgement, Err(error));
                settled.waiting = Some(Waiting::InDoubt(entry));
                settled
            }
        }
    }

    /// A refusal, or a recorded result. A result that a person provided is used up.
    async fn answer_unrun(
        &self,
        facts: &Facts<'_>,
        judgement: Judgement,
        asked: Option<(ApprovalRecord, store::Revision)>,
    ) -> Settled {
        if let (Some(_), Some((question, revision))) = (&judgement.uses, &asked)
            && let Err(fault) = self.use_up(question, *revision).await
        {
            let message = "The person's answer was used before.";
            let error = ToolError::before_start(contract::ErrorType::Conflict, message);
            let mut settled = Settled::new(facts.call, judgement, Err(error));
            settled.notes.push(fault.to_string());
            return settled;
        }
        let (outcome, note) = match &judgement.verdict {
            Verdict::Reuse(RecordedOutcome { outcome, note }) => {
                (outcome.clone(), Some(note.clone()))
            }
            Verdict::Refuse { error } => (Err(error.clone()), None),
            Verdict::Run(_) | Verdict::Ask { .. } => (Err(error_of(&judgement)), None),
        };
        let mut settled = Settled::new(facts.call, judgement, outcome);
        settled.notes.extend(note);
        settled
    }
}

/// Whether a process used the approval and died before the write started. Then nothing has run,
/// and the person is asked again. If that process is alive after all, only one of the two can
/// record the start of the write.
fn was_used_without_start(facts: &Facts<'_>, question: &ApprovalRecord) -> bool {
    let lines = facts.ledger.as_ref().map(Vec::as_slice).unwrap_or_default();
    let has_not_started = |entry: &LedgerEntry| matches!(entry.state, LedgerState::Intended);
    question.request.status == ApprovalStatus::Used
        && lines.iter().any(|line| line.entry.call == facts.call.id && has_not_started(&line.entry))
}

/// A note for people about a write that started and has no recorded end.
fn doubt_note(facts: &Facts<'_>, settled: &Settled) -> Option<String> {
    let rule = &settled.reason.rule;
    let ledger = facts
        .ledger
        .as_ref()
        .ok()
        .filter(|_| [RuleId::RUNNING, RuleId::IN_DOUBT].contains(rule))?;
    let line = ledger.iter().find(|line| line.entry.call == facts.call.id)?;
    let id: String = line.id.chars().take(8).collect();
    Some(format!(
        "the outcome is unknown; check what happened, then record it: `ghosthand ledger resolve {id}`"
    ))
}

fn waiting(call: &Call, judgement: Judgement, asked: ApprovalRecord) -> Settled {
    let error = error_of(&judgement);
    let mut settled = Settled::new(call, judgement, Err(error));
    settled.waiting = Some(Waiting::Approval(Box::new(asked)));
    settled
}

/// The model's result when nothing ran.
fn error_of(judgement: &Judgement) -> ToolError {
    match &judgement.verdict {
        Verdict::Ask { error, .. } | Verdict::Refuse { error } => error.clone(),
        Verdict::Run(_) | Verdict::Reuse(_) => ToolError::broken("the call was not run"),
    }
}

impl Settled {
    pub(crate) fn new(
        call: &Call,
        judgement: Judgement,
        outcome: Result<Value, ToolError>,
    ) -> Self {
        let verdict = judgement.verdict.kind();
        let Judgement { tool, reason, trace, .. } = judgement;
        Self {
            call: call.id.clone(),
            tool,
            verdict,
            reason,
            trace,
            outcome,
            edited: None,
            intents: Vec::new(),
            artifacts: Vec::new(),
            meta: None,
            waiting: None,
            notes: Vec::new(),
        }
    }

    /// Milliseconds in the handler; none if it did not run.
    pub fn duration(&self) -> Option<u64> {
        self.meta.as_ref().filter(|_| self.verdict == VerdictKind::Run).map(|meta| meta.duration)
    }

    /// Adds what every settled call has, whether it ran or not.
    pub(crate) fn complete(&mut self, facts: &Facts<'_>) {
        if self.meta.is_none() {
            self.meta = Some(facts.meta(Duration::ZERO));
        }
        self.edited = facts.edited.clone();
        let stripped = facts.stripped();
        if !stripped.is_empty() {
            let places = stripped.join(", ");
            self.notes.push(format!("removed, because the contract does not have it: {places}"));
        }
    }
}
