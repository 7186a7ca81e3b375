//! Text in quotes of any kind.

use std::ops::Range;

/// The quoted texts.
pub(crate) fn quoted(line: &str) -> Vec<String> {
    quotations(line).into_iter().map(|one| line[one.inside].trim().to_owned()).collect()
}

/// A quotation and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quotation {
    /// With the quotes.
    pub whole: Range<usize>,
    pub inside: Range<usize>,
}

/// The quotations that are not empty, in order.
pub(crate) fn quotations(line: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize, usize)> = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match open {
            Some((close, start, inside)) if c == close => {
                let next = line[at + c.len_utf8()..].chars().next();
                // An apostrophe inside a word is not a closing quote.
                let is_apostrophe = c == '\'' && next.is_some_and(char::is_alphanumeric);
                if !is_apostrophe {
                    found.push(Quotation { whole: start..at + c.len_utf8(), inside: inside..at });
                    open = None;
                }
            }
            Some(_) => {}
            None => {
                let close = match c {
                    '«' => Some('»'),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '"' => Some('"'),
                    '‘' => Some('’'),
                    '\'' if !before.is_alphanumeric() => Some('\''),
                    _ => None,
                };
                open = close.map(|close| (close, at, at + c.len_utf8()));
            }
        }
        before = c;
    }
    found.retain(|one| !line[one.inside.clone()].trim().is_empty());
    found
}
