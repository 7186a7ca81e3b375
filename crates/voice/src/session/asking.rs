//! Questions to the person: an approval that is read back, or a form, one at a time.

use policy::{ApprovalChoice, ApprovalScope, RequestId, Timestamp};

use crate::command::Command;
use crate::config::Presence;
use crate::event::{AskAbout, AskEvent, Purpose, UserEvent, Waits};
use crate::session::calling::run;
use crate::session::forms;
use crate::session::interrupt::close;
use crate::session::step::Step;
use crate::state::State;
use crate::state::ask::{AskBody, AskPhase, OpenAsk};
use crate::state::call::Stage;
use crate::state::user::Speech;
use crate::words::answer::{SpokenAnswer, normalize, spoken_answer};
use crate::words::readback::ReadBack;

/// Asks about the next call that waits for a person, when the person is silent. The model may
/// already have the answer that the call is still open.
pub(super) fn open(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_quiet = state.user.is_quiet();
    if state.ask.is_some() || state.ending.is_some() || !is_quiet {
        return false;
    }
    let question = state.calls.in_order().into_iter().find_map(|open| match &open.stage {
        Stage::Waiting(Waits::Approval { .. }) => {
            Some(AskAbout::Approval { call: open.call.id.clone() })
        }
        Stage::Waiting(Waits::Form { .. }) => Some(AskAbout::Form { call: open.call.id.clone() }),
        Stage::Asked | Stage::Running | Stage::Settled(_) => None,
    });
    let Some(question) = question else { return false };
    step.record(AskEvent::Opened { question });
    true
}

/// Says the question, when the person is silent.
pub(super) fn say(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let Some(AskPhase::ToSay(text)) = state.ask.as_ref().map(|ask| &ask.phase) else {
        return false;
    };
    if !state.user.is_quiet() {
        return false;
    }
    let text = text.clone();
    step.say(Purpose::Question, text);
    true
}

/// The next final transcript is the answer.
pub(super) fn hear(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let Some(ask) = &state.ask else { return false };
    let is_between = matches!(ask.phase, AskPhase::ToSay(_));
    if !is_between && !matches!(ask.phase, AskPhase::Listening { .. } | AskPhase::Unheard) {
        return false;
    }
    let Some(speech) = state.user.open().find(|one| one.ended_at.is_some() && one.said.is_some())
    else {
        return false;
    };
    let (id, text) = (speech.id, speech.words().to_owned());
    // Before a question is said again, only a no counts.
    let says_no = spoken_answer(&text, &state.config.languages) == SpokenAnswer::No;
    if normalize(&text).is_empty() || (is_between && !says_no) {
        step.record(UserEvent::Ignored { speech: id });
        return true;
    }
    match &ask.body {
        AskBody::OnPage { .. } => return false,
        AskBody::Form { .. } | AskBody::Feature { .. } => {
            step.record(AskEvent::FormHeard { speech: id, text });
        }
        AskBody::Approval { request, .. } => {
            let request = request.clone();
            let answer = meaning(state, ask, speech);
            step.record(AskEvent::Answered { speech: id, text, answer });
            match answer {
                SpokenAnswer::Yes => {
                    let choice = ApprovalChoice::Approve { scope: ApprovalScope::ThisCall };
                    answer_approval(step, AskEvent::Approved, request, choice);
                }
                SpokenAnswer::No => {
                    let choice = ApprovalChoice::Decline { reason: None };
                    answer_approval(step, AskEvent::Declined, request, choice);
                }
                SpokenAnswer::Unclear => {}
            }
        }
    }
    true
}

/// A yes counts only if the whole read-back was heard before the person began to speak.
fn meaning(state: &State, ask: &OpenAsk, speech: &Speech) -> SpokenAnswer {
    let answer = spoken_answer(speech.words(), &state.config.languages);
    let heard_all = match ask.phase {
        AskPhase::Listening { since } => since <= speech.started_at,
        AskPhase::ToSay(_)
        | AskPhase::Saying(_)
        | AskPhase::Unheard
        | AskPhase::NeedsButton
        | AskPhase::Button
        | AskPhase::Over => false,
    };
    match answer {
        SpokenAnswer::Yes if !heard_all => SpokenAnswer::Unclear,
        SpokenAnswer::Yes | SpokenAnswer::No | SpokenAnswer::Unclear => answer,
    }
}

fn answer_approval(
    step: &mut Step<'_>,
    event: AskEvent,
    request: RequestId,
    choice: ApprovalChoice,
) {
    let call = step.state().ask.as_ref().and_then(|ask| ask.call().cloned());
    step.record(event);
    step.command(Command::HideButton { request: request.clone() });
    step.command(Command::AnswerApproval { request, choice });
    if let Some(call) = call {
        run(step, &call);
    }
}

/// Speech cannot settle it: the page is asked. Without a page, a form is closed.
pub(super) fn to_button(step: &mut Step<'_>) -> bool {
    let Some(ask) = step.state().ask.as_ref().filter(|ask| ask.phase == AskPhase::NeedsButton)
    else {
        return false;
    };
    match &ask.body {
        AskBody::Approval { request, read_back, .. } => {
            let (request, read_back) = (request.clone(), read_back.clone());
            if let ReadBack::Button(why) = read_back {
                step.note(format!("a spoken answer is not enough: {why}"));
            }
            let config = &step.state().config;
            let can_say = config.own.speech == Presence::Present;
            let text = config.language().words().say.approval_button.clone();
            step.record(AskEvent::ToButton);
            step.command(Command::ShowButton { request });
            if can_say {
                step.say(Purpose::Notice, text);
            }
        }
        AskBody::OnPage { .. } => {
            let config = &step.state().config;
            let can_say = config.own.speech == Presence::Present;
            let text = config.language().words().say.form_on_page.clone();
            step.record(AskEvent::ToButton);
            if can_say {
                step.say(Purpose::Notice, text);
            }
        }
        AskBody::Form { .. } | AskBody::Feature { .. } => forms::to_page(step),
    }
    true
}

