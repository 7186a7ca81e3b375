//! Splits a text into blocks of lines: no sentence crosses from one block into the next.
//!
//! A line break alone is only space. A block ends at an empty line, after a line that looks
//! like a title, and before a line of a dialogue or a list. The lines of poems, lists and
//! subtitles are blocks of their own (`line_ends.rs`).

use std::ops::Range;

use super::line_ends::are_sentences;

/// A title is not longer than this.
const TITLE_CHARS_MAX: usize = 60;

/// The blocks in order; what lies between them is white space.
pub(crate) fn blocks(text: &str) -> Vec<Range<usize>> {
    paragraphs(text).into_iter().flat_map(|paragraph| split_lines(text, paragraph)).collect()
}

/// The lines of a paragraph as blocks, if each of them is a sentence.
fn split_lines(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let inside = text.get(paragraph.clone()).unwrap_or_default();
    let lines: Vec<Range<usize>> = lines(inside).collect();
    let words: Vec<&str> = lines.iter().filter_map(|line| inside.get(line.clone())).collect();
    match lines.len() > 1 && are_sentences(&words) {
        true => lines
            .into_iter()
            .map(|line| paragraph.start + line.start..paragraph.start + line.end)
            .collect(),
        false => vec![paragraph],
    }
}

fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut first_line = true;
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        let words = &text[line.clone()];
        if words.trim().is_empty() {
            blocks.extend(open.take());
            continue;
        }
        if begins_block(words) {
            blocks.extend(open.take());
        }
        first_line = open.is_none() || (first_line && open.is_none());
        let block = open.get_or_insert(line.clone());
        block.end = line.end;
        let next = lines.peek().map(|next| text[next.clone()].trim()).unwrap_or_default();
        if first_line && is_title(words.trim(), next) {
            blocks.extend(open.take());
        }
    }
    blocks.extend(open);
    blocks
}

/// Lines without their ends. The Unicode line and paragraph separators end one too.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let ends = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{c}');
    let mut at = 0;
    let mut cr = false;
    text.split_inclusive(ends).filter_map(move |line| {
        let start = at;
        at += line.len();
        // `\r\n` is one line end, without an empty line between the two.
        let half = cr && line == "\n";
        cr = line.ends_with('\r');
        (!half).then(|| start..start + line.trim_end_matches(ends).len())
    })
}

/// A dialogue dash or bracket, a list sign or a heading of Markdown.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let mut chars = line.chars();
    let (first, second) = (chars.next(), chars.next());
    let spaced = second.is_some_and(char::is_whitespace);
    match first {
        Some('—') => spaced || second.is_some_and(|c| c.is_uppercase() || matches!(c, '¿' | '¡')),
        Some('–' | '-' | '•' | '*' | '―') => spaced,
        // In Japanese a bracket begins what is said.
        Some('#' | '「' | '『') => true,
        Some(_) | None => false,
    }
}

/// Short, with a capital first and no sentence-ending punctuation, before a line that starts
/// a new sentence.
fn is_title(line: &str, next: &str) -> bool {
    let begins_anew = |text: &str| {
        let letter = text.chars().find(|c| c.is_alphanumeric());
        letter.is_some_and(|c| c.is_uppercase() || c.is_numeric())
    };
    let goes_on = |c: char| !(c.is_alphanumeric() || matches!(c, '”' | '“' | '»' | '"' | ')'));
    let open_end = line.chars().next_back().is_some_and(goes_on);
    !next.is_empty()
        && !open_end
        && begins_anew(line)
        && begins_anew(next)
        && line.chars().count() <= TITLE_CHARS_MAX
}
