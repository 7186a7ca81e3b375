//! Calls of the model, and what the engine made of them.

use contract::{Call, CallId};
use serde_json::Value;

use crate::command::Command;
use crate::event::{
    AnswerKind, Asker, CallAnswer, CallEvent, CallResult, CancelReason, SessionEvent, Speaking,
};
use crate::session::calling;
use crate::session::step::Step;
use crate::session::take::answers::provider_takes_turn;
use crate::state::call::{OpenCall, Stage};

/// How many calls may be open; policy refuses long before.
const CALLS_MAX: usize = 64;

/// A call from an answer that was given up is answered and does not run.
pub(super) fn call_asked(step: &mut Step<'_>, call: Call) {
    let by_provider = provider_takes_turn(step);
    let state = step.state();
    let id = call.id.clone();
    if state.calls.known.contains(&id) {
        step.note(format!("the call {id} was delivered twice and is made once"));
        return;
    }
    let turn = state.turn.number;
    let mut answers = state.playback.queue.iter().rev();
    let after = answers.find(|one| one.is_answer() && one.turn == turn).map(|one| one.id);
    let is_stale = !(state.turn.is_active() || by_provider);
    let is_too_many = state.calls.open.len() >= CALLS_MAX;
    step.record(CallEvent::Asked { call, after, by: Asker::Model });
    if is_stale {
        let error = "The answer with this call was interrupted, so the call was not made.";
        calling::answer_call(step, &id, calling::cancelled(calling::error(error)));
    } else if is_too_many {
        let error = "Too many calls are open, so this one was not made.";
        calling::answer_call(step, &id, calling::cancelled(calling::error(error)));
    }
}

pub(super) fn call_malformed(step: &mut Step<'_>, id: &CallId, tool: String, message: &str) {
    if step.state().calls.known.contains(id) {
        return;
    }
    let is_stale = !step.state().turn.is_active();
    let call = Call { id: id.clone(), tool, args: Value::Null };
    step.record(CallEvent::Asked { call, after: None, by: Asker::Model });
    let content =
        serde_json::json!({ "type": "VALIDATION", "message": message, "retryable": true });
    let speaking = if is_stale { Speaking::Silent } else { Speaking::Speaks };
    let answer = CallAnswer { kind: AnswerKind::Malformed, content, speaking };
    calling::answer_call(step, id, answer);
}

pub(super) fn withdrawn(step: &mut Step<'_>, id: &CallId) {
    let Some(open) = step.state().calls.get(id).filter(|open| open.answered.is_none()) else {
        return;
    };
    match (&open.stage, open.cancel_asked_at) {
        (Stage::Running, None) => calling::cancel_call(step, id, CancelReason::Withdrawn),
        (Stage::Asked | Stage::Waiting(_), _) => {
            let error = calling::error("The call was withdrawn and was not made.");
            calling::answer_call(step, id, calling::cancelled(error));
        }
        (Stage::Running | Stage::Settled(_), _) => {}
    }
}

pub(super) fn is_unsettled(step: &Step<'_>, call: &CallId) -> bool {
    step.state().calls.get(call).is_some_and(|open| open.result().is_none())
}

/// What a tool sent to the client goes there now, or at the end if the tool ends the session.
pub(super) fn call_settled(step: &mut Step<'_>, id: CallId, result: CallResult) {
    let Some(open) = step.state().calls.get(&id).filter(|open| open.result().is_none()) else {
        return;
    };
    let messages: Vec<Value> = OpenCall::clone(open).messages;
    let ends =
        |intent: &contract::Intent| matches!(intent, contract::Intent::EndVoiceSession { .. });
    let is_end = result.intents.iter().any(ends);
    step.record(CallEvent::Settled { call: id.clone(), result });
    if !is_end && !messages.is_empty() {
        step.record(SessionEvent::Forwarded { call: id });
        messages.into_iter().for_each(|message| step.command(Command::Forward { message }));
    }
}
