//! Reads XML piece by piece: starts and ends of elements, and text.
//!
//! Enough for the files of office programs: names keep their prefix, entities are the five of
//! XML and numbers. A document type definition is skipped and never used, so nothing expands.

use std::borrow::Cow;

use crate::Unreadable;
use crate::budget::Budget;

/// One piece of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// The start of an element; an empty one (`<a/>`) has an end right after it.
    Start {
        name: &'a str,
        attributes: &'a str,
    },
    End {
        name: &'a str,
    },
    Text(Cow<'a, str>),
}

pub(crate) struct Pieces<'a> {
    rest: &'a str,
    /// The end of an empty element.
    ended: Option<&'a str>,
}

impl<'a> Pieces<'a> {
    pub(crate) fn of(xml: &'a str) -> Self {
        Self { rest: xml.trim_start_matches('\u{feff}'), ended: None }
    }

    /// The next piece; none at the end, or where the document is cut off.
    pub(crate) fn next(&mut self, budget: &mut Budget) -> Result<Option<Piece<'a>>, Unreadable> {
        if let Some(name) = self.ended.take() {
            return Ok(Some(Piece::End { name }));
        }
        loop {
            budget.step()?;
            if self.rest.is_empty() {
                return Ok(None);
            }
            if !self.rest.starts_with('<') {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Ok(Some(Piece::Text(decoded(text))));
            }
            for (start, end) in [("<!--", "-->"), ("<?", "?>")] {
                if self.rest.starts_with(start) {
                    self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
                }
            }
            if let Some(data) = self.rest.strip_prefix("<![CDATA[") {
                let (text, rest) = data.split_once("]]>").unwrap_or((data, ""));
                self.rest = rest;
                return Ok(Some(Piece::Text(Cow::Borrowed(text))));
            }
            if self.rest.starts_with("<!") {
                self.rest = self.rest.split_once('>').map_or("", |(_, rest)| rest);
            } else if self.rest.starts_with('<') {
                return Ok(self.tag());
            }
        }
    }

    fn tag(&mut self) -> Option<Piece<'a>> {
        let end = tag_end(self.rest)?;
        let (tag, rest) = (self.rest.get(1..end)?, self.rest.get(end + 1..)?);
        self.rest = rest;
        if let Some(name) = tag.strip_prefix('/') {
            return Some(Piece::End { name: name.trim() });
        }
        let (tag, is_empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if is_empty {
            self.ended = Some(name);
        }
        Some(Piece::Start { name, attributes })
    }
}

/// Where the tag ends: `>` may be inside quotes.
fn tag_end(xml: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in xml.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None | Some(_), _) => {}
        }
    }
    None
}

/// The value of an attribute.
pub(crate) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after.get(1..)?.split_once(quote)?;
        if name.trim() == wanted {
            return Some(decoded(value));
        }
        rest = next;
    }
    None
}

fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let entity = after.split_once(';').filter(|(name, _)| name.len() <= 8);
        match entity.and_then(|(name, next)| Some((character(name)?, next))) {
            Some((c, next)) => {
                out.push(c);
                rest = next;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
        }
    }
}
