//! Asks a full validator whether a value fits one branch of the contract.
//!
//! Must hold: a check is compiled once, when first used; a schema that cannot be compiled fits
//! nothing, so that encoding fails instead of guessing.

use std::fmt;
use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, Validator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::closed_objects::{closed, closed_value};

/// Locations in the contract, compiled on first use: one of the lists must hold as a whole.
#[derive(Clone)]
pub(crate) struct Check {
    places: Vec<Vec<CheckPlace>>,
    /// With unspecified objects read as closed.
    closed: Arc<OnceLock<Option<Validator>>>,
    /// With unspecified objects read as open.
    plain: Arc<OnceLock<Option<Validator>>>,
}

/// A schema of the contract, without the keywords that others in the list represent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CheckPlace {
    pub(crate) pointer: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<&'static str>,
}

/// How to read an object that names properties and is neither open nor closed explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Closed,
    Plain,
}

/// The identifier of the contract inside a check's own document.
const CONTRACT: &str = "urn:ghosthand:contract";

impl Check {
    pub(crate) fn new(places: Vec<Vec<CheckPlace>>) -> Self {
        Self { places, closed: Arc::default(), plain: Arc::default() }
    }

    pub(crate) fn fits(&self, contract: Option<&Value>, reading: Reading, value: &Value) -> bool {
        let slot = match reading {
            Reading::Closed => &self.closed,
            Reading::Plain => &self.plain,
        };
        let validator = slot.get_or_init(|| self.compile(contract?, reading));
        validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }

    fn compile(&self, contract: &Value, reading: Reading) -> Option<Validator> {
        let forms: Vec<Value> = self.places.iter().map(|places| form(contract, places)).collect();
        let mut document = match reading {
            Reading::Closed => closed(contract),
            Reading::Plain => contract.clone(),
        };
        let map = document.as_object_mut()?;
        map.insert("$id".to_owned(), CONTRACT.into());
        let definitions = map.entry("$defs").or_insert_with(|| json!({})).as_object_mut()?;
        let mut any = Vec::with_capacity(forms.len());
        for (index, form) in forms.iter().enumerate() {
            // Names of normalised definitions have no colons.
            let name = format!("form:{index}");
            any.push(json!({ "$ref": format!("{CONTRACT}#/$defs/{name}") }));
            let form = match reading {
                Reading::Closed => closed_value(contract, form),
                Reading::Plain => form.clone(),
            };
            definitions.insert(name, form);
        }
        let schema = json!({ "anyOf": any, "$defs": { "contract": document } });
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .offline()
            .build(&schema)
            .ok()
    }
}

/// Several locations of the contract that must all hold.
///
/// Unevaluated properties are determined over all of them together: a union that was split
/// is next to the schema whose `unevaluatedProperties` depends on it.
fn form(contract: &Value, places: &[CheckPlace]) -> Value {
    let mut whole = Map::new();
    let mut parts = Vec::with_capacity(places.len());
    for place in places {
        let mut part = contract.pointer(&place.pointer).cloned().unwrap_or(Value::Bool(true));
        if let Value::Object(map) = &mut part {
            map.shift_remove("$defs");
            for keyword in &place.without {
                map.shift_remove(*keyword);
            }
            for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
                if map.shift_remove(keyword) == Some(Value::Bool(false)) {
                    whole.insert(keyword.to_owned(), Value::Bool(false));
                }
            }
        }
        parts.push(part);
    }
    whole.insert("allOf".to_owned(), Value::Array(parts));
    Value::Object(whole)
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.places).finish()
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.places.serialize(serializer)
    }
}
