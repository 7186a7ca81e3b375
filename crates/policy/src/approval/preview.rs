//! What a person reads before approving: the tool, every argument, the earlier result.

use contract::{Answers, Contract, SideEffects};
use serde_json::Value;

use super::preview_line::{PreviewLine, PreviewLineKind};
use crate::display_text::{visible, visible_json};
use crate::ledger::{LateOutcome, LedgerEntry, LedgerState};
use crate::timestamp::duration_text;
use crate::{CheckedCall, Reason, Timestamp};

const DESCRIPTION_CHARS_MAX: usize = 200;
const VALUE_CHARS_MAX: usize = 400;
const ARGUMENTS_MAX: usize = 40;

/// The request as text. Nothing is hidden: invisible characters are escaped, and a cut is
/// marked.
pub(crate) fn preview(
    call: &CheckedCall,
    why: &[Reason],
    earlier: Option<&LedgerEntry>,
    now: Timestamp,
) -> String {
    let lines = lines(call, why, earlier, now);
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

pub(super) fn lines(
    call: &CheckedCall,
    why: &[Reason],
    earlier: Option<&LedgerEntry>,
    now: Timestamp,
) -> Vec<PreviewLine> {
    let Contract { tool_id, description, side_effects, .. } = call.contract().as_ref();
    let effect = match side_effects {
        SideEffects::None => "It changes nothing.",
        SideEffects::ReadOnly => "It reads, and changes nothing.",
        SideEffects::Writes => "It changes something outside this conversation.",
    };
    let summary = format!("`{tool_id}` wants to run. {effect}");
    let description = visible(description, DESCRIPTION_CHARS_MAX);
    let mut lines = vec![
        PreviewLine::new(PreviewLineKind::Text, summary),
        PreviewLine::new(PreviewLineKind::Description, description),
    ];
    lines.extend(argument_lines(call.args()));
    lines.extend(answer_lines(call.answers()));
    let reasons = why.iter().map(|reason| one_line(&reason.people));
    lines.extend(reasons.map(|text| PreviewLine::new(PreviewLineKind::Reason, text)));
    lines.extend(earlier.map(|entry| earlier_line(entry, now)));
    lines
}

/// An operator may write a reason of several lines.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    visible(&lines.join(" "), usize::MAX)
}

fn argument_lines(args: &Value) -> Vec<PreviewLine> {
    let text = |text: String| PreviewLine::new(PreviewLineKind::Text, text);
    let Value::Object(fields) = args else {
        return vec![text(format!("with: {}", visible_json(args, VALUE_CHARS_MAX)))];
    };
    if fields.is_empty() {
        return vec![text("with no arguments".to_owned())];
    }
    let line = |(name, value): (&String, &Value)| {
        let value = visible_json(value, VALUE_CHARS_MAX);
        PreviewLine::named(PreviewLineKind::Argument, name, value)
    };
    let mut lines: Vec<PreviewLine> = fields.iter().take(ARGUMENTS_MAX).map(line).collect();
    if fields.len() > ARGUMENTS_MAX {
        let cut = format!("[cut: {ARGUMENTS_MAX} of {} arguments shown]", fields.len());
        lines.push(PreviewLine::new(PreviewLineKind::Argument, cut));
    }
    lines
}

/// The answers that the handler received.
fn answer_lines(answers: &Answers) -> Vec<PreviewLine> {
    let line = |(name, answer): (&String, &contract::HandlerAnswer)| {
        let content = visible_json(&answer.content, VALUE_CHARS_MAX);
        let text = format!("{} {content}", answer.action);
        PreviewLine::named(PreviewLineKind::Answer, name, text)
    };
    answers.0.iter().map(line).collect()
}

/// The earlier result of the same call.
pub(crate) fn earlier_line(entry: &LedgerEntry, now: Timestamp) -> PreviewLine {
    let ago = duration_text(now.ms_since(entry.changed_at()));
    let data = |data: &Value| visible_json(data, VALUE_CHARS_MAX);
    let text = match &entry.state {
        LedgerState::Intended => format!("the same was approved {ago} ago and has not started"),
        LedgerState::Started { .. } => format!("the same was started {ago} ago"),
        LedgerState::Done { data: done, .. } => {
            format!("the same was done {ago} ago, with the result {}", data(done))
        }
        LedgerState::Failed { error, .. } => {
            let message = visible(&error.message, VALUE_CHARS_MAX);
            format!("the same failed {ago} ago: {message}")
        }
        LedgerState::InDoubt { because, late, .. } => {
            let because = visible(because, VALUE_CHARS_MAX);
            let late = match late {
                Some(LateOutcome::Data(late)) => format!("; later it answered {}", data(late)),
                Some(LateOutcome::Error(error)) => {
                    format!("; later it failed: {}", visible(&error.message, VALUE_CHARS_MAX))
                }
                None => String::new(),
            };
            format!("the same started {ago} ago, and its outcome is unknown: {because}{late}")
        }
    };
    PreviewLine::new(PreviewLineKind::Earlier, text)
}
