//! Playback: one utterance after the other, never over a person.

use policy::Timestamp;

use crate::command::{Command, RoadCommand};
use crate::config::SpeechBy;
use crate::event::{AnswerEnd, AudioEvent, Piece};
use crate::ids::UtteranceId;
use crate::session::step::Step;
use crate::state::State;
use crate::state::playback::PlaybackStatus;
use crate::state::utterance::Utterance;

/// Plays the next utterance when it has audio and the person is silent.
pub(super) fn start(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_free = state.playback.status == PlaybackStatus::Idle && state.user.is_quiet();
    let head = state.playback.head().filter(|head| head.ready_ms() > 0).map(|head| head.id);
    let Some(utterance) = head.filter(|_| is_free) else { return false };
    step.record(AudioEvent::Started { utterance });
    step.command(Command::Play { utterance });
    true
}

/// Everything of it was played.
pub(super) fn heard(step: &mut Step<'_>) -> bool {
    let state = step.state();
    if state.playback.status == PlaybackStatus::Idle {
        return false;
    }
    let Some(head) = state.playback.head() else { return false };
    let is_over = head.total_ms(&state.config).is_some_and(|total| head.played_ms >= total);
    if !is_over {
        return false;
    }
    let utterance = head.id;
    step.record(AudioEvent::Heard { utterance });
    true
}

/// The page does not report the end: what it reported last counts.
pub(super) fn stalled(step: &mut Step<'_>) -> bool {
    let due = stalled_due(step.state());
    let head = step.state().playback.head().map(|head| head.id);
    give_up(step, due, head)
}

/// When the page should have reported that all its audio was played.
pub(super) fn stalled_due(state: &State) -> Option<Timestamp> {
    let head = state.playback.head()?;
    let left = head.ready_ms().saturating_sub(head.played_ms);
    let is_playing = state.playback.status == PlaybackStatus::Playing;
    (is_playing && left > 0)
        .then(|| head.progress_at.plus_ms(left).plus_ms(state.config.timing.acknowledge_ms))
}

/// The next sentence of our own speech does not come.
pub(super) fn starved(step: &mut Step<'_>) -> bool {
    let due = starved_due(step.state());
    let head = step.state().playback.head().map(|head| head.id);
    give_up(step, due, head)
}

pub(super) fn starved_due(state: &State) -> Option<Timestamp> {
    let head = state.playback.head()?;
    let is_ours = head.speech_by(&state.config) == SpeechBy::Us;
    let waits = head.wanted_sentences(&state.config) > 0
        && head.total_ms(&state.config).is_none()
        && head.played_ms >= head.ready_ms();
    let is_held = state.playback.status == PlaybackStatus::Held;
    if !is_ours || !waits || is_held {
        return None;
    }
    let since = head.arrived_at.max(head.progress_at).max(state.playback.idle_since);
    Some(since.plus_ms(state.config.timing.own_speech_ms))
}

/// The provider stops in the middle of an answer without ending it.
pub(super) fn stuck(step: &mut Step<'_>) -> bool {
    if !step.is_due(stuck_due(step.state())) {
        return false;
    }
    let Some(utterance) = unended(step.state()).map(|one| one.id) else { return false };
    let piece = Piece::Ended { end: AnswerEnd::Failed };
    step.record(AudioEvent::Arrived { utterance, piece });
    step.road(RoadCommand::Cancel { answer: None });
    true
}

pub(super) fn stuck_due(state: &State) -> Option<Timestamp> {
    let utterance = unended(state)?;
    Some(utterance.arrived_at.plus_ms(state.config.timing.answer_ms))
}

fn unended(state: &State) -> Option<&Utterance> {
    state.playback.queue.iter().find(|utterance| !utterance.ended)
}

/// What a tool wanted silent is shown when it is complete.
pub(super) fn suppress(step: &mut Step<'_>) -> bool {
    let queue = &step.state().playback.queue;
    let silent = queue.iter().find(|utterance| utterance.suppressed && utterance.ended);
    let Some(utterance) = silent.map(|utterance| utterance.id) else { return false };
    step.record(AudioEvent::Suppressed { utterance });
    step.command(Command::Cut { utterance });
    true
}

/// An utterance that ended without any audio.
pub(super) fn drop_silent(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_empty = |one: &&Utterance| {
        !one.suppressed && one.ready_ms() == 0 && one.total_ms(&state.config).is_some()
    };
    let Some(utterance) = state.playback.queue.iter().find(is_empty).map(|one| one.id) else {
        return false;
    };
    step.record(AudioEvent::Dropped { utterance });
    true
}

/// Ends an utterance that cannot go on.
fn give_up(step: &mut Step<'_>, due: Option<Timestamp>, utterance: Option<UtteranceId>) -> bool {
    if !step.is_due(due) {
        return false;
    }
    let state = step.state();
    let Some(utterance) = utterance.and_then(|id| state.playback.get(id)) else { return false };
    let (id, heard_ms) = (utterance.id, utterance.played_ms);
    let heard = utterance.heard(&state.config).to_owned();
    match utterance.started_at {
        Some(_) => step.record(AudioEvent::Stalled { utterance: id, heard_ms, heard }),
        None => step.record(AudioEvent::Dropped { utterance: id }),
    }
    step.command(Command::Cut { utterance: id });
    true
}
