//! Paragraphs, sentences and words of a post, as spans of its text.

pub mod diff;
pub(crate) mod emoji;
pub(crate) mod language;
pub(crate) mod slug;
pub(crate) mod stem;

use std::ops::Range;

/// A word and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    pub start: usize,
}

impl Word<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The words: letters and digits, with apostrophes inside. A hyphen separates two words.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let mut start = rest;
        while !is_letter(char_at(text, start)?.0) {
            start += char_at(text, start)?.1;
        }
        let mut end = letters_end(text, start);
        while let Some((c, bytes)) = char_at(text, end) {
            let next = || char_at(text, end + bytes).is_some_and(|(next, _)| is_letter(next));
            if !(is_letter(c) || is_mark(c) || (is_apostrophe(c) && next())) {
                break;
            }
            end = letters_end(text, end + bytes);
        }
        rest = end;
        Some(Word { text: text.get(start..end)?, start })
    })
}

/// Where the ASCII and Cyrillic letters and digits that begin here end, seen by their bytes: most
/// words have no others. A first byte of `0xd0`, `0xd1` or `0xd3` has only letters after it.
#[inline]
fn letters_end(text: &str, start: usize) -> usize {
    let (bytes, mut at) = (text.as_bytes(), start);
    loop {
        match bytes.get(at..) {
            Some([one, ..]) if one.is_ascii_alphanumeric() => at += 1,
            Some([0xd0 | 0xd1 | 0xd3, _, ..]) => at += 2,
            _ => return at,
        }
    }
}

/// The character that begins here and its length. Those of most posts have one byte or two, and
/// are read without the general decoder.
#[inline]
fn char_at(text: &str, at: usize) -> Option<(char, usize)> {
    match *text.as_bytes().get(at..)? {
        [] => None,
        [one @ ..0x80, ..] => Some((char::from(one), 1)),
        [one @ 0xc2..0xe0, two, ..] => {
            let code = u32::from(one & 0x1f) << 6 | u32::from(two & 0x3f);
            Some((char::from_u32(code)?, 2))
        }
        _ => text.get(at..)?.chars().next().map(|c| (c, c.len_utf8())),
    }
}

/// As [`char::is_alphanumeric`], without its tables for the letters that most posts have.
fn is_letter(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => true,
        c => c.is_alphanumeric(),
    }
}

fn is_mark(c: char) -> bool {
    ('\u{0300}'..='\u{036f}').contains(&c)
}

pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '`')
}

/// A word or phrase as it is compared: lower case, composed, one apostrophe, `е` for `ё`.
pub fn fold(text: &str) -> String {
    // Only separate combining marks need composing, and most texts have none.
    let composed = match text.chars().any(is_mark) {
        true => icu_normalizer::ComposingNormalizerBorrowed::new_nfc().normalize(text),
        false => text.into(),
    };
    composed
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            'ё' => 'е',
            c if is_apostrophe(c) => '\'',
            c => c,
        })
        .collect()
}

/// The blocks between empty lines, without the line ends around them.
pub fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for line in lines(text) {
        match (text[line.clone()].trim().is_empty(), &mut open) {
            (true, _) => found.extend(open.take()),
            (false, Some(block)) => block.end = line.end,
            (false, None) => open = Some(line),
        }
    }
    found.extend(open);
    found
}

/// The lines, without their ends.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    })
}

/// The sentences. A line end ends a sentence too: posts are written like that.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for line in lines(text) {
        let mut start = line.start;
        let mut letters = text[line.clone()].char_indices().peekable();
        while let Some((at, c)) = letters.next() {
            if !matches!(c, '.' | '!' | '?' | '…') {
                continue;
            }
            let mut end = line.start + at + c.len_utf8();
            while let Some((next, c)) =
                letters.next_if(|(_, c)| matches!(c, '.' | '!' | '?' | '…') || closes(*c))
            {
                end = line.start + next + c.len_utf8();
            }
            let is_end = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
            if is_end && !(c == '.' && is_abbreviation(&text[start..line.start + at])) {
                push_sentence(text, start..end, &mut found);
                start = end;
            }
        }
        push_sentence(text, start..line.end, &mut found);
    }
    found
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | '»' | '”' | '“' | '’' | ')')
}

/// Does the text end in an abbreviation or a number with a full stop?
fn is_abbreviation(before: &str) -> bool {
    const KNOWN: [&str; 12] =
        ["напр", "тис", "млн", "млрд", "грн", "див", "ст", "рр", "e.g", "i.e", "etc", "vs"];
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let last = last.trim_start_matches(['(', '«', '"']).to_lowercase();
    KNOWN.contains(&last.as_str()) || matches!(last.as_str(), "т" | "д" | "п" | "р" | "с" | "м")
}

fn push_sentence(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let sentence = &text[span.clone()];
    let start = span.start + (sentence.len() - sentence.trim_start().len());
    let end = start + sentence.trim().len();
    if text[start..end].chars().any(char::is_alphanumeric) {
        found.push(start..end);
    }
}

/// The first line with words in it.
pub fn first_line(text: &str) -> Range<usize> {
    let with_words = |line: &Range<usize>| text[line.clone()].chars().any(char::is_alphanumeric);
    lines(text).find(with_words).unwrap_or(0..0)
}

/// The last line with words in it that is more than hashtags.
pub fn last_line(text: &str) -> Range<usize> {
    let says = |line: &Range<usize>| {
        text[line.clone()]
            .split_whitespace()
            .any(|word| !word.starts_with('#') && word.chars().any(char::is_alphanumeric))
    };
    lines(text).filter(says).last().unwrap_or(0..0)
}

/// A hashtag and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hashtag {
    pub span: Range<usize>,
    /// In a last block of nothing but hashtags, or inside the text?
    pub at_end: bool,
}

/// The hashtags: `#` at a word's start, with a letter in the name.
pub fn hashtags(text: &str) -> Vec<Hashtag> {
    let tail = tail_start(text);
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let free = before.is_none_or(|before| !before.is_alphanumeric() && before != '&');
        before = Some(c);
        if c != '#' || !free {
            continue;
        }
        let name = &text[at + 1..];
        let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
        if name[..end].chars().any(char::is_alphabetic) {
            found.push(Hashtag { span: at..at + 1 + end, at_end: at >= tail });
        }
    }
    found
}

/// Where the last lines begin that hold nothing but hashtags.
fn tail_start(text: &str) -> usize {
    let mut start = text.len();
    let all: Vec<_> = lines(text).collect();
    for line in all.into_iter().rev() {
        let line_text = text[line.clone()].trim();
        if !line_text.split_whitespace().all(|word| word.starts_with('#')) {
            break;
        }
        start = line.start;
    }
    start
}

#[cfg(test)]
mod tests;
