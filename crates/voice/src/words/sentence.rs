//! Cuts a growing text into sentences, each of which is one request for speech.
//!
//! In: the text so far, and whether more may come. Out: byte ranges. Must hold: a sentence that
//! was given once stays the same however the text goes on; the ranges cover the text without
//! gaps, and no sentence is longer than [`SENTENCE_CHARS_MAX`].

use std::ops::Range;

use crate::words::language::Language;

/// A longer sentence is cut at a comma or a space: speech would begin too late.
pub const SENTENCE_CHARS_MAX: usize = 300;

/// Whether more text may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEnd {
    Open,
    Final,
}

/// The complete sentences of a text; with [`TextEnd::Final`] the rest is one as well.
pub fn sentences(text: &str, end: TextEnd, languages: &[Language]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(length) = first_sentence(&text[start..], languages) {
        push(text, start..start + length, &mut found);
        start += length;
    }
    if end == TextEnd::Final && start < text.len() {
        push(text, start..text.len(), &mut found);
    }
    found
}

/// White space alone is part of its neighbour.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    match (text[range.clone()].trim().is_empty(), found.last_mut()) {
        (true, Some(last)) => last.end = range.end,
        (true, None) => {}
        (false, _) => found.push(range),
    }
}

/// The length of the first complete sentence, with the white space after it.
fn first_sentence(text: &str, languages: &[Language]) -> Option<usize> {
    let mut soft_end: Option<(usize, bool)> = None;
    for (count, (at, c)) in text.char_indices().enumerate() {
        let next = at + c.len_utf8();
        if c == '\n' && !text[..at].trim().is_empty() {
            return Some(next);
        }
        if is_end(c)
            && text[next..].starts_with(char::is_whitespace)
            && !is_abbreviated(&text[..at], c, languages)
        {
            return Some(next + space_length(&text[next..]));
        }
        if c.is_whitespace() && !text[..at].trim().is_empty() {
            let after_comma = text[..at].ends_with([',', ';', ':']);
            if after_comma || soft_end.is_none_or(|(_, comma)| !comma) {
                soft_end = Some((next, after_comma));
            }
        }
        if count + 1 >= SENTENCE_CHARS_MAX {
            return Some(soft_end.map_or(next, |(end, _)| end));
        }
    }
    None
}

/// One space belongs to the sentence; more would depend on what is still to come.
fn space_length(rest: &str) -> usize {
    rest.chars().next().map_or(0, char::len_utf8)
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// A full stop after an abbreviation or an initial does not end the sentence.
fn is_abbreviated(before: &str, mark: char, languages: &[Language]) -> bool {
    if mark != '.' {
        return false;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut letters = word.chars();
    let is_initial =
        matches!((letters.next(), letters.next()), (Some(c), None) if c.is_uppercase());
    let word = word.to_lowercase();
    let is_listed = |language: &Language| language.words().abbreviations.contains(&word);
    is_initial || languages.iter().any(is_listed)
}

#[cfg(test)]
mod tests;
