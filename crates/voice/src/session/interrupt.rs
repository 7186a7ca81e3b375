//! The person takes the turn: everything that was under way ends, and only what was heard stays.

use contract::CallId;
use serde_json::json;

use crate::command::{Command, RoadCommand};
use crate::config::{InterruptedEnding, OnInterrupt};
use crate::event::{AudioEvent, CancelReason, EndingEvent, TurnEvent};
use crate::ids::UtteranceId;
use crate::session::calling::{answer_call, cancel_call};
use crate::session::speech::is_interruptible;
use crate::session::step::Step;
use crate::state::ask::OpenAsk;
use crate::state::call::Stage;

/// Confirmed speech interrupts whatever is under way.
pub(super) fn interrupt(step: &mut Step<'_>) -> bool {
    let state = step.state();
    if state.user.confirmed().next().is_none() || !is_interruptible(state) {
        return false;
    }
    take_turn(step);
    true
}

/// The person's button for silence does the same without a word.
pub(super) fn by_button(step: &mut Step<'_>) {
    if is_interruptible(step.state()) {
        take_turn(step);
    }
}

fn take_turn(step: &mut Step<'_>) {
    let state = step.state();
    let is_answer = state.ask.as_ref().is_some_and(OpenAsk::captures_speech);
    let ending = state.ending.as_ref().map(|ending| ending.interrupted);
    match (is_answer, ending) {
        (true, _) => silence(step),
        (false, Some(InterruptedEnding::Ends)) => super::ending::finish_now(step),
        (false, Some(InterruptedEnding::GoesOn)) => {
            step.record(EndingEvent::Cancelled);
            interrupt_turn(step);
        }
        (false, None) => interrupt_turn(step),
    }
}

fn interrupt_turn(step: &mut Step<'_>) {
    let was_active = step.state().turn.is_active();
    let open_answers =
        step.state().playback.queue.iter().filter(|one| one.is_answer() && !one.ended).count();
    silence(step);
    if was_active && open_answers == 0 {
        step.road(RoadCommand::Cancel { answer: None });
    }
    let turn = step.state().turn.number;
    let calls: Vec<(CallId, OnInterrupt, bool)> = step
        .state()
        .calls
        .of_model()
        .filter(|call| call.turn == turn)
        .filter(|call| matches!(call.stage, Stage::Asked | Stage::Running))
        .map(|call| {
            let rule = step.state().config.tool(&call.call.tool).on_interrupt;
            (call.call.id.clone(), rule, call.is_running())
        })
        .collect();
    step.record(TurnEvent::Interrupted);
    for (call, rule, is_running) in calls {
        match (is_running, rule) {
            (false, _) => answer_call(step, &call, cancelled_unheard()),
            (true, OnInterrupt::Cancel) => cancel_call(step, &call, CancelReason::Interrupted),
            (true, OnInterrupt::Finish) => {}
        }
    }
}

/// Ends everything that plays or waits to be played.
pub(super) fn silence(step: &mut Step<'_>) {
    let queue: Vec<UtteranceId> =
        step.state().playback.queue.iter().map(|utterance| utterance.id).collect();
    for utterance in queue {
        close(step, utterance);
    }
}

/// Ends one utterance where it is, and tells the page and the provider.
pub(super) fn close(step: &mut Step<'_>, id: UtteranceId) {
    let state = step.state();
    let Some(utterance) = state.playback.get(id) else { return };
    let (heard_ms, heard) = (utterance.played_ms, utterance.heard(&state.config).to_owned());
    let answer = utterance.answer().cloned().map(|answer| (answer, utterance.ended));
    let is_question = state.ask.as_ref().is_some_and(|ask| ask.says(id));
    let was_started = utterance.started_at.is_some();
    match was_started || is_question {
        true => step.record(AudioEvent::Cut { utterance: id, heard_ms, heard: heard.clone() }),
        false => step.record(AudioEvent::Dropped { utterance: id }),
    }
    step.command(Command::Cut { utterance: id });
    if let Some((answer, ended)) = answer {
        if !ended {
            step.road(RoadCommand::Cancel { answer: Some(answer.clone()) });
        }
        step.road(RoadCommand::Truncate { answer, heard_ms, heard });
    }
}

/// For a terminal tool whose generation was not heard to its end.
pub(super) fn cancelled_unheard() -> crate::event::CallAnswer {
    let message = "The user interrupted before this was heard to the end, so the call was not made. \
                   Listen to what the user says now.";
    super::calling::cancelled(json!({ "type": "CONFLICT", "message": message, "retryable": false }))
}
