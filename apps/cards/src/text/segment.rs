//! Splits a text into sentences.
//!
//! In: a text and its language. Out: a [`Segmentation`]: byte spans in the order of the
//! text. Must hold: spans and the white space between them are the text, byte for byte; no
//! span is empty or begins or ends with white space; the same text gives the same spans.
//!
//! The candidates are those of Unicode's UAX 29, ellipses and the dashes of speakers; `judge.rs` says of each
//! whether a sentence ends there, with the language's own lists (`rules.rs`).

mod blocks;
mod line_ends;

mod brackets;
mod judge;
mod rules;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use self::blocks::blocks;
use self::rules::Rules;
use crate::text::language::Language;

/// A text in sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segmentation {
    pub sentences: Vec<Span>,
    pub engine: SegmentRules,
}

/// One sentence of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// Which block of lines it stands in, from 0.
    pub block: usize,
}

impl Span {
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// How the sentences were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentRules {
    /// With the lists of the language.
    Language,
    /// By Unicode's rules alone: there are no lists for this language.
    Plain,
}

impl SegmentRules {
    /// What a person should know about it.
    pub fn warning(self, language: &Language) -> Option<String> {
        match self {
            SegmentRules::Language => None,
            SegmentRules::Plain => Some(format!(
                "no abbreviations are known for {}; some sentences may be cut at one",
                language.name()
            )),
        }
    }
}

/// Finds the sentences of a text.
pub fn segment(text: &str, language: &Language) -> Segmentation {
    let (rules, known) = Rules::of(language);
    let mut sentences = Vec::new();
    for (block, range) in blocks(text).into_iter().enumerate() {
        split_block(text, range, block, rules, &mut sentences);
    }
    Segmentation {
        sentences,
        engine: if known { SegmentRules::Language } else { SegmentRules::Plain },
    }
}

fn split_block(
    text: &str,
    range: Range<usize>,
    block: usize,
    rules: &Rules,
    sentences: &mut Vec<Span>,
) {
    let Some(inside) = text.get(range.clone()) else { return };
    let mut start = 0;
    for at in candidates(inside) {
        let (Some(left), Some(right)) = (inside.get(start..at), inside.get(at..)) else { continue };
        if judge::ends(left, right, rules) {
            push(left, range.start + start, block, sentences);
            start = at;
        }
    }
    if let Some(rest) = inside.get(start..) {
        push(rest, range.start + start, block, sentences);
    }
}

/// Where a sentence may end, in rising order.
fn candidates(text: &str) -> impl Iterator<Item = usize> {
    text.split_sentence_bound_indices().flat_map(|(at, piece)| {
        let inner = extras(piece).map(move |end| at + end);
        inner.chain(std::iter::once(at + piece.len()))
    })
}

/// What UAX 29 does not see: an ellipsis, which it takes for an ordinary sign, and a sentence
/// that begins with a dash or with a Japanese bracket.
fn extras(piece: &str) -> impl Iterator<Item = usize> {
    piece.match_indices(judge::is_stop).filter_map(|(at, sign)| {
        let after = piece.get(at + sign.len()..)?;
        let rest = after.trim_start_matches(judge::is_closer);
        let next = rest.trim_start();
        let dash = next.starts_with(['–', '—', '-', '―']);
        let spaced = next.len() < rest.len() && !next.is_empty();
        let bracket = matches!(sign, "。" | "！" | "？") && rest.starts_with(['「', '『']);
        (bracket || spaced && (dash || sign == "…")).then_some(piece.len() - next.len())
    })
}

/// Adds a sentence without the white space around it.
fn push(piece: &str, at: usize, block: usize, sentences: &mut Vec<Span>) {
    let trimmed = piece.trim_start();
    let start = at + (piece.len() - trimmed.len());
    let trimmed = trimmed.trim_end();
    if !trimmed.is_empty() {
        sentences.push(Span { start, end: start + trimmed.len(), block });
    }
}

#[cfg(test)]
mod tests;
