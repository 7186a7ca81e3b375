//! Whole words and phrases in a text: found, replaced, removed.
//!
//! Must hold: a word inside another word, or one of its inflected forms, is never touched.

use std::ops::Range;

use crate::text::stem::stem;
use crate::text::{fold, is_apostrophe, words};

/// The places of a phrase inside a scope, as whole words, in any case.
pub(super) fn places(text: &str, phrase: &str, scope: Range<usize>) -> Vec<Range<usize>> {
    let wanted: Vec<char> = fold(phrase.trim()).chars().collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text[scope.clone()].char_indices() {
        let start = scope.start + at;
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let Some(length) = length_of_match(&text[start..scope.end], &wanted) else { continue };
        let span = start..start + length;
        if stands_alone(text, &span) {
            found.push(span);
        }
    }
    found
}

/// The bytes that match the folded characters.
fn length_of_match(text: &str, wanted: &[char]) -> Option<usize> {
    let mut left = wanted.iter();
    for (at, c) in text.char_indices() {
        let mut folded = folded(c).peekable();
        while let Some(one) = folded.next() {
            match left.next() {
                Some(next) if *next == one => {}
                Some(_) | None => return None,
            }
            if left.len() == 0 && folded.peek().is_none() {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| match c {
        'ё' => 'е',
        c if is_apostrophe(c) => '\'',
        c => c,
    })
}

/// Is there no letter, digit, or part of a compound word on either side?
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let phrase = &text[span.clone()];
    let mut before = text[..span.start].chars().rev();
    let mut after = text[span.end..].chars();
    let joins = |near: Option<char>, far: Option<char>| match near {
        Some(c) if c.is_alphanumeric() || c == '_' => true,
        Some(c) if is_apostrophe(c) || c == '-' => far.is_some_and(char::is_alphanumeric),
        Some(_) | None => false,
    };
    let (near_before, far_before) = (before.next(), before.next());
    let (near_after, far_after) = (after.next(), after.next());
    let begins = phrase.starts_with(char::is_alphanumeric);
    let ends = phrase.ends_with(char::is_alphanumeric);
    let runs_on = begins && joins(near_before, far_before) || ends && joins(near_after, far_after);
    !runs_on
}

/// The text with another phrase at these places, in the case of what it replaces.
pub(super) fn replaced(text: &str, places: &[Range<usize>], with: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        result.push_str(&text[at..place.start]);
        result.push_str(&cased(&text[place.clone()], with));
        at = place.end;
    }
    result.push_str(&text[at..]);
    result
}

/// Capitals as in the old words: none, the first letter, or all.
fn cased(old: &str, new: &str) -> String {
    let letters: Vec<char> = old.chars().filter(|c| c.is_alphabetic()).collect();
    let is_upper = |c: &&char| c.is_uppercase();
    let all = letters.len() > 1 && letters.iter().filter(is_upper).count() == letters.len();
    match letters.first() {
        Some(_) if all => new.to_uppercase(),
        Some(first) if first.is_uppercase() => capitalised(new),
        Some(_) | None => new.to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The text without these places, and without the space or comma that they leave behind.
pub(super) fn removed(text: &str, places: &[Range<usize>]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        result.push_str(&text[at..place.start]);
        at = place.end;
        let rest = &text[at..];
        let before = result.trim_end_matches(' ');
        let begins = before.is_empty() || before.ends_with(['\n', '.', '!', '?', '…']);
        let comma = rest.trim_start_matches(' ').starts_with(',');
        if begins && comma {
            // «Друзі, плани» is «Плани» then.
            at += rest.find(',').unwrap_or_default() + 1;
            at += text[at..].len() - text[at..].trim_start_matches(' ').len();
            at = push_capital(text, at, &mut result);
        } else if comma && before.ends_with(',') {
            result.truncate(before.len() - 1);
        } else if begins || result.ends_with(' ') {
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            let ends = rest[spaces..].starts_with(['.', ',', '!', '?', ':', ';', '…', '\n']);
            if ends || rest[spaces..].is_empty() {
                result.truncate(result.trim_end_matches(' ').len());
            }
            at += spaces;
            if begins && text[place.clone()].starts_with(char::is_uppercase) {
                at = push_capital(text, at, &mut result);
            }
        }
    }
    result.push_str(&text[at..]);
    result.trim_end().to_owned()
}

/// Copies the next letter as a capital; returns the place after it.
fn push_capital(text: &str, at: usize, result: &mut String) -> usize {
    match text[at..].chars().next() {
        Some(next) => {
            result.extend(next.to_uppercase());
            at + next.len_utf8()
        }
        None => at,
    }
}

/// Words of a text that are forms of this one, each once.
pub fn word_forms(text: &str, word: &str) -> Vec<String> {
    const FORMS_MAX: usize = 5;
    let (folded, wanted) = (fold(word), stem(word));
    let mut forms: Vec<String> = Vec::new();
    for one in words(text) {
        let is_form = stem(one.text) == wanted && fold(one.text) != folded;
        let inside = !is_form && fold(one.text).contains(&folded);
        if (is_form || inside) && !forms.iter().any(|known| known == one.text) {
            forms.push(one.text.to_owned());
        }
    }
    forms.truncate(FORMS_MAX);
    forms
}
