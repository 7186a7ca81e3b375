//! Splits a message into chunks: words and whole quotations.
//!
//! In: any text. Out: [`Chunk`]s in order, each with its place. Must hold: one pass, and
//! every place is a character border of the text.

/// A word or a quotation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chunk<'a> {
    /// Without the quotes or the punctuation around it.
    pub text: &'a str,
    /// In lower case; empty for the rest of a long message.
    pub lower: String,
    /// The whole chunk, with quotes and punctuation.
    pub start: usize,
    pub end: usize,
    pub form: Form,
    /// The last character after `text`, such as a comma.
    pub closed_by: Option<char>,
    /// Whether a new line begins here.
    pub opens_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Bare,
    Quoted,
}

/// The maximum number of chunks; the last one holds the rest of the message.
const CHUNKS_MAX: usize = 256;

const QUOTES: [(char, char); 7] =
    [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('‘', '’'), ('`', '`'), ('\'', '\'')];
const OPENING: [char; 4] = ['(', '[', '<', '{'];
const CLOSING: [char; 11] = [')', ']', '>', '}', '.', ',', ';', ':', '!', '?', '…'];

impl Chunk<'_> {
    pub(crate) fn is_quoted(&self) -> bool {
        self.form == Form::Quoted
    }

    pub(crate) fn ends_part(&self) -> bool {
        self.closed_by.is_some_and(|c| matches!(c, ',' | ';'))
    }
}

pub(crate) fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let mut cutter = Cutter { text, at: 0, unclosed: [false; QUOTES.len()] };
    let mut found = Vec::new();
    while found.len() + 1 < CHUNKS_MAX {
        let Some(chunk) = cutter.next_chunk() else { return found };
        found.push(chunk);
    }
    found.extend(cutter.rest_chunk());
    found
}

struct Cutter<'a> {
    text: &'a str,
    at: usize,
    /// The quotes without a closing one, so that each is searched once.
    unclosed: [bool; QUOTES.len()],
}

impl<'a> Cutter<'a> {
    fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    fn next_chunk(&mut self) -> Option<Chunk<'a>> {
        let rest = self.rest(self.at);
        let trimmed = rest.trim_start();
        let space = rest.get(..rest.len() - trimmed.len()).unwrap_or_default();
        let start = self.at + space.len();
        let opens_line = start == space.len() || space.contains('\n');
        trimmed.chars().next()?;
        if let Some((inner, close_end)) = self.quotation(start) {
            let end = close_end + self.punctuation(close_end);
            self.at = end;
            let closed_by = self.text.get(close_end..end).and_then(|tail| tail.chars().last());
            let lower = inner.to_lowercase();
            let form = Form::Quoted;
            return Some(Chunk { text: inner, lower, start, end, form, closed_by, opens_line });
        }
        let end = self.bare_end(start);
        self.at = end;
        let raw = self.text.get(start..end).unwrap_or_default();
        let text = raw.trim_start_matches(OPENING).trim_end_matches(CLOSING);
        let text = if text.is_empty() { raw } else { text };
        let closed_by = raw.chars().last().filter(|c| !text.ends_with(*c));
        let (lower, form) = (text.to_lowercase(), Form::Bare);
        Some(Chunk { text, lower, start, end, form, closed_by, opens_line })
    }

    /// The rest of the message as one chunk, which no rule looks at.
    fn rest_chunk(&self) -> Option<Chunk<'a>> {
        let rest = self.rest(self.at).trim_start();
        let start = self.text.len() - rest.len();
        let text = rest.trim_end();
        let (lower, end, form) = (String::new(), start + text.len(), Form::Bare);
        let chunk = Chunk { text, lower, start, end, form, closed_by: None, opens_line: false };
        (!text.is_empty()).then_some(chunk)
    }

    /// The end of a word; a quotation after `=` or `:` belongs to it.
    fn bare_end(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut before = ' ';
        while let Some(c) = self.rest(at).chars().next() {
            if c.is_whitespace() {
                break;
            }
            if matches!(before, '=' | ':')
                && let Some((_, end)) = self.quotation(at)
            {
                return end + self.punctuation(end);
            }
            before = c;
            at += c.len_utf8();
        }
        at
    }

    /// The text between an opening quote and its closing one.
    fn quotation(&mut self, open_at: usize) -> Option<(&'a str, usize)> {
        let rest = self.rest(open_at);
        let first = rest.chars().next()?;
        let known = QUOTES.iter().position(|(open, _)| *open == first)?;
        let (_, close) = *QUOTES.get(known)?;
        let unclosed = self.unclosed.get_mut(known)?;
        if *unclosed {
            return None;
        }
        let inner_at = open_at + first.len_utf8();
        let inner = self.text.get(inner_at..)?;
        let Some(length) = closing(inner, close) else {
            *unclosed = true;
            return None;
        };
        let inner = inner.get(..length)?;
        (!inner.trim().is_empty()).then_some((inner, inner_at + length + close.len_utf8()))
    }

    /// How many bytes of punctuation follow.
    fn punctuation(&self, from: usize) -> usize {
        let rest = self.rest(from);
        rest.len() - rest.trim_start_matches(CLOSING).len()
    }
}

/// The end of a quotation: an apostrophe inside a word is not one.
fn closing(inner: &str, close: char) -> Option<usize> {
    inner.match_indices(close).map(|(at, _)| at).find(|at| {
        let next = inner.get(at + close.len_utf8()..).and_then(|rest| rest.chars().next());
        !matches!(close, '\'' | '’') || !next.is_some_and(char::is_alphanumeric)
    })
}

/// The text of a `name="value"` without its quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let inside = |(open, close): &(char, char)| {
        text.strip_prefix(*open)?.trim_end_matches([',', ';']).strip_suffix(*close)
    };
    QUOTES.iter().find_map(inside).unwrap_or(text)
}

#[cfg(test)]
mod tests;
