//! Redacts secrets from everything that leaves a run.
//!
//! It searches for the values that the handler received, in any case, and as they appear in a
//! URL, in JSON, in hexadecimal and in Base64; of longer values also every part that is too
//! long to occur by chance. This catches accidental leaks: an error message, an echoed request,
//! a token shortened for display. It does not catch a handler that hides a secret on purpose;
//! the declared hosts and the lock file protect against that.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use contract::{SecretName, hex};
use serde_json::Value;

use contract::Secret;

const REPLACEMENT: &str = "[secret]";
/// Shorter values occur by chance in Base64 and hexadecimal text.
const ENCODED_VALUE_BYTES_MIN: usize = 8;
/// Lines of a multi-line secret, such as a private key, are secrets themselves.
const LINE_BYTES_MIN: usize = 16;
/// From which length on parts are searched for, and how long these parts are.
const PARTS: [(usize, usize); 2] = [(24, 12), (16, 10)];
/// Of a longer secret, only the parts of its lines are searched for.
const WHOLE_BYTES_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct Redactor(RwLock<Known>);

/// The texts to search for, and the secret that each one reveals.
#[derive(Default)]
struct Known {
    texts: BTreeMap<String, SecretName>,
    /// The patterns are the texts, in order.
    searcher: Option<AhoCorasick>,
}

impl Redactor {
    pub(crate) fn remember(&self, name: &SecretName, secret: &Secret) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.texts.len();
        for text in searched(secret.expose()) {
            known.texts.entry(text).or_insert_with(|| name.clone());
        }
        if known.texts.len() > before {
            let built = AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .build(known.texts.keys());
            // Building fails beyond 2^32 states; limits on secrets keep it far below.
            known.searcher = built.ok();
        }
    }

    pub(crate) fn text(&self, text: &str) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut clean = String::new();
        let mut rest = 0;
        for (start, end) in known.ranges(text) {
            clean.push_str(text.get(rest..start).unwrap_or_default());
            clean.push_str(REPLACEMENT);
            rest = end;
        }
        clean.push_str(text.get(rest..).unwrap_or_default());
        clean
    }

    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) => value,
            Value::Number(ref number) => match self.found_in(&number.to_string()) {
                Some(_) => Value::String(REPLACEMENT.to_owned()),
                None => value,
            },
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.text(&name), self.value(value)))
                .collect(),
        }
    }

    /// The name of the secret in the text, if any.
    pub(crate) fn found_in(&self, text: &str) -> Option<SecretName> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let searcher = known.searcher.as_ref()?;
        let longest = searcher.find_overlapping_iter(text).max_by_key(|found| found.len())?;
        known.texts.values().nth(longest.pattern().as_usize()).cloned()
    }

    /// The name of the secret in the value, if any.
    pub(crate) fn found_in_value(&self, value: &Value) -> Option<SecretName> {
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(number) => self.found_in(&number.to_string()),
            Value::String(text) => self.found_in(text),
            Value::Array(items) => items.iter().find_map(|item| self.found_in_value(item)),
            Value::Object(fields) => fields.iter().find_map(|(name, value)| {
                self.found_in(name).or_else(|| self.found_in_value(value))
            }),
        }
    }
}

impl Known {
    /// The ranges of secrets in the text, in order; overlapping ones are merged.
    fn ranges(&self, text: &str) -> Vec<(usize, usize)> {
        let Some(searcher) = &self.searcher else { return Vec::new() };
        let found = searcher.find_overlapping_iter(text);
        let mut places: Vec<_> = found.map(|found| (found.start(), found.end())).collect();
        places.sort_unstable();
        places.dedup_by(|later, kept| {
            let overlap = later.0 < kept.1;
            if overlap {
                kept.1 = kept.1.max(later.1);
            }
            overlap
        });
        places
    }
}

/// Every text that reveals the secret.
fn searched(value: &str) -> Vec<String> {
    let mut texts = forms(value);
    let lines = || value.lines().map(str::trim).filter(|line| line.len() >= LINE_BYTES_MIN);
    let parts: Vec<String> = match value.len() <= WHOLE_BYTES_MAX {
        true => texts.iter().flat_map(|form| parts(form)).collect(),
        false => lines().flat_map(parts).collect(),
    };
    texts.extend(lines().map(str::to_owned));
    texts.extend(parts);
    texts
}

/// The parts of a text that are long enough to be searched for.
fn parts(text: &str) -> Vec<String> {
    let Some((_, width)) = PARTS.into_iter().find(|(least, _)| text.len() >= *least) else {
        return Vec::new();
    };
    let starts = 0..=text.len().saturating_sub(width);
    // Ranges that cut a multi-byte character are skipped; the next one covers them.
    starts.filter_map(|start| text.get(start..start + width)).map(str::to_owned).collect()
}

/// The encodings in which a secret appears.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned(), escaped(value, "-_.!~*'()"), escaped(value, "-_.*")];
    forms.push(escaped(value, "-_.*").replace("%20", "+"));
    let json = Value::String(value.to_owned()).to_string();
    forms.push(json.trim_matches('"').to_owned());
    forms.push(value.trim().to_owned());
    forms.extend([value.to_lowercase(), value.to_uppercase()]); // beyond ASCII
    if value.len() >= ENCODED_VALUE_BYTES_MIN {
        forms.push(hex(value.as_bytes()));
        forms.extend((0..3).flat_map(|shift| inside_base64(value.as_bytes(), shift)));
    }
    forms.retain(|form| !form.is_empty());
    forms
}

/// Percent-encoded, except letters, digits and `kept`.
fn escaped(value: &str, kept: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        let char = char::from(byte);
        if char.is_ascii_alphanumeric() || kept.contains(char) {
            out.push(char);
        } else {
            let _ = write!(out, "%{byte:02X}"); // writing to a string does not fail
        }
        out
    })
}

/// The Base64 characters that depend on this value alone, if `shift` bytes (modulo 3) precede
/// it.
fn inside_base64(value: &[u8], shift: usize) -> [String; 2] {
    let bytes = [&[0u8; 2][..shift], value].concat();
    let own = (shift * 8).div_ceil(6)..bytes.len() * 8 / 6;
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .map(|text| text.get(own.clone()).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests;
