//! The fields in which servers put their models' thinking.
//!
//! `reasoning_content`, `reasoning` and `reasoning_details` are sent back under the same name
//! and in the same form.

use contract::{Delta, Part, Wire};
use serde_json::{Map, Value};

use super::super::json::{grow, list, text};
use super::super::partial_block::{PartialBlock, native_block};

const TEXTS: [&str; 2] = ["reasoning_content", "reasoning"];
const DETAILS: &str = "reasoning_details";

#[derive(Default)]
pub(super) struct Reasoning {
    text: String,
    fields: Map<String, Value>,
}

impl Reasoning {
    /// Reads the reasoning of one delta.
    pub(super) fn read(&mut self, delta: &Value) -> Option<Delta> {
        let mut seen = String::new();
        for name in TEXTS {
            let piece = text(delta, name);
            if piece.is_empty() {
                continue;
            }
            // If a server sends the same text under two names, people see it once.
            if seen.is_empty() {
                seen.push_str(piece);
            }
            grow(&mut self.fields, Map::from_iter([(name.to_owned(), piece.into())]));
        }
        let details = list(delta, DETAILS);
        if seen.is_empty() {
            let text_of_detail =
                |detail: &Value| format!("{}{}", text(detail, "text"), text(detail, "summary"));
            seen = details.iter().map(text_of_detail).collect();
        }
        for detail in details {
            self.add_detail(detail);
        }
        self.text.push_str(&seen);
        (!seen.is_empty()).then_some(Delta::Thinking(seen))
    }

    /// Joins the pieces of one detail, which have the same index and type.
    fn add_detail(&mut self, detail: &Value) {
        let Value::Object(mut piece) = detail.clone() else { return };
        let known = self.fields.entry(DETAILS).or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(known) = known else { return };
        let same = |other: &&mut Value| {
            detail.get("index").is_some()
                && other.get("index") == detail.get("index")
                && other.get("type") == detail.get("type")
        };
        match known.iter_mut().find(same) {
            Some(Value::Object(known)) => {
                for key in ["type", "index", "id", "format"] {
                    piece.shift_remove(key);
                }
                grow(known, piece);
            }
            Some(_) | None => known.push(Value::Object(piece)),
        }
    }

    pub(super) fn piece(self) -> Option<PartialBlock> {
        let Self { text, fields } = self;
        let part = Part::Thinking { text };
        (!fields.is_empty()).then(|| native_block(Wire::Chat, part, Value::Object(fields)))
    }
}
