//! The person speaks: a pause first, and a decision when it is clear what it was.

use policy::Timestamp;

use crate::command::{Command, RoadCommand};
use crate::config::{RespondsTo, TurnsBy};
use crate::event::{AudioEvent, UserEvent};
use crate::ids::SpeechId;
use crate::session::step::Step;
use crate::state::State;
use crate::state::ask::{AskPhase, OpenAsk};
use crate::state::call::Stage;
use crate::state::playback::PlaybackStatus;
use crate::state::user::{Speech, SpeechStatus};
use crate::words::answer::{has_words, is_backchannel};

/// Whether a person who speaks now would interrupt something.
pub(super) fn is_interruptible(state: &State) -> bool {
    match &state.ask {
        Some(ask) if ask.captures_speech() => matches!(ask.phase, AskPhase::Saying(_)),
        Some(_) | None => {
            let works = state.calls.of_model().any(|call| {
                call.turn == state.turn.number
                    && !state.turn.interrupted
                    && matches!(call.stage, Stage::Asked | Stage::Running)
            });
            works
                || state.turn.is_active()
                || !state.playback.queue.is_empty()
                || state.ending.is_some()
        }
    }
}

/// Speech counts when it interrupts nothing, when it has words, or when it is long.
pub(super) fn confirm(step: &mut Step<'_>) -> bool {
    let found = confirmable(step.state());
    let now = step.now();
    let Some((speech, _)) = found.into_iter().find(|(_, due)| *due <= now) else { return false };
    step.record(UserEvent::Confirmed { speech });
    let is_answer = step.state().ask.as_ref().is_some_and(OpenAsk::captures_speech);
    if !is_answer {
        step.road(RoadCommand::UserTurn { speech });
    }
    true
}

pub(super) fn confirm_due(state: &State) -> Option<Timestamp> {
    confirmable(state).into_iter().map(|(_, due)| due).min()
}

fn confirmable(state: &State) -> Vec<(SpeechId, Timestamp)> {
    let (timing, languages) = (&state.config.timing, &state.config.languages);
    let would_interrupt = is_interruptible(state);
    let due = |speech: &Speech| {
        if !would_interrupt || has_words(speech.words(), languages) {
            return Some((speech.id, speech.started_at));
        }
        let limit = match is_backchannel(speech.words(), languages) {
            true => timing.backchannel_ms,
            false => timing.interrupt_ms,
        };
        let due = speech.started_at.plus_ms(limit);
        let is_short = speech.ended_at.is_some_and(|end| end < due);
        (!is_short).then_some((speech.id, due))
    };
    let unconfirmed = |speech: &&Speech| speech.status == SpeechStatus::Unconfirmed;
    state.user.speeches.iter().filter(unconfirmed).filter_map(due).collect()
}

/// Playback pauses at the first sound.
pub(super) fn pause(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let (speaks, fade_ms) = (state.user.speaking().is_some(), state.config.timing.fade_ms);
    let Some(head) = state.playback.head() else { return false };
    if !speaks || state.playback.status != PlaybackStatus::Playing {
        return false;
    }
    let utterance = head.id;
    step.record(AudioEvent::Paused { utterance });
    step.command(Command::Pause { utterance, fade_ms });
    true
}

/// A noise or a sign of listening has passed: playback goes on where it was.
pub(super) fn ignore(step: &mut Step<'_>) -> bool {
    if !step.is_due(ignore_due(step.state())) {
        return false;
    }
    let speeches: Vec<SpeechId> = step.state().user.open().map(|speech| speech.id).collect();
    ignore_all(step, &speeches);
    true
}

/// Forgets these speeches, and lets held playback go on if nothing else holds it.
pub(super) fn ignore_all(step: &mut Step<'_>, speeches: &[SpeechId]) {
    for speech in speeches {
        step.record(UserEvent::Ignored { speech: *speech });
    }
    let state = step.state();
    let head = state.playback.head().map(|head| head.id);
    if let (Some(utterance), PlaybackStatus::Held) = (head, state.playback.status)
        && state.user.is_quiet()
    {
        step.record(AudioEvent::Resumed { utterance });
        step.command(Command::Resume { utterance });
    }
}

pub(super) fn ignore_due(state: &State) -> Option<Timestamp> {
    let open: Vec<&Speech> = state.user.open().collect();
    let is_noise = |speech: &&Speech| speech.status == SpeechStatus::Unconfirmed;
    if open.is_empty() || !open.iter().all(is_noise) {
        return None;
    }
    let ends: Option<Vec<Timestamp>> = open.iter().map(|speech| speech.ended_at).collect();
    let last = ends?.into_iter().max()?;
    // With words it would be confirmed; what is final and has none is nothing.
    match open.iter().all(|speech| speech.said.is_some()) {
        true => Some(last),
        false => Some(last.plus_ms(state.config.timing.resume_ms)),
    }
}

/// A transcript that does not come is empty.
pub(super) fn give_up_transcript(step: &mut Step<'_>) -> bool {
    let now = step.now();
    let missing = missing_transcripts(step.state());
    let Some((speech, _)) = missing.into_iter().find(|(_, due)| *due <= now) else { return false };
    step.note(format!("no transcript came for the speech {speech}"));
    step.record(UserEvent::Said { speech, text: String::new() });
    true
}

pub(super) fn transcript_due(state: &State) -> Option<Timestamp> {
    missing_transcripts(state).into_iter().map(|(_, due)| due).min()
}

/// Transcripts that something waits for.
fn missing_transcripts(state: &State) -> Vec<(SpeechId, Timestamp)> {
    let is_answer = state.ask.as_ref().is_some_and(OpenAsk::captures_speech);
    let by_transcript = state.config.road.responds_to == RespondsTo::Transcript;
    if !is_answer && (!by_transcript || state.config.road.turns == TurnsBy::Provider) {
        return Vec::new();
    }
    let wait = state.config.timing.transcript_ms;
    let due = |speech: &Speech| {
        let end = speech.ended_at.filter(|_| speech.said.is_none())?;
        Some((speech.id, end.plus_ms(wait)))
    };
    state.user.confirmed().filter_map(due).collect()
}
