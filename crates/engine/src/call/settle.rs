//! Settles one call: check, judge, ask, run, record. Every branch is on this screen.

use std::sync::Arc;
use std::time::Duration;

use contract::{Call, CallId, Intent, Meta, ToolError};
use policy::{
    ApprovalStatus, ArgumentsGiven, Judgement, LedgerEntry, LedgerState, Question, Reason,
    RecordedOutcome, RuleId, Trace, Verdict,
};
use serde_json::Value;

use crate::call::approvals::ApprovalRecord;
use crate::call::context::{CallContext, Cancel, PaidBy};
use crate::call::facts::Facts;
use crate::call::origin::CallOrigin;
use crate::call::questions::HandlerQuestions;
use crate::engine::Engine;
use crate::keyed_lock::KeyedLockGuard;

/// How a call ended, for the model and for people.
#[derive(Debug)]
pub struct Settled {
    pub call: CallId,
    pub tool: String,
    /// `run`, `ask`, `refuse` or `reuse`.
    pub verdict: &'static str,
    /// The rule that decided.
    pub reason: Reason,
    pub trace: Trace,
    pub outcome: Result<Value, ToolError>,
    /// The arguments that a person put in the place of the call's own; these counted.
    pub edited: Option<Value>,
    /// Wishes to the surface; never shown to the model.
    pub intents: Vec<Intent>,
    /// For people; never shown to the model. There is always one once the call is settled.
    pub meta: Option<Meta>,
    pub waiting: Option<Waiting>,
    /// What people should know: a budget broken, an unknown intent, a result reused.
    pub notes: Vec<String>,
}

/// What has to be done before the call can go on.
#[derive(Debug)]
pub enum Waiting {
    Approval(Box<ApprovalRecord>),
    /// A write started and nobody knows how it ended.
    InDoubt(Box<LedgerEntry>),
    /// The handler has a question. A door that cannot ask it gives the error to the model.
    Input(Box<HandlerQuestions>),
}

impl Engine {
    /// Settles one call. Never fails: whatever goes wrong is the outcome.
    pub async fn settle(&self, origin: &CallOrigin, call: &Call) -> Settled {
        self.settle_on(&self.default_context(), origin, call).await
    }

    /// Settles one call whose handler is heard, and can be stopped, by the stage.
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

    /// One try: to the end, or to a question.
    async fn settle_round(
        &self,
        context: &CallContext,
        origin: &CallOrigin,
        call: &Call,
    ) -> Settled {
        if let Some(asking) = self.hear(context, origin, call).await {
            return asking;
        }
        let guard = self.inner.conversation_locks.lock(&origin.conversation.0).await;
        let mut facts = Facts::gather(self, origin, call, context).await;
        let mut settled = self.settle_gathered(&mut facts, guard).await;
        if let Ok(None) = facts.prepared {
            settled.notes.extend(self.left_out_note(&call.tool));
        }
        settled.notes.extend(doubt_note(&facts, &settled));
        settled.complete(&facts);
        self.record(&facts, &settled).await;
        settled
    }

    /// For people: the tool is there, and its faults keep it out.
    fn left_out_note(&self, tool: &str) -> Option<String> {
        let lease = self.registry().lease();
        let one = lease.left_out_as(tool)?;
        Some(format!("`{}` is left out because of its faults: {}", one.name, one.reason()))
    }

    fn default_context(&self) -> CallContext {
        self.context(PaidBy::Turn)
    }

    /// The program's own surface, where nobody stops a call.
    pub fn context(&self, paid_by: PaidBy) -> CallContext {
        let surface = Arc::clone(&self.wiring().surface);
        CallContext { surface, cancel: Cancel::default(), paid_by }
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
                    Ok(Some((question, _))) if is_used_in_vain(facts, &question) => {
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
            // What a person answered counts, also where nothing asks any more: a no is a no,
            // and what they changed stays changed.
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

    /// What would be decided about a call now, stage by stage; nothing is run or written.
    /// Without arguments it is about the tool as such.
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
        lines.extend(self.left_out_note(&call.tool));
        lines
    }

    /// Goes on with a call that waited for a person, in this process or another.
    pub async fn resume(&self, asked: &ApprovalRecord) -> Settled {
        self.settle(&asked.origin, &asked.call).await
    }

    /// Writes the question down, then waits for a person.
    async fn ask(
        &self,
        facts: &Facts<'_>,
        judgement: Judgement,
        request: policy::ApprovalRequest,
    ) -> Settled {
        let (origin, call, edited) = (facts.origin.clone(), facts.call, facts.edited.is_some());
        let asked = ApprovalRecord { request, call: call.clone(), origin, answer: None, edited };
        match self.keep_question(&asked).await {
            Ok(()) => waiting(call, judgement, asked),
            Err(fault) => {
                let message = "A person could not be asked, so the call was not run.";
                let error = ToolError::before_start(contract::ErrorType::Internal, message);
                let mut settled = Settled::new(call, judgement, Err(error));
                settled.notes.push(format!("the question could not be kept: {fault}"));
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

    /// A refusal, or an answer that is known already. A person's own answer is used up.
    async fn answer_unrun(
        &self,
        facts: &Facts<'_>,
        judgement: Judgement,
        asked: Option<(ApprovalRecord, store::Revision)>,
    ) -> Settled {
        if let (Some(_), Some((question, revision))) = (&judgement.uses, &asked)
            && let Err(fault) = self.spend(question, *revision).await
        {
            let message = "The answer of the person was used before.";
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

/// Was the yes spent by a program that died before the write began? Then nothing has run, and
/// the person is asked once more. Should that program live after all, only one of the two can
/// take the step with which the write begins.
fn is_used_in_vain(facts: &Facts<'_>, question: &ApprovalRecord) -> bool {
    let lines = facts.ledger.as_ref().map(Vec::as_slice).unwrap_or_default();
    let has_not_begun = |entry: &LedgerEntry| matches!(entry.state, LedgerState::Intended);
    question.request.status == ApprovalStatus::Used
        && lines.iter().any(|line| line.entry.call == facts.call.id && has_not_begun(&line.entry))
}

/// For people: what to do about a write that started and has no end.
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
        "nobody knows yet whether this happened; look, then say so: `ghosthand ledger resolve {id}`"
    ))
}

fn waiting(call: &Call, judgement: Judgement, asked: ApprovalRecord) -> Settled {
    let error = error_of(&judgement);
    let mut settled = Settled::new(call, judgement, Err(error));
    settled.waiting = Some(Waiting::Approval(Box::new(asked)));
    settled
}

/// What the model gets when nothing ran.
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
        let verdict = judgement.verdict.word();
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
            meta: None,
            waiting: None,
            notes: Vec::new(),
        }
    }

    /// Milliseconds in the handler; none if it did not run.
    pub fn duration(&self) -> Option<u64> {
        self.meta.as_ref().filter(|_| self.verdict == "run").map(|meta| meta.duration)
    }

    /// What is told of every call, whether it ran or not.
    pub(crate) fn complete(&mut self, facts: &Facts<'_>) {
        if self.meta.is_none() {
            self.meta = Some(facts.meta(Duration::ZERO));
        }
        self.edited = facts.edited.clone();
        let stripped = facts.stripped();
        if !stripped.is_empty() {
            let places = stripped.join(", ");
            self.notes.push(format!("left out, because the contract does not know it: {places}"));
        }
    }
}
