//! Forms: begun, changed by hand, sent once, and their result told.
//!
//! A form that is sent is a call of the person: it passes the same engine as the page's own form,
//! may wait for an approval, and is answered once. Must hold: whoever sends a form first, by
//! voice or by hand, sends it; what comes later finds no form of that number.

use std::collections::BTreeMap;

use contract::{Action, Call, CallId, HandlerAnswer};
use serde_json::{Map, Value, json};

use crate::command::Command;
use crate::config::Presence;
use crate::event::{AskAbout, AskEvent, Asker, CallEvent, CallOutcome, CallResult, Purpose, Waits};
use crate::form::{Dialogue, Submission, UiForm};
use crate::session::asking::leave;
use crate::session::calling::run;
use crate::session::interrupt::close;
use crate::session::step::Step;
use crate::state::State;
use crate::state::ask::{AskBody, OpenAsk};
use crate::state::call::{OpenCall, Stage};

/// How many calls may be open when a form is begun.
const CALLS_MAX: usize = 32;
/// How much of a tool's message is read aloud.
const MESSAGE_CHARS_MAX: usize = 300;

/// A form that cannot be spoken is for the page, where there is one.
pub(super) fn wanted(
    step: &mut Step<'_>,
    tool: String,
    feature: Value,
    calls: BTreeMap<String, String>,
) {
    let state = step.state();
    if state.ask.is_some() || state.ending.is_some() || state.calls.open.len() >= CALLS_MAX {
        step.note(format!("the form of `{tool}` cannot be asked now: another question is open"));
        return;
    }
    if let Err(why) = UiForm::read(&feature) {
        let has_page = state.config.page_forms == Presence::Present;
        step.note(format!("the form of `{tool}` cannot be spoken: {why}"));
        if !has_page {
            return;
        }
    }
    step.record(AskEvent::Opened { question: AskAbout::Feature { tool, feature, calls } });
}

/// What is being said of the form ends: the person has seen it.
pub(super) fn edited(step: &mut Step<'_>, number: u32, answers: Map<String, Value>) {
    if open_form(step.state(), number).is_none() {
        return;
    }
    silence_question(step);
    step.record(AskEvent::FormEdited { answers });
}

/// A button of the form was pressed.
pub(super) fn submitted(step: &mut Step<'_>, number: u32, submission: Submission) {
    let about = open_form(step.state(), number).map(|ask| ask.about.clone());
    if let Some(AskAbout::Feature { tool, calls, .. }) = about {
        silence_question(step);
        send(step, tool, &calls, submission);
    }
}

/// The form of a tool is closed without being sent.
pub(super) fn closed(step: &mut Step<'_>, number: u32) {
    let about = open_form(step.state(), number).map(|ask| ask.about.clone());
    if matches!(about, Some(AskAbout::Feature { .. })) {
        leave(step, AskEvent::Closed, None);
    }
}

/// The engine has the answer to a handler's question: its call goes on, asked about or not.
pub(super) fn question_answered(step: &mut Step<'_>, call: &CallId, name: &str) {
    let state = step.state();
    let is_waiting = state.calls.get(call).is_some_and(|open| match &open.stage {
        Stage::Waiting(Waits::Form { name: asked, .. }) => asked == name,
        Stage::Waiting(Waits::Approval { .. })
        | Stage::Asked
        | Stage::Running
        | Stage::Settled(_) => false,
    });
    if !is_waiting {
        return;
    }
    if state.ask.as_ref().is_some_and(|ask| ask.call() == Some(call)) {
        leave(step, AskEvent::Closed, None);
    }
    run(step, call);
}

/// The page's form waits; without a page, nobody can answer.
pub(super) fn to_page(step: &mut Step<'_>) {
    match step.state().config.page_forms {
        Presence::Present => step.record(AskEvent::ToButton),
        Presence::Absent => cancel(step),
    }
}

/// The dialogue is over: its answer goes where the page's form would go.
pub(super) fn close_finished(step: &mut Step<'_>) -> bool {
    let Some(ask) = &step.state().ask else { return false };
    let Some(answer) = ask.dialogue().and_then(Dialogue::result) else { return false };
    finish(step, answer);
    true
}

pub(super) fn cancel(step: &mut Step<'_>) {
    finish(step, HandlerAnswer { action: Action::Cancel, content: Value::Null });
}

