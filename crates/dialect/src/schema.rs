//! Checks schemas themselves, and walks over their parts.

pub(crate) mod equality;
pub(crate) mod formats;
pub(crate) mod from_type;
pub(crate) mod json_types;
pub(crate) mod pattern;
pub(crate) mod subschemas;

use std::cell::OnceCell;

use contract::Pointer;
use jsonschema::{Draft, ValidationOptions, Validator, ValidatorMap};
use serde_json::Value;

use crate::arguments::complaint::{Complaint, complain, nearest_of};

/// Everything in a schema that the 2020-12 meta-schema does not allow.
pub fn schema_complaints(schema: &Value) -> Vec<Complaint> {
    if jsonschema::draft202012::meta::is_valid(schema) {
        return Vec::new();
    }
    let meta = jsonschema::draft202012::meta::validator();
    let mut complaints: Vec<Complaint> = Vec::new();
    for error in meta.iter_errors(schema).take(20) {
        // Authors need the complaint of the nearest branch, not that of the meta-schema's union.
        let found =
            nearest_of(&error).map_or_else(|| complain(&error, &Value::Null), |one| vec![one]);
        for complaint in found {
            if !complaints.iter().any(|known| known.pointer == complaint.pointer) {
                complaints.push(complaint);
            }
        }
    }
    complaints
}

/// Whether this is a valid regular expression.
pub fn is_pattern(pattern: &str) -> bool {
    crate::Arguments::compile(&serde_json::json!({ "pattern": pattern })).is_ok()
}

/// The schemas inside a schema, each of which can check values separately.
pub struct SubSchemas<'a> {
    root: &'a Value,
    /// Every schema compiled in place; built when the first one has a reference.
    in_place: OnceCell<Option<ValidatorMap>>,
}

impl<'a> SubSchemas<'a> {
    pub fn new(root: &'a Value) -> Self {
        Self { root, in_place: OnceCell::new() }
    }

    /// The complaints of the schema at `pointer` about a value; none if it is invalid.
    pub fn complaints(&self, pointer: &Pointer, value: &Value) -> Vec<Complaint> {
        let Some(schema) = pointer.find(self.root) else { return Vec::new() };
        let complaints = |validator: &Validator| match validator.is_valid(value) {
            true => Vec::new(),
            false => {
                validator.iter_errors(value).flat_map(|error| complain(&error, schema)).collect()
            }
        };
        if !has_reference(schema) {
            return options().build(schema).map(|alone| complaints(&alone)).unwrap_or_default();
        }
        let map = self.in_place.get_or_init(|| options().build_map(self.root).ok());
        let validator = map.as_ref().and_then(|map| map.get(&format!("#{pointer}")));
        validator.map(complaints).unwrap_or_default()
    }
}

fn options() -> ValidationOptions<'static> {
    jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true).offline()
}

/// Whether there is a reference. A property of that name counts too, which only costs
/// time.
fn has_reference(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.keys().any(|key| matches!(key.as_str(), "$ref" | "$dynamicRef"))
                || map.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
