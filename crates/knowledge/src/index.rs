//! The index of one document: its passages, and which words are in them.

use std::collections::HashMap;
use std::sync::OnceLock;

use documents::PAGE_BREAK;

use crate::vectors::{PassageId, passage_id};
use crate::words::words;

/// A passage ends after the line that reaches this.
const PASSAGE_BYTES: usize = 1_000;
/// A line that is longer is several passages.
const LINE_BYTES_MAX: usize = 2_000;

/// A passage: where it is, and how many words it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassageSpan {
    pub start: usize,
    pub end: usize,
    /// All count from 1. Lines count through the whole text.
    pub page: usize,
    pub first_line: usize,
    pub last_line: usize,
    pub words: u32,
}

/// How often a word is in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub span: u32,
    pub count: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    pub text: String,
    pub spans: Vec<PassageSpan>,
    postings: HashMap<String, Vec<Posting>>,
    ids: OnceLock<Vec<PassageId>>,
}

impl Index {
    pub(crate) fn of(text: String) -> Self {
        let spans = spans(&text);
        let mut index = Self { text, spans, ..Self::default() };
        for number in 0..index.spans.len() {
            index.add(number);
        }
        index
    }

    fn add(&mut self, number: usize) {
        let (Some(span), Ok(at)) = (self.spans.get_mut(number), u32::try_from(number)) else {
            return;
        };
        let text = self.text.get(span.start..span.end).unwrap_or_default();
        for word in words(text) {
            span.words = span.words.saturating_add(1);
            for term in [Some(word.exact), word.stem].into_iter().flatten() {
                let list = self.postings.entry(term).or_default();
                match list.last_mut().filter(|last| last.span == at) {
                    Some(last) => last.count = last.count.saturating_add(1),
                    None => list.push(Posting { span: at, count: 1 }),
                }
            }
        }
    }

    /// The digests of the passages' texts, in the order of the spans.
    pub(crate) fn passage_ids(&self) -> &[PassageId] {
        self.ids
            .get_or_init(|| self.spans.iter().map(|span| passage_id(self.passage(span))).collect())
    }

    /// The text of a passage.
    pub(crate) fn passage(&self, span: &PassageSpan) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn postings(&self, term: &str) -> &[Posting] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn words(&self) -> u64 {
        self.spans.iter().map(|span| u64::from(span.words)).sum()
    }
}

/// Whole lines, until a passage is long enough; a page ends a passage too.
fn spans(text: &str) -> Vec<PassageSpan> {
    let mut spans: Vec<PassageSpan> = Vec::new();
    let (mut page, mut line, mut at) = (1, 1, 0);
    let mut open: Option<PassageSpan> = None;
    for piece in text.split_inclusive(['\n', PAGE_BREAK]) {
        for part in parts(piece) {
            let span = open.get_or_insert(PassageSpan {
                start: at,
                end: at,
                page,
                first_line: line,
                last_line: line,
                words: 0,
            });
            at += part.len();
            (span.end, span.last_line) = (at, line);
            if span.end - span.start >= PASSAGE_BYTES {
                spans.extend(open.take());
            }
        }
        line += 1;
        if piece.ends_with(PAGE_BREAK) {
            page += 1;
            spans.extend(open.take());
        }
    }
    spans.extend(open);
    spans.retain(|span| text.get(span.start..span.end).is_some_and(|text| !text.trim().is_empty()));
    spans
}

/// A line, or the parts of a very long one.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(LINE_BYTES_MAX);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}
