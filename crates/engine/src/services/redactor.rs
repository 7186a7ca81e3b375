//! Takes secrets out of what leaves a run.
//!
//! It knows the values that were handed out, also as they look in an address, in a JSON text
//! and in Base64. This catches what a handler lets slip: an error message, an echoed request.
//! It cannot catch a handler that hides a secret on purpose, letter by letter; against that
//! stand the declared hosts and the lock file.

use std::fmt::Write as _;
use std::sync::{PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use contract::SecretName;
use serde_json::Value;

use contract::Secret;

const MARK: &str = "[secret]";
/// Shorter values would be found in any Base64 by chance.
const BASE64_VALUE_BYTES_MIN: usize = 8;
/// Lines of a longer secret, a private key for example, are secrets themselves.
const LINE_BYTES_MIN: usize = 16;

#[derive(Default)]
pub(super) struct Redactor {
    /// What to look for, the longest first.
    known: RwLock<Vec<Known>>,
}

struct Known {
    name: SecretName,
    form: String,
}

impl Redactor {
    pub(super) fn remember(&self, name: &SecretName, secret: &Secret) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for form in forms(secret.expose()) {
            if !known.iter().any(|known| known.form == form) {
                known.push(Known { name: name.clone(), form });
            }
        }
        known.sort_by_key(|known| std::cmp::Reverse(known.form.len()));
    }

    pub(super) fn text(&self, text: &str) -> String {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut clean = text.to_owned();
        for Known { form, .. } in known.iter() {
            if clean.contains(form.as_str()) {
                clean = clean.replace(form.as_str(), MARK);
            }
        }
        clean
    }

    pub(super) fn value(&self, value: Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) => value,
            Value::Number(ref number) => match self.found_in(&number.to_string()) {
                Some(_) => Value::String(MARK.to_owned()),
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

    /// The secret that is in the text, by name.
    pub(super) fn found_in(&self, text: &str) -> Option<SecretName> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|known| text.contains(&known.form)).map(|known| known.name.clone())
    }

    /// The secret that is anywhere in the value, by name.
    pub(super) fn found_in_value(&self, value: &Value) -> Option<SecretName> {
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

/// The ways in which a secret turns up.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned(), escaped(value, "-_.!~*'()"), escaped(value, "-_.*")];
    forms.push(escaped(value, "-_.*").replace("%20", "+"));
    let json = Value::String(value.to_owned()).to_string();
    forms.push(json.trim_matches('"').to_owned());
    forms.push(value.trim().to_owned());
    forms.push(value.to_lowercase()); // as the host of an address is spelled
    forms
        .extend(value.lines().map(str::trim).filter(|l| l.len() >= LINE_BYTES_MIN).map(Into::into));
    if value.len() >= BASE64_VALUE_BYTES_MIN {
        forms.extend((0..3).flat_map(|shift| inside_base64(value.as_bytes(), shift)));
    }
    forms.retain(|form| !form.is_empty());
    forms
}

/// As in an address: everything but letters, digits and `kept` as `%41`.
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

/// The letters that this value, and nothing around it, gives in Base64 if `shift` bytes (or
/// three more, or six) stand before it.
fn inside_base64(value: &[u8], shift: usize) -> [String; 2] {
    let bytes = [&[0u8; 2][..shift], value].concat();
    let own = (shift * 8).div_ceil(6)..bytes.len() * 8 / 6;
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .map(|text| text.get(own.clone()).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests;
