//! Fillers while calls run: nothing at first, then a tone, then a short phrase, each once a turn.

use policy::Timestamp;

use crate::command::Command;
use crate::config::Presence;
use crate::event::{AudioEvent, Purpose, Speaking};
use crate::session::step::Step;
use crate::state::State;

pub(super) fn tone(step: &mut Step<'_>) -> bool {
    if !step.is_due(tone_due(step.state())) {
        return false;
    }
    step.record(AudioEvent::Tone);
    step.command(Command::Tone);
    true
}

pub(super) fn phrase(step: &mut Step<'_>) -> bool {
    if !step.is_due(phrase_due(step.state())) {
        return false;
    }
    let phrase = step.state().config.language().words().say.one_moment.clone();
    step.say(Purpose::Filler, phrase);
    true
}

pub(super) fn due(state: &State) -> Option<Timestamp> {
    [tone_due(state), phrase_due(state)].into_iter().flatten().min()
}

/// A silence while calls run.
struct Silence {
    since: Timestamp,
    /// The longest latency budget of the calls.
    expected_ms: u64,
}

/// None while anybody speaks, is about to, or is asked something.
fn silence(state: &State) -> Option<Silence> {
    let is_quiet = state.user.is_quiet()
        && state.playback.queue.is_empty()
        && state.ask.is_none()
        && state.ending.is_none();
    if !is_quiet {
        return None;
    }
    let calls = state.calls.unanswered().filter(|open| {
        let is_awaited = open.speaking == Speaking::Speaks || !open.by.is_model();
        open.is_running() && open.turn == state.turn.number && is_awaited
    });
    let (mut since, mut expected_ms) = (None, 0);
    for open in calls {
        let budget = state.config.tool(&open.call.tool).latency_budget_ms;
        expected_ms = expected_ms.max(u64::from(budget));
        since = since.min(open.started_at).or(open.started_at);
    }
    let since = since?.max(state.playback.idle_since).max(state.user.silent_since);
    Some(Silence { since, expected_ms })
}

fn tone_due(state: &State) -> Option<Timestamp> {
    let timing = &state.config.timing;
    let silence = silence(state)?;
    // Where a phrase comes at once, a tone before it says nothing.
    let phrase_comes = silence.expected_ms > timing.phrase_ms && can_say(state);
    let used = state.turn.fillers.tone || state.turn.fillers.phrase;
    (!used && !phrase_comes).then(|| silence.since.plus_ms(timing.tone_ms))
}

fn phrase_due(state: &State) -> Option<Timestamp> {
    let timing = &state.config.timing;
    let silence = silence(state)?;
    let wait = match silence.expected_ms > timing.phrase_ms {
        true => timing.tone_ms,
        false => timing.phrase_ms,
    };
    (!state.turn.fillers.phrase && can_say(state)).then(|| silence.since.plus_ms(wait))
}

fn can_say(state: &State) -> bool {
    state.config.own.speech == Presence::Present
}
