//! A yes or a no in a person's own words.
//!
//! The list is closed, and the whole message must be one of its words: a sentence that
//! begins with "yes" may continue with anything, and "yes?" is a question. Only text that a
//! person wrote through the host is read here, never that of a model or a tool.

/// What a word means as the answer to an open request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainAnswer {
    Yes,
    No,
}

const YES: [&str; 16] = [
    "yes",
    "y",
    "yeah",
    "yep",
    "ok",
    "okay",
    "approve",
    "так",
    "ага",
    "ок",
    "гаразд",
    "добре",
    "да",
    "хорошо",
    "ладно",
    "згода",
];
const NO: [&str; 8] = ["no", "n", "nope", "decline", "ні", "нет", "не треба", "не надо"];

/// No answer is longer than this.
const CHARS_MAX: usize = 40;

/// The answer, if the whole message is one word that approves or declines.
pub fn plain_answer(message: &str) -> Option<PlainAnswer> {
    if message.chars().count() > CHARS_MAX {
        return None;
    }
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '.' | '!' | ',' | '"' | '\'' | '…');
    let word = message.trim_matches(is_mark).to_lowercase();
    let is_in = |words: &[&str]| words.contains(&word.as_str());
    match (is_in(&YES), is_in(&NO)) {
        (true, _) => Some(PlainAnswer::Yes),
        (_, true) => Some(PlainAnswer::No),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests;