fn finish(step: &mut Step<'_>, answer: HandlerAnswer) {
    let Some(OpenAsk { about, body, .. }) = step.state().ask.clone() else { return };
    let say = &step.state().config.language().words().say;
    let cancelled = (answer.action != Action::Accept).then(|| say.form_cancelled.clone());
    match (about, body) {
        (AskAbout::Form { call }, AskBody::Form { name, .. }) => {
            step.record(AskEvent::FormFilled { answer: answer.clone() });
            step.command(Command::AnswerForm { call: call.clone(), name, answer });
            run(step, &call);
        }
        (AskAbout::Feature { tool, calls, .. }, AskBody::Feature { form, .. }) => {
            let submission = form.submission(&answer.content).filter(|_| cancelled.is_none());
            match submission {
                Some(submission) => send(step, tool, &calls, submission),
                None => step.record(AskEvent::Closed),
            }
        }
        (AskAbout::Approval { .. } | AskAbout::Form { .. } | AskAbout::Feature { .. }, _) => {
            step.record(AskEvent::Closed);
        }
    }
    if let Some(text) = cancelled
        && step.state().config.own.speech == Presence::Present
    {
        step.say(Purpose::Notice, text);
    }
}

/// Sends the form: from here on it is a call like any other.
fn send(
    step: &mut Step<'_>,
    tool: String,
    calls: &BTreeMap<String, String>,
    submission: Submission,
) {
    let state = step.state();
    // Unique in the conversation: its sessions open one after the other.
    let id = CallId(format!("form-{}-{}", state.asks, state.opened_at.0));
    let Submission { target, params } = submission.clone();
    let (called, handler) = match calls.get(&target) {
        Some(called) => (called.clone(), None),
        None => (tool.clone(), Some(target)),
    };
    step.record(AskEvent::FormSent { submission });
    let call = Call { id, tool: called, args: params };
    step.record(CallEvent::Asked { call, after: None, by: Asker::Form { tool, handler } });
}

/// Says how a form ended, in the words of its tool if it has any.
pub(super) fn tell(step: &mut Step<'_>, open: &OpenCall, result: &CallResult) {
    let state = step.state();
    let can_say = state.config.own.speech == Presence::Present && state.ending.is_none();
    if open.by.is_model() || !can_say {
        return;
    }
    let say = &state.config.language().words().say;
    let message = message_of(&result.content);
    let text = match (result.outcome, message) {
        (CallOutcome::Done, Some(message)) => message,
        (CallOutcome::Done, None) => say.form_sent.clone(),
        (CallOutcome::Failed, message) => with_reason(&say.form_failed, message),
        (CallOutcome::PartialEffects, message) => with_reason(&say.form_unsure, message),
    };
    step.say(Purpose::Notice, text);
}

/// What the model is told of a form that it did not ask for.
pub(super) fn for_model(open: &OpenCall, content: &Value) -> String {
    let (tool, args) = match &open.by {
        Asker::Form { tool, .. } => (tool, &open.call.args),
        Asker::Model => (&open.call.tool, &open.call.args),
    };
    format!(
        "The user filled in the form of `{tool}` and sent it: {args}. The result, which the user \
         was told: {content}"
    )
}

/// A process that ended may have sent a form to its handler, or not: nobody knows.
pub(super) fn unsure(state: &State) -> Vec<(CallId, CallResult)> {
    let lost = |open: &&OpenCall| open.is_running() && open.by.is_form_handler();
    let result = |open: &OpenCall| {
        let message = "The program ended while the form was being sent.";
        let content = json!({ "type": "CONFLICT", "message": message, "retryable": false });
        let (outcome, intents) = (CallOutcome::PartialEffects, Vec::new());
        (open.call.id.clone(), CallResult { intents, ..CallResult::new(content, outcome) })
    };
    state.calls.in_order().into_iter().filter(lost).map(result).collect()
}

fn open_form(state: &State, number: u32) -> Option<&OpenAsk> {
    state.ask.as_ref().filter(|ask| ask.number == number && ask.body.is_form())
}

fn silence_question(step: &mut Step<'_>) {
    let state = step.state();
    let ask = state.ask.as_ref();
    let mut queue = state.playback.queue.iter().map(|one| one.id);
    if let Some(utterance) = queue.find(|id| ask.is_some_and(|ask| ask.says(*id))) {
        close(step, utterance);
    }
}

fn message_of(content: &Value) -> Option<String> {
    let field = |name: &str| content.get(name).and_then(Value::as_str);
    let text = content.as_str().or_else(|| field("message")).or_else(|| field("error"))?.trim();
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    (!text.is_empty()).then_some(text)
}

fn with_reason(sentence: &str, reason: Option<String>) -> String {
    match reason {
        Some(reason) => format!("{sentence} {reason}"),
        None => sentence.to_owned(),
    }
}
