//! The end of a session: at once, with the turn, or after a farewell; by a deadline in any case.

use contract::After;
use policy::Timestamp;

use crate::command::{Command, EndReport, RoadCommand};
use crate::config::Presence;
use crate::event::{AudioEvent, CancelReason, EndingEvent, Purpose, SessionEvent};
use crate::ids::SpeechId;
use crate::session::asking;
use crate::session::calling::{answer_call, cancel_call, cancelled, error};
use crate::session::interrupt::silence;
use crate::session::speech::ignore_all;
use crate::session::step::Step;
use crate::state::State;
use crate::state::ending::Farewell;
use crate::state::turn::Response;
use crate::transcript::{Line, Shown};

/// Starts to end the session. A session ends once: a second request only counts if it is more
/// urgent.
pub(super) fn begin(step: &mut Step<'_>, cause: &str, after: After, farewell: Option<String>) {
    let interrupted = step.state().config.ending.rule(cause);
    if step.state().ending.is_some() && after != After::Immediate {
        step.note(format!("the session is ending already; `{cause}` changes nothing"));
        return;
    }
    step.record(EndingEvent::Started { cause: cause.to_owned(), after, interrupted, farewell });
    asking::withdraw(step);
    if after != After::FarewellSpoken {
        let speeches: Vec<SpeechId> = step.state().user.open().map(|speech| speech.id).collect();
        ignore_all(step, &speeches);
    }
}

/// The session ends when what it waited for has happened, or takes too long.
pub(super) fn finish(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let Some(ending) = &state.ending else { return false };
    let is_over = match (ending.after, &ending.farewell) {
        (After::Immediate, _) | (After::FarewellSpoken, Farewell::Over) => true,
        (After::CurrentTurn, _) => is_turn_over(state) || step.is_due(turn_due(state)),
        (
            After::FarewellSpoken,
            Farewell::None | Farewell::ToSay(_) | Farewell::Awaited { .. } | Farewell::Saying(_),
        ) => false,
    };
    if is_over {
        finish_now(step);
    }
    is_over
}

fn is_turn_over(state: &State) -> bool {
    let has_calls = state.calls.unanswered().next().is_some();
    !state.turn.is_active()
        && state.playback.queue.is_empty()
        && !has_calls
        && !state.turn.owes_speech
}

/// A turn that says nothing more does not keep the session open.
fn turn_due(state: &State) -> Option<Timestamp> {
    let ending = state.ending.as_ref().filter(|ending| ending.after == After::CurrentTurn)?;
    if !state.playback.queue.is_empty() {
        return None;
    }
    let requested = match state.turn.response {
        Response::Requested { at } => at,
        Response::Idle | Response::Answering | Response::Lost | Response::Done => ending.since,
    };
    let since = ending.since.max(state.playback.idle_since).max(requested);
    Some(since.plus_ms(state.config.timing.farewell_ms))
}

/// We say the farewell.
pub(super) fn say_farewell(step: &mut Step<'_>) -> bool {
    let words = match step.state().ending.as_ref().map(|ending| &ending.farewell) {
        Some(Farewell::ToSay(words)) => words.clone(),
        Some(Farewell::None | Farewell::Awaited { .. } | Farewell::Saying(_) | Farewell::Over)
        | None => return false,
    };
    step.say(Purpose::Farewell, words);
    true
}

/// The model gives no farewell in time: we say it.
pub(super) fn give_up_model(step: &mut Step<'_>) -> bool {
    if !step.is_due(model_due(step.state())) {
        return false;
    }
    let state = step.state();
    let otherwise = match state.ending.as_ref().map(|ending| &ending.farewell) {
        Some(Farewell::Awaited { otherwise }) => otherwise.clone(),
        Some(Farewell::None | Farewell::ToSay(_) | Farewell::Saying(_) | Farewell::Over) | None => {
            None
        }
    };
    let goodbye = state.config.language().words().say.goodbye.clone();
    let can_say = state.config.own.speech == Presence::Present;
    step.road(RoadCommand::Cancel { answer: None });
    if !can_say {
        finish_now(step);
        return true;
    }
    let utterance = step.say(Purpose::Farewell, otherwise.unwrap_or(goodbye));
    // What the model began, it began in silence.
    let queue = step.state().playback.queue.iter();
    let silent: Vec<_> = queue.filter(|one| one.is_answer()).map(|one| one.id).collect();
    for one in silent.into_iter().filter(|one| *one != utterance) {
        step.record(AudioEvent::Dropped { utterance: one });
        step.command(Command::Cut { utterance: one });
    }
    true
}

/// Until when the model may begin its farewell.
fn model_due(state: &State) -> Option<Timestamp> {
    let ending = state.ending.as_ref()?;
    let is_silent = match &ending.farewell {
        Farewell::Awaited { .. } => true,
        Farewell::Saying(utterance) => state
            .playback
            .get(*utterance)
            .is_some_and(|farewell| farewell.is_answer() && farewell.ready_ms() == 0),
        Farewell::None | Farewell::ToSay(_) | Farewell::Over => false,
    };
    // What was said before the farewell is heard first.
    let plays_before = state.playback.head().is_some_and(|head| head.started_at.is_some());
    let since = ending.since.max(state.playback.idle_since);
    (is_silent && !plays_before).then(|| since.plus_ms(state.config.timing.farewell_ms))
}

pub(super) fn due(state: &State) -> Option<Timestamp> {
    [turn_due(state), model_due(state)].into_iter().flatten().min()
}

/// Ends the session: silence, every call answered, messages passed on, one report.
pub(super) fn finish_now(step: &mut Step<'_>) {
    let cause = step.state().ending.as_ref().map_or_else(String::new, |one| one.cause.clone());
    silence(step);
    let open: Vec<_> = step
        .state()
        .calls
        .unanswered()
        // What a person sent themselves is finished, as on the page.
        .map(|open| (open.call.id.clone(), open.is_running() && open.by.is_model()))
        .collect();
    for (call, is_running) in open {
        if is_running {
            cancel_call(step, &call, CancelReason::SessionEnded);
        }
        answer_call(step, &call, cancelled(error("The voice session has ended.")));
    }
    let state = step.state();
    let messages: Vec<_> = state
        .calls
        .in_order()
        .into_iter()
        .flat_map(|open| open.messages.clone())
        .chain(state.calls.kept_messages.clone())
        .collect();
    messages.into_iter().for_each(|message| step.command(Command::Forward { message }));
    step.record(SessionEvent::Ended { cause: cause.clone() });
    let state = step.state();
    let shown = |line: &&Line| line.shown == Shown::Yes;
    let transcript = state.transcript.iter().filter(shown).cloned().collect();
    let pending = state.pending.clone();
    step.command(Command::End(EndReport { cause, transcript, pending }));
}
