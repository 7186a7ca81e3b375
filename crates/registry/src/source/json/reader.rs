//! The strict JSON reader behind [`super::parse`]: one pass, one position, a depth limit.

use serde_json::Number;

use super::{Exactness, Kind, Member, Node, Span};

/// How deep lists and objects may nest.
pub(crate) const DEPTH_MAX: usize = 128;

/// Where a text is not valid JSON, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    pub span: Span,
    pub what: String,
    pub fix: &'static str,
}

/// Reads one JSON document.
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxFault> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    reader.skip_space();
    let node = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.fault_here(
            "there is more after the end of the document",
            "keep one JSON value per file, and delete the rest",
        )),
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

type Read<T> = Result<T, SyntaxFault>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// A fault at the character under the cursor.
    fn fault_here(&self, what: impl Into<String>, fix: &'static str) -> SyntaxFault {
        let end = self.text[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        SyntaxFault { span: self.at..end, what: what.into(), fix }
    }

    fn value(&mut self, depth: usize) -> Read<Node> {
        if depth > DEPTH_MAX {
            return Err(self.fault_here(
                format!("lists and objects are nested more than {DEPTH_MAX} deep"),
                "flatten the document",
            ));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Text(self.text()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.no_value()),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn no_value(&self) -> SyntaxFault {
        match self.peek() {
            None => self.fault_here("the file ends where a value should be", "finish the document"),
            Some(b'/') => self.fault_here("JSON has no comments", "delete the comment"),
            Some(b'\'') => {
                self.fault_here("strings need double quotes", "write \"…\" instead of '…'")
            }
            Some(b',') => self.fault_here("there is an extra comma", "delete the comma"),
            Some(b'}' | b']') => self
                .fault_here("a value is missing before this", "add the value, or remove the comma"),
            Some(_) => self.fault_here(
                "this is not a JSON value",
                "write a string in double quotes, a number, true, false, null, {…} or […]",
            ),
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Read<Kind> {
        match self.text[self.at..].starts_with(word) {
            true => {
                self.at += word.len();
                Ok(kind)
            }
            false => Err(self.fault_here(
                "this is not a JSON value",
                "write a string in double quotes, a number, true, false, null, {…} or […]",
            )),
        }
    }

    fn list(&mut self, depth: usize) -> Read<Kind> {
        let open = self.at;
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth + 1)?);
            if self.closes(b']', open, "list")? {
                return Ok(Kind::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Read<Kind> {
        let open = self.at;
        let mut entries = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            let key = match self.peek() {
                Some(b'"') => self.text()?,
                None | Some(b'/' | b'\'' | b',' | b'}') => return Err(self.no_value()),
                Some(_) => {
                    return Err(self.fault_here(
                        "a key is missing here, or has no quotes",
                        "write \"key\": value",
                    ));
                }
            };
            let key_span = start..self.at;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(
                    self.fault_here("a `:` is missing after the key", "write \"key\": value")
                );
            }
            self.at += 1;
            self.skip_space();
            let value = self.value(depth + 1)?;
            entries.push(Member { key, key_span, value });
            if self.closes(b'}', open, "object")? {
                return Ok(Kind::Object(entries));
            }
        }
    }

    /// After an item: a comma continues, the bracket ends, anything else is a fault.
    fn closes(&mut self, bracket: u8, open: usize, what: &str) -> Read<bool> {
        self.skip_space();
        match self.peek() {
            Some(found) if found == bracket => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.skip_space();
                match self.peek() {
                    Some(found) if found == bracket => Err(SyntaxFault {
                        span: comma..comma + 1,
                        what: format!("there is a comma after the last entry of the {what}"),
                        fix: "delete the comma",
                    }),
                    _ => Ok(false),
                }
            }
            None => Err(SyntaxFault {
                span: open..open + 1,
                what: format!("this {what} is not closed"),
                fix: "add the closing bracket",
            }),
            Some(b'/') => Err(self.fault_here("JSON has no comments", "delete the comment")),
            Some(_) => Err(self.fault_here(
                format!("a comma, or the end of the {what}, is missing here"),
                "put a comma between the entries",
            )),
        }
    }

    fn number(&mut self) -> Read<Kind> {
        let start = self.at;
        let digits = |reader: &mut Self| {
            let from = reader.at;
            while matches!(reader.peek(), Some(b'0'..=b'9')) {
                reader.at += 1;
            }
            reader.at - from
        };
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = digits(self);
        let mut good = whole > 0 && !(leading_zero && whole > 1);
        let mut integer = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            integer = false;
            good &= digits(self) > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            integer = false;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good &= digits(self) > 0;
        }
        let text = &self.text[start..self.at];
        let bad = SyntaxFault {
            span: start..self.at,
            what: format!("`{}` is not a number", text.chars().take(40).collect::<String>()),
            fix: "write digits, as in 10, 0.5 or -1e3",
        };
        if !good {
            return Err(bad);
        }
        parsed(text, integer).ok_or(bad)
    }

    fn text(&mut self) -> Read<String> {
        let open = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let from = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(&self.text[from..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(b'\n' | b'\r') | None => {
                    return Err(SyntaxFault {
                        span: open..self.at,
                        what: "this string is not closed".to_owned(),
                        fix: "add the closing quote; a line break inside a string is written \\n",
                    });
                }
                Some(_) => {
                    return Err(self.fault_here(
                        "a string contains a control character",
                        "write it as an escape, as in \\t",
                    ));
                }
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        let bad = |end: usize, text: &str| SyntaxFault {
            span: start
                ..text[start..]
                    .char_indices()
                    .map(|(i, _)| start + i)
                    .find(|i| *i >= end)
                    .unwrap_or(text.len()),
            what: "this escape is unknown".to_owned(),
            fix: "write \\\\ for a backslash; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX",
        };
        let letter = self.bytes.get(self.at + 1).copied();
        self.at += 2;
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => {
                let first = self.hex().ok_or_else(|| bad(start + 6, self.text))?;
                let code = match first {
                    0xd800..=0xdbff if self.bytes[self.at..].starts_with(b"\\u") => {
                        self.at += 2;
                        let second = self.hex().filter(|code| (0xdc00..=0xdfff).contains(code));
                        let second = second.ok_or_else(|| bad(start + 12, self.text))?;
                        0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                    }
                    code => code,
                };
                char::from_u32(code).ok_or_else(|| bad(start + 6, self.text))
            }
            _ => Err(bad(start + 2, self.text)),
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
        self.at += 4;
        Some(code)
    }
}

/// The parsed number, and whether it is exact.
fn parsed(text: &str, integer: bool) -> Option<Kind> {
    if integer && let Ok(number) = text.parse::<i64>() {
        return Some(Kind::Number(Exactness::Exact, number.into()));
    }
    if integer && let Ok(number) = text.parse::<u64>() {
        return Some(Kind::Number(Exactness::Exact, number.into()));
    }
    let float: f64 = text.parse().ok()?;
    // Too large for a double: the largest is used, and reported as inexact.
    let finite = if float.is_finite() { float } else { f64::MAX.copysign(float) };
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let significant = digits.len() - zeros;
    let exact =
        float.is_finite() && !integer && significant <= 17 && (float != 0.0 || significant == 0);
    let exactness = if exact { Exactness::Exact } else { Exactness::Rounded };
    Number::from_f64(finite).map(|number| Kind::Number(exactness, number))
}
