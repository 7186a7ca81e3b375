//! Limits that keep rendering linear: the length of a text, its nesting, its HTML.
//!
//! A Markdown parser visits all open containers on each line, an HTML parser all open elements
//! at each tag. So both are limited.

use std::borrow::Cow;
use std::fmt::Write;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::parser;
use crate::render::highlight::escape;

/// A longer text is shown as it is.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;

/// Quotes and lists that one line may open; further markers are text.
const MARKS_MAX: usize = 64;

/// Nested elements; deeper ones are dropped, their text stays.
pub(crate) const DEPTH_MAX: usize = 64;

/// Open elements of the text's own HTML. The sanitiser may have to reopen all of them in what
/// follows, so these are few.
const OWN_DEPTH_MAX: usize = 8;

/// A text without any Markdown.
pub(crate) fn plain(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    html.push_str("<pre>");
    escape(text, &mut html);
    html.push_str("</pre>\n");
    html
}

/// Escapes the markers of each line that exceed the limit.
pub(crate) fn shallow(text: &str) -> Cow<'_, str> {
    if !is_too_deep(text) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let (marks, words) = match mark_too_many(line) {
            Some(at) => line.split_at_checked(at).unwrap_or((line, "")),
            None => (line, ""),
        };
        made.push_str(marks);
        if !words.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(made, "\\{words}");
        }
    }
    Cow::Owned(made)
}

/// Whether a line opens more than allowed.
pub(crate) fn is_too_deep(text: &str) -> bool {
    text.lines().any(|line| mark_too_many(line).is_some())
}

/// Where the first marker above the limit is.
fn mark_too_many(line: &str) -> Option<usize> {
    let (bytes, mut at, mut marks) = (line.as_bytes(), 0, 0);
    let is_space = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b'>' => {}
            b'-' | b'*' | b'+' if is_space(at + 1) => {}
            b'0'..=b'9' => {
                let digits = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
                let is_mark = matches!(bytes.get(at + digits), Some(b'.' | b')'));
                if digits > 9 || !is_mark || !is_space(at + digits + 1) {
                    return None;
                }
                marks += 1;
                if marks > MARKS_MAX {
                    // Before the dot, where a backslash works as an escape.
                    return Some(at + digits);
                }
                at += digits + 1;
                continue;
            }
            _ => return None,
        }
        marks += 1;
        if marks > MARKS_MAX {
            return Some(at);
        }
        at += 1;
    }
}

/// How the HTML in a text is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnHtml {
    Kept,
    /// It is shown as text.
    AsText,
}

impl OwnHtml {
    /// Only elements that open and close in their place are kept.
    pub(crate) fn of(text: &str) -> Self {
        match text.contains('<') && !is_tame(text) {
            true => Self::AsText,
            false => Self::Kept,
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the parser's events; the others open nothing")]
fn is_tame(text: &str) -> bool {
    // Open elements; those of Markdown have no name.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut own = 0;
    for event in parser(text) {
        match event {
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(_) => open.push(None),
            Event::End(_) => match open.pop() {
                Some(None) => {}
                Some(Some(_)) | None => return false,
            },
            Event::Html(piece) | Event::InlineHtml(piece) if is_known(&piece) => {
                for OwnTag { name, closes } in tags(&piece).filter(|tag| !tag.is_empty()) {
                    if !closes && own >= OWN_DEPTH_MAX {
                        return false;
                    }
                    if !closes {
                        own += 1;
                        open.push(Some(name));
                    } else if open.pop() == Some(Some(name)) {
                        own -= 1;
                    } else {
                        return false;
                    }
                }
            }
            _ => {}
        }
    }
    true
}

/// Whether a piece of HTML has only elements that people write in texts, none of which changes
/// the structure around it, as parts of tables do.
pub(crate) fn is_known(piece: &str) -> bool {
    tags(piece).all(|tag| KNOWN.split(' ').any(|known| known == tag.name))
}

const KNOWN: &str = "a abbr b blockquote br center cite code dd del details div dl dt em h1 h2 h3 \
                     h4 h5 h6 hr i ins kbd li mark ol p pre q s small span strong sub summary sup \
                     u ul wbr";

struct OwnTag {
    name: String,
    closes: bool,
}

impl OwnTag {
    /// It has no content and no end tag.
    fn is_empty(&self) -> bool {
        matches!(self.name.as_str(), "br" | "hr" | "wbr")
    }
}

/// Every `<` counts, also in a comment or an attribute; such a piece is then unknown.
fn tags(piece: &str) -> impl Iterator<Item = OwnTag> {
    piece.split('<').skip(1).map(|rest| {
        let (closes, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        OwnTag { name: name.to_ascii_lowercase(), closes }
    })
}
