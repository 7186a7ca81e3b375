//! What a person's own words mean as an answer: yes, no, or neither.
//!
//! In: a final transcript. Out: a [`SpokenAnswer`]. Must hold: the lists are closed and the
//! whole transcript must be one of their entries, after case, punctuation and politeness are
//! taken away. A question ("yes?") is not an answer. Text of a model never comes here.

use serde::{Deserialize, Serialize};

use crate::words::language::Language;

/// The meaning of a transcript as an answer to a question of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpokenAnswer {
    Yes,
    No,
    /// Never a yes. The person is asked again, and then on the page.
    Unclear,
}

/// No answer is longer than this.
const CHARS_MAX: usize = 80;

/// Reads a transcript as an answer in any of the session's languages.
pub fn spoken_answer(text: &str, languages: &[Language]) -> SpokenAnswer {
    if text.chars().count() > CHARS_MAX || text.contains(['?', '¿', '？']) {
        return SpokenAnswer::Unclear;
    }
    let text = normalize(text);
    let means = |list: fn(Language) -> &'static [String]| {
        languages.iter().any(|language| {
            let bare = without_polite(&text, *language);
            list(*language).iter().any(|entry| *entry == text || *entry == bare)
        })
    };
    let (yes, no) = (means(|language| &language.words().yes), means(|l| &l.words().no));
    match (yes, no) {
        (true, false) => SpokenAnswer::Yes,
        (false, true) => SpokenAnswer::No,
        (true, true) | (false, false) => SpokenAnswer::Unclear,
    }
}

/// Whether these words only say that somebody listens.
pub fn is_backchannel(text: &str, languages: &[Language]) -> bool {
    let text = normalize(text);
    let is_listed = |text: &str| {
        languages
            .iter()
            .any(|language| language.words().backchannel.iter().any(|entry| entry == text))
    };
    !text.is_empty() && (is_listed(&text) || text.split(' ').all(is_listed))
}

/// Whether the text has words that are more than a sign of listening.
pub fn has_words(text: &str, languages: &[Language]) -> bool {
    !normalize(text).is_empty() && !is_backchannel(text, languages)
}

/// Lower case, words separated by single spaces, one kind of apostrophe, no punctuation.
/// Digits keep their decimal mark and date separators.
pub fn normalize(text: &str) -> String {
    let characters: Vec<char> = text.to_lowercase().chars().collect();
    let mut out = String::with_capacity(text.len());
    for (at, c) in characters.iter().enumerate() {
        let digit_at = |index: Option<usize>| {
            index.and_then(|i| characters.get(i)).is_some_and(char::is_ascii_digit)
        };
        let between_digits = digit_at(at.checked_sub(1)) && digit_at(at.checked_add(1));
        match c {
            '’' | 'ʼ' | '`' | '´' | '\'' => out.push('\''),
            '.' | ',' | ':' | '/' | '-' if between_digits => out.push(*c),
            '-' if digit_at(at.checked_add(1)) => {
                out.push(' ');
                out.push('-');
            }
            c if c.is_alphanumeric() => out.push(*c),
            // Kept, so that a text with hidden characters is in no list.
            c if !c.is_whitespace() && !c.is_ascii_punctuation() && !is_mark(*c) => out.push(*c),
            _ => out.push(' '),
        }
    }
    let words = out.split(' ').map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '…' | '«'
            | '»'
            | '“'
            | '”'
            | '„'
            | '‘'
            | '‚'
            | '–'
            | '—'
            | '¡'
            | '¿'
            | '。'
            | '，'
    )
}

/// The text without politeness, wherever it stands.
fn without_polite(text: &str, language: Language) -> String {
    let mut padded = format!(" {text} ");
    for polite in &language.words().polite {
        padded = padded.replace(&format!(" {polite} "), " ");
    }
    padded.trim().to_owned()
}

#[cfg(test)]
mod tests;
