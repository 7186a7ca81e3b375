//! What the person does: speech, and its words.

use crate::command::Command;
use crate::config::Transcribes;
use crate::event::UserEvent;
use crate::ids::SpeechId;
use crate::session::step::Step;
use crate::state::ask::OpenAsk;
use crate::state::user::SpeechStatus;

pub(super) fn speech_started(step: &mut Step<'_>) {
    let state = step.state();
    let ends_with_turn =
        state.ending.as_ref().is_some_and(|ending| ending.after == contract::After::CurrentTurn);
    if state.user.speaking().is_some() || ends_with_turn {
        return;
    }
    let speech = state.user.last.next();
    step.record(UserEvent::SpeechStarted { speech });
}

/// Our own transcription writes down what the provider does not.
pub(super) fn speech_ended(step: &mut Step<'_>) {
    let Some(speaking) = step.state().user.speaking() else { return };
    let (speech, status) = (speaking.id, speaking.status);
    step.record(UserEvent::SpeechEnded { speech });
    let is_answer = step.state().ask.as_ref().is_some_and(OpenAsk::captures_speech);
    let by_provider = match step.state().config.road.transcribes {
        Transcribes::Everything => true,
        Transcribes::NotAnswers => !is_answer,
        Transcribes::Turns => !is_answer && status == SpeechStatus::Confirmed,
        Transcribes::Nothing => false,
    };
    if !by_provider {
        step.command(Command::Transcribe { speech });
    }
}

pub(super) fn partial(step: &mut Step<'_>, text: String) {
    let user = &step.state().user;
    let speech = user.speaking().or_else(|| user.untranscribed()).map(|speech| speech.id);
    if let Some(speech) = speech {
        step.record(UserEvent::Partial { speech, text });
    }
}

pub(super) fn said(step: &mut Step<'_>, speech: Option<SpeechId>, text: String) {
    let user = &step.state().user;
    let found = match speech {
        Some(id) => user.get(id).filter(|speech| speech.said.is_none()),
        None => user.untranscribed(),
    };
    match found.map(|speech| speech.id) {
        Some(speech) => step.record(UserEvent::Said { speech, text }),
        None => step.note(format!("a transcript without speech: {text}")),
    }
}
