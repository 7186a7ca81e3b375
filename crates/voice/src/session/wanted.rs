//! What the state wants to be under way: speech requests, and whom the microphone is for.
//!
//! Neither is recorded: both follow from the state, so the commands are the difference between
//! two states.

use std::collections::BTreeMap;

use contract::After;

use crate::command::{Command, ListenTo, RoadCommand};
use crate::ids::UtteranceId;
use crate::state::State;
use crate::state::ask::OpenAsk;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// How many sentences of each utterance should have been asked for.
    sentences: BTreeMap<UtteranceId, usize>,
    listen: ListenTo,
}

impl Wanted {
    pub(super) fn of(state: &State) -> Self {
        let wanted = |utterance: &crate::state::utterance::Utterance| {
            (utterance.id, utterance.wanted_sentences(&state.config))
        };
        let sentences = state.playback.queue.iter().map(wanted).collect();
        Self { sentences, listen: listen_to(state) }
    }

    /// The commands that lead here from an earlier state.
    pub(super) fn since(&self, before: &Self, state: &State) -> Vec<Command> {
        if state.is_over() {
            return Vec::new();
        }
        let mut commands = Vec::new();
        if self.listen != before.listen {
            commands.push(Command::Road(RoadCommand::Listen(self.listen)));
        }
        for (id, wanted) in &self.sentences {
            let asked = before.sentences.get(id).copied().unwrap_or_default();
            commands.extend(speak(state, *id, asked..*wanted));
        }
        commands
    }
}

fn listen_to(state: &State) -> ListenTo {
    let ends_with_turn =
        state.ending.as_ref().is_some_and(|ending| ending.after == After::CurrentTurn);
    if ends_with_turn {
        return ListenTo::Off;
    }
    match state.ask.as_ref().is_some_and(OpenAsk::captures_speech) {
        true => ListenTo::Us,
        false => ListenTo::Model,
    }
}

fn speak(state: &State, id: UtteranceId, sentences: std::ops::Range<usize>) -> Vec<Command> {
    let Some(utterance) = state.playback.get(id) else { return Vec::new() };
    let ranges = utterance.sentences(&state.config);
    let request = |at: usize| {
        let text = utterance.text.get(ranges.get(at)?.clone())?.trim().to_owned();
        Some(Command::Speak { utterance: id, sentence: u32::try_from(at).ok()?, text })
    };
    sentences.filter_map(request).collect()
}

/// What a new process starts again.
pub(super) fn restart(state: &State) -> Vec<Command> {
    let mut commands = Vec::new();
    for call in state.calls.in_order().into_iter().filter(|call| call.is_running()) {
        let (call, by) = (call.call.clone(), call.by.clone());
        commands.push(Command::RunCall { call, by });
    }
    for utterance in &state.playback.queue {
        let wanted = utterance.wanted_sentences(&state.config);
        let has_all = |at: &usize| utterance.audio.get(*at).is_some_and(|audio| audio.done);
        let first = (0..wanted).find(|at| !has_all(at)).unwrap_or(wanted);
        commands.extend(speak(state, utterance.id, first..wanted));
    }
    let ended = state.user.open().filter(|one| one.ended_at.is_some() && one.said.is_none());
    commands.extend(ended.map(|speech| Command::Transcribe { speech: speech.id }));
    commands
}
