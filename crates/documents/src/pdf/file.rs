//! The objects of a file: found by scanning it, resolved by their numbers.

use std::collections::BTreeMap;

use super::filter::decoded;
use super::object::{Dict, Object, Parser, is_space};
use crate::Unreadable;
use crate::budget::Budget;

/// References to references.
const REFERENCES_MAX: usize = 16;

#[derive(Default)]
pub(super) struct PdfFile<'a> {
    bytes: &'a [u8],
    objects: BTreeMap<u32, Object>,
    trailers: Vec<Dict>,
}

impl<'a> PdfFile<'a> {
    pub(super) fn read(bytes: &'a [u8], budget: &mut Budget) -> Result<Self, Unreadable> {
        let mut file = Self { bytes, ..Self::default() };
        file.scan(budget)?;
        if file.trailers.iter().any(|trailer| trailer.get("Encrypt").is_some()) {
            return Err(Unreadable::Encrypted);
        }
        file.unpack_objects(budget)?;
        Ok(file)
    }

    /// Finds every `N G obj` outside of streams. A later one replaces an earlier one.
    fn scan(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        budget.steps(self.bytes.len() / 64)?;
        let mut at = 0;
        while let Some(found) = next_word(self.bytes, at) {
            budget.step()?;
            match found {
                Found::Object { number, body } => {
                    let mut parser = Parser::new(self.bytes, body);
                    let object = parser.object();
                    budget.steps(parser.items)?;
                    let Some(object) = object else {
                        at = body;
                        continue;
                    };
                    at = parser.at.max(body);
                    let data = match &object {
                        Object::Dict(dict) => self.stream_data(dict, &mut parser),
                        Object::Null
                        | Object::Number(_)
                        | Object::Name(_)
                        | Object::Text(_)
                        | Object::Array(_)
                        | Object::Reference(_)
                        | Object::Stream(..)
                        | Object::Word(_) => None,
                    };
                    let object = if let (Some(data), Object::Dict(dict)) = (data, &object) {
                        at = data.end;
                        Object::Stream(dict.clone(), data)
                    } else {
                        object
                    };
                    if let Object::Stream(dict, _) = &object
                        && dict.is_type("XRef")
                    {
                        self.trailers.push(dict.clone());
                    }
                    self.objects.insert(number, object);
                }
                Found::Trailer { body } => {
                    let mut parser = Parser::new(self.bytes, body);
                    if let Some(Object::Dict(dict)) = parser.object() {
                        self.trailers.push(dict);
                    }
                    at = parser.at.max(body);
                }
            }
        }
        Ok(())
    }

    /// Where the data of a stream is, if `stream` follows the dictionary.
    fn stream_data(&self, dict: &Dict, parser: &mut Parser<'_>) -> Option<std::ops::Range<usize>> {
        parser.skip_space();
        if !parser.starts_with(b"stream") {
            return None;
        }
        let mut start = parser.at + b"stream".len();
        start += usize::from(self.bytes.get(start) == Some(&b'\r'));
        start += usize::from(self.bytes.get(start) == Some(&b'\n'));
        let length = dict.get("Length").and_then(Object::count);
        let stated = length.and_then(|length| start.checked_add(length));
        let fits = |end: &usize| {
            let mut after = Parser::new(self.bytes, *end);
            after.skip_space();
            after.starts_with(b"endstream")
        };
        if let Some(end) = stated.filter(|end| *end <= self.bytes.len()).filter(fits) {
            return Some(start..end);
        }
        let rest = self.bytes.get(start..)?;
        let end = find(rest, b"endstream").map_or(self.bytes.len(), |length| start + length);
        Some(start..end)
    }