/// No answer comes: it goes to the page. A form that waits there too long is closed.
pub(super) fn give_up(step: &mut Step<'_>) -> bool {
    if !step.is_due(silence_due(step.state())) {
        return false;
    }
    match step.state().ask.as_ref().map(|ask| &ask.body) {
        Some(AskBody::Approval { request, .. }) => {
            let request = request.clone();
            step.record(AskEvent::ToButton);
            step.command(Command::ShowButton { request });
        }
        Some(AskBody::Form { .. } | AskBody::Feature { .. } | AskBody::OnPage { .. }) => {
            let is_on_page =
                step.state().ask.as_ref().is_some_and(|ask| ask.phase == AskPhase::Button);
            match is_on_page {
                true => forms::cancel(step),
                false => forms::to_page(step),
            }
        }
        None => {}
    }
    true
}

pub(super) fn silence_due(state: &State) -> Option<Timestamp> {
    let ask = state.ask.as_ref()?;
    let timing = &state.config.timing;
    match ask.phase {
        AskPhase::Listening { since } => {
            let since = since.max(state.user.silent_since).max(ask.touched_at);
            state.user.is_quiet().then(|| since.plus_ms(timing.question_ms))
        }
        AskPhase::Button if ask.body.is_form() => Some(ask.touched_at.plus_ms(timing.by_hand_ms)),
        AskPhase::ToSay(_)
        | AskPhase::Saying(_)
        | AskPhase::Unheard
        | AskPhase::NeedsButton
        | AskPhase::Button
        | AskPhase::Over => None,
    }
}

/// The question was cut off, and then nothing was said.
pub(super) fn repeat_unheard(step: &mut Step<'_>) -> bool {
    let state = step.state();
    let is_unheard = state.ask.as_ref().is_some_and(|ask| ask.phase == AskPhase::Unheard);
    if !is_unheard || !state.user.is_quiet() {
        return false;
    }
    step.record(AskEvent::NotHeard);
    true
}

/// The approval expired; the engine settles the call as it does without a session.
pub(super) fn expire(step: &mut Step<'_>) -> bool {
    if !step.is_due(expiry_due(step.state())) {
        return false;
    }
    let Some(OpenAsk { body: AskBody::Approval { request, .. }, .. }) = &step.state().ask else {
        return false;
    };
    let request = request.clone();
    close_ask(step, AskEvent::Expired, request);
    true
}

pub(super) fn expiry_due(state: &State) -> Option<Timestamp> {
    match &state.ask.as_ref()?.body {
        AskBody::Approval { expires_at, .. } => Some(*expires_at),
        AskBody::Form { .. } | AskBody::Feature { .. } | AskBody::OnPage { .. } => None,
    }
}

/// The page answered: the call goes on, whether it was asked about aloud or not.
pub(super) fn answered_elsewhere(step: &mut Step<'_>, request: &RequestId) {
    let state = step.state();
    let asked = |stage: &Stage| match stage {
        Stage::Waiting(Waits::Approval { request, .. }) => Some(request.clone()),
        Stage::Waiting(Waits::Form { .. }) | Stage::Asked | Stage::Running | Stage::Settled(_) => {
            None
        }
    };
    let mut calls = state.calls.open.values();
    let call = calls.find(|open| asked(&open.stage).as_ref() == Some(request));
    let Some(call) = call.map(|open| open.call.id.clone()) else { return };
    let is_open = state.ask.as_ref().is_some_and(|ask| ask.call() == Some(&call));
    match is_open {
        true => close_ask(step, AskEvent::Closed, request.clone()),
        false => run(step, &call),
    }
}

/// An approval that was answered on the page, or that expired: its call goes on.
fn close_ask(step: &mut Step<'_>, event: AskEvent, request: RequestId) {
    let call = step.state().ask.as_ref().and_then(|ask| ask.call().cloned());
    leave(step, event, Some(request));
    if let Some(call) = call {
        run(step, &call);
    }
}

/// The session ends: the question that is open is not asked any further.
pub(super) fn withdraw(step: &mut Step<'_>) {
    let Some(ask) = &step.state().ask else { return };
    let request = match &ask.body {
        AskBody::Approval { request, .. } => Some(request.clone()),
        AskBody::Form { .. } | AskBody::Feature { .. } | AskBody::OnPage { .. } => None,
    };
    leave(step, AskEvent::Closed, request);
}

/// Ends a question, and what is being said of it.
pub(super) fn leave(step: &mut Step<'_>, event: AskEvent, request: Option<RequestId>) {
    let queue = &step.state().playback.queue;
    let ask = step.state().ask.as_ref();
    let saying = queue.iter().map(|one| one.id).find(|id| ask.is_some_and(|ask| ask.says(*id)));
    step.record(event);
    if let Some(request) = request {
        step.command(Command::HideButton { request });
    }
    if let Some(utterance) = saying {
        close(step, utterance);
    }
}
