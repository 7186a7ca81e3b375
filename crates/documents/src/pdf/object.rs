//! The objects of a PDF, and their parser.

use std::collections::BTreeMap;
use std::ops::Range;

/// Arrays and dictionaries inside each other.
const DEPTH_MAX: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Null,
    Number(f64),
    Name(String),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    /// The number of another object.
    Reference(u32),
    /// A dictionary, and where its data is in the file.
    Stream(Dict, Range<usize>),
    /// An operator, or a word of the file's structure.
    Word(String),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Dict(BTreeMap<String, Object>);

impl Dict {
    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        self.0.get(name)
    }

    pub(super) fn is_type(&self, wanted: &str) -> bool {
        self.name("Type") == Some(wanted)
    }

    pub(super) fn name(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Object::Name(word)) => Some(word),
            Some(_) | None => None,
        }
    }
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        if let Object::Number(number) = self { Some(*number) } else { None }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self) -> Option<usize> {
        let number = self.number()?;
        let is_whole = number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        is_whole.then_some(number as usize)
    }
}

/// The parts of one object, so that its size in memory is limited.
const ITEMS_MAX: usize = 500_000;

/// Reads objects from bytes, from a position on.
pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    pub at: usize,
    /// How many objects the last one has inside, and itself.
    pub items: usize,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'a> Parser<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, items: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    pub(super) fn starts_with(&self, word: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word))
    }

    /// Goes to the end of a word that has space around it.
    pub(super) fn skip_past(&mut self, word: &[u8]) {
        while self.at < self.bytes.len() {
            let is_alone = |at: usize| self.bytes.get(at).is_none_or(|byte| is_space(*byte));
            if self.starts_with(word)
                && is_alone(self.at.saturating_sub(1))
                && is_alone(self.at + word.len())
            {
                self.at += word.len();
                return;
            }
            self.at += 1;
        }
    }

    /// The next object, with references; none at the end.
    pub(super) fn object(&mut self) -> Option<Object> {
        self.items = 0;
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<Object> {
        self.items += 1;
        if depth > 0 && self.items > ITEMS_MAX {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            b'/' => {
                self.at += 1;
                Some(Object::Name(self.name()))
            }
            b'(' => Some(Object::Text(self.literal())),
            b'<' if self.starts_with(b"<<") => self.dict(depth),
            b'<' => Some(Object::Text(self.hex())),
            b'[' => self.array(depth),
            b'0'..=b'9' | b'+' | b'-' | b'.' => Some(self.number_or_reference()),
            b')' | b'>' | b']' | b'{' | b'}' => {
                self.at += 1;
                Some(Object::Null)
            }
            _ => Some(match self.word().as_str() {
                "null" => Object::Null,
                word => Object::Word(word.to_owned()),
            }),
        }
    }

    fn regular(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn word(&mut self) -> String {
        let word = String::from_utf8_lossy(self.regular()).into_owned();
        if word.is_empty() {
            self.at += 1;
        }
        word
    }

    fn name(&mut self) -> String {
        let raw = self.regular();
        let (mut name, mut at) = (Vec::with_capacity(raw.len()), 0);
        while let Some(byte) = raw.get(at) {
            let escaped = raw
                .get(at + 1..at + 3)
                .and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
            match (byte, escaped) {
                (b'#', Some(code)) => {
                    name.push(code);
                    at += 3;
                }
                (byte, _) => {
                    name.push(*byte);
                    at += 1;
                }
            }
        }
        String::from_utf8_lossy(&name).into_owned()
    }

    fn number_or_reference(&mut self) -> Object {
        let number = self.number();
        let after = self.at;
        // `12 0 R` is a reference.
        if let Some(of) = whole(number) {
            self.skip_space();
            let has_digit = self.peek().is_some_and(|byte| byte.is_ascii_digit());
            if has_digit && whole(self.number()).is_some() {
                self.skip_space();
                let ends = |byte: &u8| is_space(*byte) || is_delimiter(*byte);
                if self.peek() == Some(b'R') && self.bytes.get(self.at + 1).is_none_or(ends) {
                    self.at += 1;
                    return Object::Reference(of);
                }
            }
        }
        self.at = after;
        Object::Number(number)
    }

    fn number(&mut self) -> f64 {
        let start = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.bytes.get(start..self.at).unwrap_or_default());
        text.ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }

    fn array(&mut self, depth: usize) -> Option<Object> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(_) if depth >= DEPTH_MAX => return None,
                Some(_) => items.push(self.nested(depth + 1)?),
            }
        }
        Some(Object::Array(items))
    }

    fn dict(&mut self, depth: usize) -> Option<Object> {
        self.at += 2;
        let mut dict = Dict::default();
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b'>') => {
                    self.at += if self.starts_with(b">>") { 2 } else { 1 };
                    break;
                }
                Some(_) if depth >= DEPTH_MAX => return None,
                Some(b'/') => {
                    self.at += 1;
                    let name = self.name();
                    dict.0.insert(name, self.nested(depth + 1)?);
                }
                // Something that is not a key.
                Some(_) => {
                    self.nested(depth + 1)?;
                }
            }
        }
        Some(Object::Dict(dict))
    }

    fn hex(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'>' => break,
                byte => digits.extend(char::from(byte).to_digit(16)),
            }
        }
        let byte = |pair: &[u32]| {
            let low = pair.get(1).copied().unwrap_or(0);
            u8::try_from(pair.first().map_or(0, |high| high * 16 + low)).unwrap_or(0)
        };
        digits.chunks(2).map(byte).collect()
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let (mut text, mut open) = (Vec::new(), 1_usize);
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    text.extend(self.escaped());
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    fn escaped(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    self.at += 1;
                    code = code * 8 + u32::from(digit - b'0');
                }
                u8::try_from(code & 0xFF).ok()
            }
            // The line goes on.
            b'\n' => None,
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                None
            }
            other => Some(other),
        }
    }
}

fn whole(number: f64) -> Option<u32> {
    Object::Number(number).count().and_then(|count| u32::try_from(count).ok())
}
