//! A yes or a no in a person's own words.
//!
//! The list is closed, and the whole message must be one of its words: a sentence that
//! begins with "yes" may say anything after it, and "yes?" is a question. Only what a person
//! wrote through the host is ever read here, never the text of a model or of a tool.

/// What a word means as the answer to an open question.
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

/// Is the whole message one word that agrees or declines?
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
