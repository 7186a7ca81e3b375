//! What a person reads before approving: the tool, every argument, the earlier result.

use contract::{Answers, Contract, SideEffects};
use serde_json::Value;

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
    let Contract { tool_id, description, side_effects, .. } = call.contract.as_ref();
    let effect = match side_effects {
        SideEffects::None => "It changes nothing.",
        SideEffects::ReadOnly => "It reads, and changes nothing.",
        SideEffects::Writes => "It changes something outside this conversation.",
    };
    let mut lines = vec![
        format!("`{tool_id}` wants to run. {effect}"),
        format!("what it does: {}", visible(description, DESCRIPTION_CHARS_MAX)),
    ];
    lines.extend(argument_lines(&call.args));
    lines.extend(answer_lines(&call.answers));
    lines.extend(why.iter().map(|reason| format!("asked because: {}", reason.people)));
    lines.extend(earlier.map(|entry| earlier_line(entry, now)));
    lines.join("\n")
}

fn argument_lines(args: &Value) -> Vec<String> {
    let Value::Object(fields) = args else {
        return vec![format!("with: {}", visible_json(args, VALUE_CHARS_MAX))];
    };
    if fields.is_empty() {
        return vec!["with no arguments".to_owned()];
    }
    let line = |(name, value): (&String, &Value)| {
        format!("  {}: {}", visible(name, 80), visible_json(value, VALUE_CHARS_MAX))
    };
    let mut lines: Vec<String> = fields.iter().take(ARGUMENTS_MAX).map(line).collect();
    if fields.len() > ARGUMENTS_MAX {
        lines.push(format!("  [cut: {ARGUMENTS_MAX} of {} arguments shown]", fields.len()));
    }
    lines
}

/// The answers that the handler received.
fn answer_lines(answers: &Answers) -> Vec<String> {
    let line = |(name, answer): (&String, &contract::HandlerAnswer)| {
        let content = visible_json(&answer.content, VALUE_CHARS_MAX);
        format!("  asked for {}: {} {content}", visible(name, 80), answer.action)
    };
    answers.0.iter().map(line).collect()
}

/// The earlier result of the same call.
pub(crate) fn earlier_line(entry: &LedgerEntry, now: Timestamp) -> String {
    let ago = duration_text(now.ms_since(entry.changed_at()));
    let data = |data: &Value| visible_json(data, VALUE_CHARS_MAX);
    match &entry.state {
        LedgerState::Intended => {
            format!("before: the same was let run {ago} ago and has not started")
        }
        LedgerState::Started { .. } => format!("before: the same was started {ago} ago"),
        LedgerState::Done { data: done, .. } => {
            format!("before: the same was done {ago} ago, with the result {}", data(done))
        }
        LedgerState::Failed { error, .. } => {
            let message = visible(&error.message, VALUE_CHARS_MAX);
            format!("before: the same failed {ago} ago: {message}")
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
            format!(
                "before: the same started {ago} ago and nobody knows how it ended: {because}{late}"
            )
        }
    }
}
