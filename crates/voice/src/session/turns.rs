//! Turns: when the model is asked, and asked again.

use policy::Timestamp;
use serde_json::json;

use crate::command::{Respond, RoadCommand};
use crate::config::{Presence, RespondsTo};
use crate::event::{AnswerKind, CallAnswer, Purpose, Speaking, TurnEvent};
use crate::ids::SpeechId;
use crate::session::calling::answer_call;
use crate::session::speech::ignore_all;
use crate::session::step::Step;
use crate::state::State;
use crate::state::ask::OpenAsk;
use crate::state::ending::Farewell;
use crate::state::turn::{Answered, Response};
use crate::state::user::Speech;
use crate::transcript::Speaker;

/// The person has finished: the model is asked.
pub(super) fn request(step: &mut Step<'_>) -> bool {
    if !step.is_due(request_due(step.state())) {
        return false;
    }
    request_now(step);
    true
}

pub(super) fn request_due(state: &State) -> Option<Timestamp> {
    let is_answer = state.ask.as_ref().is_some_and(OpenAsk::captures_speech);
    let speaks = state.user.speaking().is_some();
    if is_answer || speaks || state.ending.is_some() || !state.is_up() {
        return None;
    }
    let confirmed: Vec<&Speech> = state.user.confirmed().collect();
    let waits = state.config.road.responds_to == RespondsTo::Transcript
        && confirmed.iter().any(|speech| speech.said.is_none());
    let last = confirmed.iter().filter_map(|speech| speech.ended_at).max()?;
    (!waits).then(|| last.plus_ms(state.config.timing.end_of_turn_ms))
}

/// Asks the model with everything that was confirmed.
pub(super) fn request_now(step: &mut Step<'_>) {
    let state = step.state();
    let confirmed: Vec<&Speech> = state.user.confirmed().collect();
    let words: Vec<&str> = confirmed
        .iter()
        .map(|speech| speech.words().trim())
        .filter(|text| !text.is_empty())
        .collect();
    let said = (!words.is_empty()).then(|| words.join(" "));
    let by_transcript = state.config.road.responds_to == RespondsTo::Transcript;
    let heard_nothing = by_transcript && said.is_none();
    if heard_nothing && !state.turn.interrupted {
        let speeches: Vec<SpeechId> = confirmed.iter().map(|speech| speech.id).collect();
        ignore_all(step, &speeches);
        return;
    }
    // A noise that cut an answer must not leave silence.
    ask_model(step, said, heard_nothing);
}

/// Starts the first turn with pending messages, before the person speaks.
pub(super) fn request_pending(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_first = state.turn.number.0 == 0 && !state.pending.is_empty();
    let is_quiet = state.user.is_quiet() && state.ending.is_none();
    if !is_first || !is_quiet || !state.is_up() {
        return false;
    }
    ask_model(step, None, false);
    true
}

/// Every call has an answer before the model is asked again.
fn ask_model(step: &mut Step<'_>, said: Option<String>, go_on: bool) {
    let open: Vec<_> = step.state().calls.of_model().map(|call| call.call.id.clone()).collect();
    for call in open {
        answer_call(step, &call, still_open());
    }
    let state = step.state();
    let (turn, pending) = (state.turn.number.next(), state.pending.clone());
    step.record(TurnEvent::Requested { turn, said: said.clone(), pending: pending.clone() });
    step.road(RoadCommand::Respond(Respond { turn, said, pending, go_on }));
}

fn still_open() -> CallAnswer {
    let message = "This call has not ended yet. Its result will follow as a message. Do not make \
                   the same call again.";
    let content = json!({ "status": "in_progress", "message": message });
    CallAnswer { kind: AnswerKind::StillOpen, content, speaking: Speaking::Silent }
}

/// All results are there: the model goes on.
pub(super) fn go_on(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let turn = state.turn.number;
    let speaks_itself = match state.ending.as_ref().map(|ending| (&ending.farewell, ending.after)) {
        None => true,
        Some((Farewell::Awaited { .. }, _)) => true,
        Some((Farewell::None, after)) => after == contract::After::CurrentTurn,
        Some((Farewell::ToSay(_) | Farewell::Saying(_) | Farewell::Over, _)) => false,
    };
    let has_open = state.calls.of_model().any(|call| call.turn == turn);
    let is_free = state.user.confirmed().next().is_none() && state.is_up();
    if !state.turn.owes_speech || has_open || !speaks_itself || !is_free {
        return false;
    }
    step.record(TurnEvent::Continued);
    step.road(RoadCommand::Continue);
    true
}

/// The connection is back: an answer of which nothing was heard is asked for again.
pub(super) fn recover(step: &mut Step<'_>) -> bool {
    let state = step.state();
    if state.turn.response != Response::Lost || !state.is_up() || state.ending.is_some() {
        return false;
    }
    let turn = state.turn.number;
    let waits = state.calls.of_model().any(|call| call.turn == turn) || state.turn.owes_speech;
    let has_audio = state.playback.queue.iter().any(|one| one.is_answer() && one.ready_ms() > 0);
    if waits || has_audio || state.turn.answered == Answered::Begun {
        step.record(TurnEvent::Done);
        return true;
    }
    let lines = state.transcript.iter();
    let said: Vec<&str> = lines
        .filter(|line| line.turn == turn && line.speaker == Speaker::User)
        .map(|line| line.text.as_str())
        .collect();
    let said = (!said.is_empty()).then(|| said.join(" "));
    step.record(TurnEvent::RequestedAgain { turn });
    step.road(RoadCommand::Respond(Respond { turn, said, pending: Vec::new(), go_on: false }));
    true
}

/// The model does not answer: say so.
pub(super) fn no_answer(step: &mut Step<'_>) -> bool {
    if !step.is_due(no_answer_due(step.state())) {
        return false;
    }
    let config = &step.state().config;
    let sorry = config.language().words().say.no_answer.clone();
    let can_say = config.own.speech == Presence::Present && step.state().ending.is_none();
    step.record(TurnEvent::NoAnswer);
    step.road(RoadCommand::Cancel { answer: None });
    if can_say {
        step.say(Purpose::Notice, sorry);
    }
    true
}

pub(super) fn no_answer_due(state: &State) -> Option<Timestamp> {
    let Response::Requested { at } = state.turn.response else { return None };
    let waits = state.calls.of_model().any(|call| call.turn == state.turn.number);
    (state.is_up() && !waits).then(|| at.plus_ms(state.config.timing.answer_ms))
}
