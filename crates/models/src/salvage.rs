//! Recovers the complete parts of a truncated JSON answer.
//!
//! In: the beginning of a JSON text. Out: the value with all its complete parts. Must hold:
//! an element of a list is complete or absent; so is a member of an object, except that a
//! list or object that was still open keeps its complete parts; a number at the very end is
//! dropped, because more digits may have followed.

use serde_json::{Map, Value};

/// Deeper nesting is rejected.
const DEPTH_MAX: usize = 128;

/// The complete parts, or `None` if there is not even the beginning of a value.
pub fn salvage(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    match reader.value(0)? {
        Read::Whole(value) | Read::Open(value) => Some(value),
    }
}

enum Read {
    Whole(Value),
    /// The text ended inside this list or object.
    Open(Value),
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Read> {
        self.skip_space();
        match self.rest.chars().next()? {
            '{' if depth < DEPTH_MAX => Some(self.object(depth)),
            '[' if depth < DEPTH_MAX => Some(self.list(depth)),
            '"' => self.string().map(|text| Read::Whole(Value::String(text))),
            '-' | '0'..='9' => self.number().map(Read::Whole),
            _ => self.word().map(Read::Whole),
        }
    }

    /// Only complete elements.
    fn list(&mut self, depth: usize) -> Read {
        self.eat('[');
        let mut items = Vec::new();
        loop {
            if self.eat(']') {
                return Read::Whole(Value::Array(items));
            }
            match self.value(depth + 1) {
                Some(Read::Whole(item)) => items.push(item),
                Some(Read::Open(_)) | None => return Read::Open(Value::Array(items)),
            }
            if !self.eat(',') && !self.rest.starts_with(']') {
                return Read::Open(Value::Array(items));
            }
        }
    }

    /// The last member may itself be open; then nothing follows it.
    fn object(&mut self, depth: usize) -> Read {
        self.eat('{');
        let mut members = Map::new();
        loop {
            if self.eat('}') {
                return Read::Whole(Value::Object(members));
            }
            self.skip_space();
            let Some(key) = self.string() else { return Read::Open(Value::Object(members)) };
            if !self.eat(':') {
                return Read::Open(Value::Object(members));
            }
            match self.value(depth + 1) {
                Some(Read::Whole(value)) => members.insert(key, value),
                Some(Read::Open(value)) => {
                    members.insert(key, value);
                    return Read::Open(Value::Object(members));
                }
                None => return Read::Open(Value::Object(members)),
            };
            if !self.eat(',') && !self.rest.starts_with('}') {
                return Read::Open(Value::Object(members));
            }
        }
    }

    /// A string with both its quotes.
    fn string(&mut self) -> Option<String> {
        let inner = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inner.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let (whole, rest) = self.rest.split_at_checked(end + 2)?;
        self.rest = rest;
        serde_json::from_str(whole).ok()
    }

    /// A number that is followed by something else.
    fn number(&mut self) -> Option<Value> {
        let of_number = |c: char| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest.find(|c| !of_number(c))?;
        let (whole, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        serde_json::from_str(whole).ok()
    }

    fn word(&mut self) -> Option<Value> {
        let words =
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
        words.into_iter().find_map(|(word, value)| {
            self.rest = self.rest.strip_prefix(word)?;
            Some(value)
        })
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn eat(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.rest.strip_prefix(c);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }
}

#[cfg(test)]
mod tests;
