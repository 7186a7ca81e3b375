//! Intents of a settled call, in their order; the end of the session comes last.

use contract::{After, Intent};

use crate::config::{EndingRules, InterruptedEnding};
use crate::event::{CallEvent, CallOutcome, CallResult, Speaking};
use crate::session::ending;
use crate::session::step::Step;
use crate::state::call::OpenCall;

/// Applies what a call asked of the session. After an interruption only what cannot be taken
/// back by speaking counts; after a failure only a message for later.
pub(super) fn apply(step: &mut Step<'_>, open: &OpenCall, result: &CallResult) {
    let is_pending = |intent: &&Intent| matches!(intent, Intent::SetPendingMessage { .. });
    let only_pending = result.outcome != CallOutcome::Done || open.speaking == Speaking::Silent;
    let (ends, others): (Vec<_>, Vec<_>) =
        result.intents.iter().partition(|intent| matches!(intent, Intent::EndVoiceSession { .. }));
    for intent in others.into_iter().filter(|intent| !only_pending || is_pending(intent)) {
        let (call, intent) = (open.call.id.clone(), intent.clone());
        step.record(CallEvent::IntentApplied { call, intent });
    }
    let after = ends.iter().rev().find_map(|intent| match intent {
        Intent::EndVoiceSession { after } => Some(*after),
        Intent::SuppressAudio { .. }
        | Intent::SuppressTranscript { .. }
        | Intent::SetPendingMessage { .. } => None,
    });
    if let Some(after) = after {
        end(step, open, result, after);
    }
}

fn end(step: &mut Step<'_>, open: &OpenCall, result: &CallResult, after: After) {
    let tool = &open.call.tool;
    if result.outcome != CallOutcome::Done {
        step.note(format!("`{tool}` failed, so it does not end the session"));
        return;
    }
    let cause = EndingRules::cause(tool, &open.call.args);
    let rules = &step.state().config.ending;
    let (rule, farewell) = (rules.rule(&cause), rules.farewell(&open.call.args));
    if open.speaking == Speaking::Silent && rule == InterruptedEnding::GoesOn {
        step.note(format!("`{tool}` does not end the session, because the person spoke"));
        return;
    }
    let (call, intent) = (open.call.id.clone(), Intent::EndVoiceSession { after });
    step.record(CallEvent::IntentApplied { call, intent });
    ending::begin(step, &cause, after, farewell);
}
