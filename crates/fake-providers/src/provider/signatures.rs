//! The signatures of the provider: it accepts one only with the text it was made for.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Signatures and encrypted reasoning with the text they belong to.
#[derive(Debug, Default)]
pub(crate) struct Signatures(Mutex<BTreeMap<String, String>>);

impl Signatures {
    pub(crate) fn add(&self, seal: &str, text: &str) {
        let mut signatures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        signatures.insert(seal.to_owned(), text.to_owned());
    }

    /// Remembers everything in this answer that must come back unchanged.
    pub(crate) fn learn(&self, answer: &Value) {
        match answer {
            Value::Object(fields) => {
                let text = answer["thinking"].as_str().unwrap_or_default();
                let redacted = answer["type"] == "redacted_thinking";
                for (key, value) in fields {
                    match (key.as_str(), value.as_str()) {
                        ("signature" | "encrypted_content" | "thoughtSignature", Some(seal)) => {
                            self.add(seal, text);
                        }
                        ("data", Some(seal)) if redacted => self.add(seal, ""),
                        _ => self.learn(value),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The text of a signature, if it is one of ours.
    pub(crate) fn text(&self, seal: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(seal).cloned()
    }

    pub(crate) fn knows(&self, seal: &str) -> bool {
        self.text(seal).is_some()
    }
}
