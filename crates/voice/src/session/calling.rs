//! Calls: started once, answered once, in the order in which they were asked.

use contract::CallId;
use policy::Timestamp;
use serde_json::Value;

use crate::command::{Command, RoadCommand};
use crate::config::ToolRole;
use crate::event::{
    AnswerKind, CallAnswer, CallEvent, CallOutcome, CallResult, CancelReason, Speaking,
};
use crate::session::forms;
use crate::session::intents;
use crate::session::interrupt::cancelled_unheard;
use crate::session::step::Step;
use crate::state::State;
use crate::state::call::{OpenCall, Stage};
use crate::state::playback::Fate;

/// A call starts; a terminal one only after its generation was heard to the end.
pub(super) fn start(step: &mut Step<'_>) -> bool {
    match next_call(step.state()) {
        Some((call, Readiness::Ready)) => run(step, &call),
        Some((call, Readiness::Never)) => answer_call(step, &call, cancelled_unheard()),
        Some((_, Readiness::Waits)) | None => return false,
    }
    true
}

/// The first call that need not wait any longer.
fn next_call(state: &State) -> Option<(CallId, Readiness)> {
    let asked = state.calls.unanswered().filter(|open| matches!(open.stage, Stage::Asked));
    let mut calls = asked.map(|open| (open.call.id.clone(), readiness(state, open)));
    calls.find(|(_, readiness)| *readiness != Readiness::Waits)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readiness {
    Ready,
    Waits,
    Never,
}

fn readiness(state: &State, open: &OpenCall) -> Readiness {
    if state.ending.is_some() {
        return Readiness::Never;
    }
    if state.config.tool(&open.call.tool).role == ToolRole::Ordinary {
        return Readiness::Ready;
    }
    let speaks = !state.user.is_quiet();
    match open.after.map(|after| state.playback.fates.get(&after)) {
        _ if speaks => Readiness::Waits,
        None => Readiness::Ready,
        Some(None) => Readiness::Waits,
        Some(Some(Fate::Heard | Fate::Stalled | Fate::Suppressed)) => Readiness::Ready,
        Some(Some(Fate::Cut | Fate::Dropped)) => Readiness::Never,
    }
}

/// Settles a call, or goes on with one that waited for a person.
pub(super) fn run(step: &mut Step<'_>, id: &CallId) {
    let Some(open) = step.state().calls.get(id) else { return };
    let (call, by) = (open.call.clone(), open.by.clone());
    step.record(CallEvent::Started { call: id.clone() });
    step.command(Command::RunCall { call, by });
}

pub(super) fn over_budget(step: &mut Step<'_>) -> bool {
    let now = step.now();
    let late = budgets(step.state()).into_iter().find(|(_, due)| *due <= now);
    let Some((call, _)) = late else { return false };
    step.record(CallEvent::OverBudget { call });
    true
}

pub(super) fn budget_due(state: &State) -> Option<Timestamp> {
    budgets(state).into_iter().map(|(_, due)| due).min()
}

fn budgets(state: &State) -> Vec<(CallId, Timestamp)> {
    let due = |open: &OpenCall| {
        let budget = state.config.tool(&open.call.tool).latency_budget_ms;
        let started_at = open.started_at.filter(|_| open.is_running() && !open.over_budget)?;
        Some((open.call.id.clone(), started_at.plus_ms(u64::from(budget).saturating_add(1))))
    };
    state.calls.open.values().filter_map(due).collect()
}

/// A cancelled call that does not stop is answered all the same.
pub(super) fn cancel_late(step: &mut Step<'_>) -> bool {
    let now = step.now();
    let late = cancels(step.state()).into_iter().find(|(_, due)| *due <= now);
    let Some((call, _)) = late else { return false };
    let error = error("The call was cancelled and has not stopped yet. It may have had effects.");
    answer_call(step, &call, cancelled(error));
    true
}

pub(super) fn cancel_due(state: &State) -> Option<Timestamp> {
    cancels(state).into_iter().map(|(_, due)| due).min()
}

fn cancels(state: &State) -> Vec<(CallId, Timestamp)> {
    let grace = state.config.timing.cancel_ms;
    let due = |open: &OpenCall| {
        let asked_at = open.cancel_asked_at.filter(|_| open.result().is_none())?;
        Some((open.call.id.clone(), asked_at.plus_ms(grace)))
    };
    state.calls.unanswered().filter_map(due).collect()
}

/// A result goes to the model, and its intents to the session.
pub(super) fn answer(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let settled = state.calls.unanswered().find(|open| open.result().is_some());
    let Some(open) = settled.filter(|_| state.is_up()).cloned() else { return false };
    let Some(result) = open.result().cloned() else { return false };
    let kind = match open.epoch == state.link.epoch {
        true => AnswerKind::Result,
        false => AnswerKind::InHistory,
    };
    let answer = CallAnswer { kind, content: result.content.clone(), speaking: open.speaking };
    answer_call(step, &open.call.id, answer);
    report_effects(step, &open, &result);
    forms::tell(step, &open, &result);
    intents::apply(step, &open, &result);
    true
}

/// A result that came after the answer is context for the model, never speech.
pub(super) fn inform(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_late = |open: &&OpenCall| open.answered.is_some() && open.result().is_some();
    let late = state.calls.open.values().find(is_late).filter(|_| state.is_up()).cloned();
    let Some(open) = late else { return false };
    let Some(result) = open.result().cloned() else { return false };
    step.record(CallEvent::Informed { call: open.call.id.clone() });
    if result.outcome != CallOutcome::Failed || open.answered == Some(AnswerKind::StillOpen) {
        let text = result_text(&open, &result.content);
        step.road(RoadCommand::Inform { text });
    }
    report_effects(step, &open, &result);
    let silent = OpenCall { speaking: Speaking::Silent, ..open };
    intents::apply(step, &silent, &result);
    true
}

fn result_text(open: &OpenCall, content: &Value) -> String {
    format!("The result of the call {} of `{}`: {content}", open.call.id, open.call.tool)
}

/// A stopped call that may have changed something is named to people.
fn report_effects(step: &mut Step<'_>, open: &OpenCall, result: &CallResult) {
    if result.outcome == CallOutcome::PartialEffects {
        let tool = &open.call.tool;
        step.note(format!("`{tool}` was stopped or failed, and may have changed something"));
    }
}

/// Records the one answer of a call, and gives it to the provider.
pub(super) fn answer_call(step: &mut Step<'_>, id: &CallId, answer: CallAnswer) {
    let state = step.state();
    let Some(open) = state.calls.get(id).filter(|open| open.answered.is_none()) else { return };
    let tool = open.call.tool.clone();
    let failed = match (&open.stage, answer.kind) {
        (Stage::Settled(result), AnswerKind::Result | AnswerKind::InHistory) => {
            result.outcome != CallOutcome::Done
        }
        (_, AnswerKind::StillOpen) => false,
        (_, _) => true,
    };
    let text = match open.by.is_model() {
        true => result_text(open, &answer.content),
        false => forms::for_model(open, &answer.content),
    };
    let is_note = answer.kind == AnswerKind::InHistory || !open.by.is_model();
    let (call, speaking, content) = (id.clone(), answer.speaking, answer.content.clone());
    step.record(CallEvent::Answered { call: call.clone(), answer });
    match is_note {
        true => step.road(RoadCommand::Inform { text }),
        false => step.road(RoadCommand::AnswerCall { call, tool, content, failed, speaking }),
    }
}

/// Tells the handler to stop. Its answer follows when it has, or after a while.
pub(super) fn cancel_call(step: &mut Step<'_>, id: &CallId, why: CancelReason) {
    step.record(CallEvent::CancelAsked { call: id.clone(), why });
    step.command(Command::CancelCall { call: id.clone(), why });
}

pub(super) fn cancelled(content: Value) -> CallAnswer {
    CallAnswer { kind: AnswerKind::Cancelled, content, speaking: Speaking::Silent }
}

pub(super) fn error(message: &str) -> Value {
    serde_json::json!({ "type": "CONFLICT", "message": message, "retryable": false })
}
