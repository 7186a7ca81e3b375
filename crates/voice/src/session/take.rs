//! Takes an input as a fact: recorded if it is new and still matters.

mod answers;
mod calls;
mod user;

use crate::command::Command;
use crate::event::{AnswerEnd, AudioEvent, CallEvent, Context, Piece, SessionEvent, TurnEvent};
use crate::ids::UtteranceId;
use crate::input::Input;
use crate::session::step::Step;
use crate::session::{asking, ending, forms, interrupt};
use crate::state::LinkStatus;

pub(super) fn take(step: &mut Step<'_>, input: Input) {
    match input {
        Input::Ready => ready(step),
        Input::ConnectionLost => connection_lost(step),
        Input::ConnectionRestored { context } => {
            step.record(SessionEvent::ConnectionRestored { context });
        }
        Input::GoingAway { ms_left } => {
            let by = step.now().plus_ms(ms_left);
            step.record(SessionEvent::GoingAway { by });
        }
        Input::SpeechStarted => user::speech_started(step),
        Input::SpeechEnded => user::speech_ended(step),
        Input::Partial { text } => user::partial(step, text),
        Input::Said { speech, text } => user::said(step, speech, text),
        Input::AnswerStarted { answer } => answers::answer_started(step, answer),
        Input::AnswerText { answer, text, until_ms } => {
            answers::arrived(step, &answer, Piece::Text { text, until_ms });
        }
        Input::AnswerAudio { answer, ms } => {
            answers::arrived(step, &answer, Piece::Audio { sentence: 0, ms })
        }
        Input::AnswerEnded { answer, end } => answers::arrived(step, &answer, Piece::Ended { end }),
        Input::TurnDone => {
            if step.state().turn.is_active() {
                step.record(TurnEvent::Done);
            }
        }
        Input::CallAsked { call } => calls::call_asked(step, call),
        Input::CallMalformed { call, tool, message } => {
            calls::call_malformed(step, &call, tool, &message)
        }
        Input::CallsWithdrawn { calls } => {
            calls.iter().for_each(|call| calls::withdrawn(step, call))
        }
        Input::SpeechAudio { utterance, sentence, ms } => {
            answers::own_speech(step, utterance, Piece::Audio { sentence, ms });
        }
        Input::SentenceReady { utterance, sentence } => {
            answers::own_speech(step, utterance, Piece::SentenceReady { sentence });
        }
        Input::SpeechFailed { utterance } => answers::speech_failed(step, utterance),
        Input::Played { utterance, ms } => answers::played(step, utterance, ms),
        Input::Interrupt => interrupt::by_button(step),
        Input::ApprovalAnswered { request } => asking::answered_elsewhere(step, &request),
        Input::FormWanted { tool, feature, calls } => forms::wanted(step, tool, feature, calls),
        Input::FormEdited { form, answers } => forms::edited(step, form, answers),
        Input::FormSubmitted { form, submission } => forms::submitted(step, form, submission),
        Input::FormClosed { form } => forms::closed(step, form),
        Input::QuestionAnswered { call, name } => forms::question_answered(step, &call, &name),
        Input::CallWaits { call, waits } => {
            if calls::is_unsettled(step, &call) {
                step.record(CallEvent::Waits { call, waits });
            }
        }
        Input::CallMessage { call, message } => {
            if step.state().calls.get(&call).is_some() {
                step.record(CallEvent::Message { call, message });
            }
        }
        Input::CallSettled { call, result } => calls::call_settled(step, call, result),
        Input::Noted { text } => step.note(text),
        Input::Stop { cause } => ending::begin(step, &cause, contract::After::Immediate, None),
        Input::Tick => {}
    }
}

/// The first connection; or the first of another process, whose provider knows nothing of before.
fn ready(step: &mut Step<'_>) {
    match step.state().link.status {
        LinkStatus::Opening | LinkStatus::Up => step.record(SessionEvent::Ready),
        LinkStatus::Down => {
            step.record(SessionEvent::ConnectionRestored { context: Context::Fresh });
        }
    }
}

fn connection_lost(step: &mut Step<'_>) {
    let open: Vec<UtteranceId> = step
        .state()
        .playback
        .queue
        .iter()
        .filter(|utterance| !utterance.ended)
        .map(|utterance| utterance.id)
        .collect();
    for utterance in open {
        let piece = Piece::Ended { end: AnswerEnd::Lost };
        step.record(AudioEvent::Arrived { utterance, piece });
    }
    step.record(SessionEvent::ConnectionLost);
    let by = step.now();
    step.command(Command::Reconnect { by });
}
