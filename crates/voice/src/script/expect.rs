//! Holds the output against what a script expects.

use super::print::OutputLine;
use super::statement::{Expectation, ExpectationKind};

/// The expectations that failed, each with its line.
pub(super) fn failures(expectations: &[Expectation], output: &[OutputLine]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut position = 0;
    for Expectation { line, kind, text } in expectations {
        let has = |output: &OutputLine| output.text.contains(text.as_str());
        match kind {
            ExpectationKind::Line => match output[position..].iter().position(has) {
                Some(at) => position += at + 1,
                None => failures.push(missing(*line, text, position, output)),
            },
            ExpectationKind::LineAt { ms } => {
                let found = output[position..].iter().position(|one| has(one) && one.at_ms == *ms);
                match found {
                    Some(at) => position += at + 1,
                    None => failures.push(wrong_time(*line, text, *ms, &output[position..])),
                }
            }
            ExpectationKind::Never => {
                if let Some(found) = output.iter().find(|one| has(one)) {
                    let at = seconds(found.at_ms);
                    failures.push(format!("line {line}: `{text}` came at {at}: {}", found.text));
                }
            }
            ExpectationKind::Times(times) => {
                let found = output.iter().filter(|one| has(one)).count();
                if found != *times {
                    failures.push(format!("line {line}: `{text}` came {found} times, not {times}"));
                }
            }
        }
    }
    failures
}

fn missing(line: usize, text: &str, position: usize, output: &[OutputLine]) -> String {
    match output[..position].iter().any(|one| one.text.contains(text)) {
        true => format!("line {line}: `{text}` came before the line expected above it"),
        false => format!("line {line}: `{text}` did not come"),
    }
}

fn wrong_time(line: usize, text: &str, ms: u64, output: &[OutputLine]) -> String {
    let wanted = seconds(ms);
    let times: Vec<_> =
        output.iter().filter(|one| one.text.contains(text)).map(|one| seconds(one.at_ms)).collect();
    match times.is_empty() {
        true => format!("line {line}: `{text}` did not come at {wanted}, nor later"),
        false => format!("line {line}: `{text}` came at {}, not at {wanted}", times.join(", ")),
    }
}

pub(super) fn seconds(ms: u64) -> String {
    format!("{}.{:03}s", ms / 1_000, ms % 1_000)
}
