//! Answers of the model and our own speech, as they arrive and are played.

use crate::command::{Command, RoadCommand};
use crate::config::TurnsBy;
use crate::event::{AudioEvent, EndingEvent, Piece};
use crate::ids::{AnswerId, UtteranceId};
use crate::session::step::Step;
use crate::session::turns;
use crate::state::ending::Farewell;
use crate::state::playback::PlaybackStatus;

/// Where the provider decides about turns, an answer ends the person's turn, also if it begins
/// a moment before they stop.
pub(super) fn provider_takes_turn(step: &mut Step<'_>) -> bool {
    let by_provider = step.state().config.road.turns == TurnsBy::Provider;
    if by_provider && step.state().user.confirmed().next().is_some() {
        turns::request_now(step);
    }
    by_provider
}

pub(super) fn answer_started(step: &mut Step<'_>, answer: AnswerId) {
    let by_provider = provider_takes_turn(step);
    let state = step.state();
    let farewell = state.ending.as_ref().map(|ending| (&ending.farewell, ending.after));
    let is_over = match farewell {
        None | Some((Farewell::Awaited { .. }, _)) => false,
        Some((_, after)) => after != contract::After::CurrentTurn,
    };
    let is_awaited = matches!(farewell, Some((Farewell::Awaited { .. }, _)));
    if is_over || !(state.turn.is_active() || by_provider) {
        step.record(AudioEvent::AnswerRefused { answer: answer.clone() });
        step.road(RoadCommand::Cancel { answer: Some(answer) });
        return;
    }
    let utterance = state.playback.last.next();
    step.record(AudioEvent::AnswerStarted { utterance, answer });
    if is_awaited {
        step.record(EndingEvent::Farewell { utterance });
    }
}

pub(super) fn arrived(step: &mut Step<'_>, answer: &AnswerId, piece: Piece) {
    let open = step.state().playback.of_answer(answer).filter(|utterance| !utterance.ended);
    if let Some(utterance) = open.map(|utterance| utterance.id) {
        step.record(AudioEvent::Arrived { utterance, piece });
    }
}

pub(super) fn own_speech(step: &mut Step<'_>, utterance: UtteranceId, piece: Piece) {
    if step.state().playback.get(utterance).is_some() {
        step.record(AudioEvent::Arrived { utterance, piece });
    }
}

pub(super) fn speech_failed(step: &mut Step<'_>, utterance: UtteranceId) {
    let Some(failed) = step.state().playback.get(utterance) else { return };
    let (heard_ms, started) = (failed.played_ms, failed.started_at.is_some());
    let heard = failed.heard(&step.state().config).to_owned();
    step.note(format!("our own speech failed for {utterance}"));
    match started {
        true => step.record(AudioEvent::Stalled { utterance, heard_ms, heard }),
        false => step.record(AudioEvent::Dropped { utterance }),
    }
    step.command(Command::Cut { utterance });
}

/// Small steps are left out, but never the last one and never the position of a pause.
pub(super) fn played(step: &mut Step<'_>, id: UtteranceId, ms: u64) {
    let state = step.state();
    let Some(utterance) = state.playback.get(id).filter(|one| one.started_at.is_some()) else {
        return;
    };
    let ms = ms.min(utterance.ready_ms());
    let is_large = ms.saturating_sub(utterance.played_ms) >= state.config.timing.played_step_ms;
    let is_end = ms >= utterance.ready_ms();
    let is_held = state.playback.status == PlaybackStatus::Held;
    if ms > utterance.played_ms && (is_large || is_end || is_held) {
        step.record(AudioEvent::Arrived { utterance: id, piece: Piece::Played { ms } });
    }
}
