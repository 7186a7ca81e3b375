//! The answer to a proposed change of the profile: a decision, or the author's own value.
//!
//! Must hold: nothing but a yes takes the proposal; whatever reads as a refusal, a question or
//! feedback on the draft is never a value.

use serde_json::{Value, json};

use super::parse::{Feedback, parse_feedback};
use crate::intent::Intent;
use crate::text::words;

/// The answer to a proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Yes,
    No,
    /// Not now.
    Later,
    /// End the session.
    Stop,
    Help,
    /// The author's own value; it is confirmed before it is written.
    Value(Value),
    /// To be asked again.
    Unclear,
}

/// Reads an answer; `proposed` has the type that a value must have.
pub fn parse_answer(line: &str, proposed: &Value) -> Answer {
    if let Some(given) = explicit(line) {
        return value(given, proposed, Said::Explicitly).map_or(Answer::Unclear, Answer::Value);
    }
    match Intent::of(line) {
        Some(Intent::Yes | Intent::Update) => Answer::Yes,
        Some(Intent::No) => Answer::No,
        Some(Intent::Later) => Answer::Later,
        Some(Intent::Stop) => Answer::Stop,
        Some(Intent::Help) => Answer::Help,
        Some(
            Intent::Save
            | Intent::SaveToNotion
            | Intent::Undo
            | Intent::Redo
            | Intent::StartOver
            | Intent::EditByHand
            | Intent::Nothing
            | Intent::Unclear,
        ) => Answer::Unclear,
        None if !is_statement(line) => Answer::Unclear,
        None => value(line.trim(), proposed, Said::Plainly).map_or(Answer::Unclear, Answer::Value),
    }
}

/// `= теплий`, «значення: теплий», `value: warm`.
fn explicit(line: &str) -> Option<&str> {
    const HEADS: [&str; 5] = ["=", "значення:", "своє:", "значение:", "value:"];
    let line = line.trim();
    let head = HEADS
        .iter()
        .find(|head| line.get(..head.len()).is_some_and(|start| start.to_lowercase() == **head))?;
    Some(line[head.len()..].trim()).filter(|rest| !rest.is_empty())
}

/// Could this be a value: not a question, not feedback, and not «так, але …»?
fn is_statement(line: &str) -> bool {
    let first = words(line).next().map(|word| word.text).unwrap_or_default();
    let decides = matches!(
        Intent::of(first),
        Some(Intent::Yes | Intent::Update | Intent::No | Intent::Later)
    );
    let is_feedback = matches!(parse_feedback(line), Feedback::Edit(_) | Feedback::Style(_));
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    !decides && !is_feedback && !line.trim_end().ends_with('?') && letters >= 2
        || line.trim().parse::<f64>().is_ok()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Plainly,
    Explicitly,
}

/// The value in the type of the field; none if it does not fit.
fn value(text: &str, proposed: &Value, said: Said) -> Option<Value> {
    match proposed {
        Value::Number(_) => {
            let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            digits.parse::<u64>().ok().filter(|number| *number > 0).map(|number| json!(number))
        }
        Value::Array(_) => {
            let items: Vec<&str> =
                text.split(';').map(str::trim).filter(|one| !one.is_empty()).collect();
            // One plain item would replace the whole list; that has to be said.
            let fits = items.len() > 1 || said == Said::Explicitly && !items.is_empty();
            fits.then(|| json!(items))
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => Some(json!(text)),
    }
}
