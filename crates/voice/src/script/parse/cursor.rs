//! Reads words, texts, durations and JSON from one line.

use serde_json::Value;

pub(super) struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    pub(super) fn next_word(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        self.rest = after;
        (!word.is_empty()).then_some(word)
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.trim().is_empty()
    }

    pub(super) fn word(&mut self) -> Result<&'a str, String> {
        self.next_word().ok_or_else(|| "the line ends too early".to_owned())
    }

    /// Takes the word if it comes next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some(after) = rest.strip_prefix(word) else { return false };
        let is_word = after.is_empty() || after.starts_with(char::is_whitespace);
        if is_word {
            self.rest = after;
        }
        is_word
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.take(word) {
            true => Ok(()),
            false => Err(format!("expected `{word}` before `{}`", self.rest.trim())),
        }
    }

    /// A value, after the words that belong to it.
    pub(super) fn then<T>(&mut self, words: &[&str], value: T) -> Result<T, String> {
        words.iter().try_for_each(|word| self.expect(word))?;
        Ok(value)
    }

    /// `1.2s`, `800ms`, `2min`.
    pub(super) fn duration(&mut self) -> Result<u64, String> {
        let word = self.word()?;
        let units = [("ms", 1.0), ("min", 60_000.0), ("s", 1_000.0)];
        let read = |(unit, factor): (&str, f64)| {
            let number = word.strip_suffix(unit)?.parse::<f64>().ok()?;
            let ms = number * factor;
            let seconds = std::time::Duration::try_from_secs_f64(ms / 1_000.0).ok()?;
            u64::try_from(seconds.as_millis()).ok()
        };
        units
            .into_iter()
            .find_map(read)
            .ok_or_else(|| format!("`{word}` is not a duration; write `800ms`, `1.2s` or `2min`"))
    }

    pub(super) fn after_word(&mut self, word: &str) -> Result<u64, String> {
        self.expect(word)?;
        self.duration()
    }

    pub(super) fn optional_duration(&mut self, word: &str) -> Result<Option<u64>, String> {
        if self.take(word) { self.duration().map(Some) } else { Ok(None) }
    }

    /// `3 times`.
    pub(super) fn times(&mut self) -> Result<Option<usize>, String> {
        let rest = self.rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let Ok(number) = number.parse::<usize>() else { return Ok(None) };
        self.rest = after;
        self.expect("times")?;
        Ok(Some(number))
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.rest.trim_start().starts_with('"')
    }

    /// A text in double quotes; `\"` and `\\` stand for themselves.
    pub(super) fn quoted(&mut self) -> Result<String, String> {
        let rest = self.rest.trim_start();
        let mut text = String::new();
        let mut characters = rest.char_indices();
        if !matches!(characters.next(), Some((_, '"'))) {
            return Err(format!("expected a text in double quotes before `{rest}`"));
        }
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = &rest[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err("the text has no closing quote".to_owned())
    }

    /// The next JSON value.
    pub(super) fn json(&mut self) -> Result<Value, String> {
        let rest = self.rest.trim_start();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            Some(Err(fault)) => return Err(format!("invalid JSON: {fault}")),
            None => return Err("expected a JSON value".to_owned()),
        };
        self.rest = &rest[values.byte_offset()..];
        Ok(value)
    }

    pub(super) fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.rest).trim()
    }

    /// Everything must have been read.
    pub(super) fn end(&self) -> Result<(), String> {
        match self.rest.trim() {
            "" => Ok(()),
            more => Err(format!("`{more}` is left over")),
        }
    }
}