    /// Adds the objects inside of object streams, unless they exist outside.
    fn unpack_objects(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        let is_packed =
            |object: &&Object| matches!(object, Object::Stream(dict, _) if dict.is_type("ObjStm"));
        let packed: Vec<Object> = self.objects.values().filter(is_packed).cloned().collect();
        for stream in packed {
            let Object::Stream(dict, _) = &stream else { continue };
            let count = |name| dict.get(name).and_then(Object::count).unwrap_or(0);
            let (many, first) = (count("N"), count("First"));
            let data = self.data(&stream, budget)?;
            let mut heads = Parser::new(&data, 0);
            for _ in 0..many {
                budget.step()?;
                let (Some(number), Some(offset)) = (heads.object(), heads.object()) else { break };
                let (Some(number), Some(offset)) = (number.count(), offset.count()) else { break };
                let Ok(number) = u32::try_from(number) else { break };
                let mut parser = Parser::new(&data, first.saturating_add(offset));
                let object = parser.object();
                budget.steps(parser.items)?;
                if let Some(object) = object {
                    self.objects.entry(number).or_insert(object);
                }
            }
        }
        Ok(())
    }

    /// The data of a stream, unpacked; empty if its filter is unknown.
    pub(super) fn data(&self, stream: &Object, budget: &mut Budget) -> Result<Vec<u8>, Unreadable> {
        let Object::Stream(dict, range) = self.resolved(stream) else { return Ok(Vec::new()) };
        let packed = self.bytes.get(range.clone()).unwrap_or_default();
        let filters: Vec<&str> = match dict.get("Filter").map(|filter| self.resolved(filter)) {
            Some(Object::Name(name)) => vec![name],
            Some(Object::Array(names)) => names
                .iter()
                .filter_map(|name| {
                    if let Object::Name(name) = self.resolved(name) {
                        Some(name.as_str())
                    } else {
                        None
                    }
                })
                .collect(),
            Some(_) | None => Vec::new(),
        };
        decoded(packed, &filters, budget)
    }

    pub(super) fn resolved<'b>(&'b self, object: &'b Object) -> &'b Object {
        let mut object = object;
        for _ in 0..REFERENCES_MAX {
            let Object::Reference(number) = object else { return object };
            object = self.objects.get(number).unwrap_or(&Object::Null);
        }
        &Object::Null
    }

    /// The dictionary that an object is or refers to, also that of a stream.
    pub(super) fn dict<'b>(&'b self, object: &'b Object) -> Option<&'b Dict> {
        if let Object::Dict(dict) | Object::Stream(dict, _) = self.resolved(object) {
            Some(dict)
        } else {
            None
        }
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    pub(super) fn catalog(&self) -> Option<&Dict> {
        let named = self.trailers.iter().rev().find_map(|trailer| self.dict(trailer.get("Root")?));
        named.or_else(|| {
            let dicts = self.objects.values().rev().filter_map(|object| self.dict(object));
            dicts.into_iter().find(|dict| dict.is_type("Catalog"))
        })
    }
}

enum Found {
    Object { number: u32, body: usize },
    Trailer { body: usize },
}

/// The next `obj` with its two numbers, or `trailer`, from a position on.
fn next_word(bytes: &[u8], from: usize) -> Option<Found> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let step = rest.iter().position(|byte| matches!(byte, b'o' | b't'))?;
        at += step;
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"obj")
            && let Some(number) = number_before(bytes, at)
        {
            return Some(Found::Object { number, body: at + 3 });
        }
        if rest.starts_with(b"trailer") {
            return Some(Found::Trailer { body: at + 7 });
        }
        at += 1;
    }
}

/// The object's number in `12 0 obj`.
fn number_before(bytes: &[u8], at: usize) -> Option<u32> {
    let before = bytes.get(at.saturating_sub(32)..at)?;
    let before = trim_end(before);
    let generation = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = before.get(..before.len() - generation).filter(|_| generation > 0)?;
    let spaced = trim_end(before);
    let digits = spaced.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = spaced.get(spaced.len() - digits..).filter(|_| spaced.len() < before.len())?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn trim_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !is_space(*byte)).map_or(0, |at| at + 1);
    bytes.get(..end).unwrap_or_default()
}

pub(super) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == first)?;
        if bytes.get(at..)?.starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}
