//! Fields of a wire object, and how each encodes its absence.

use serde_json::{Map, Value, json};

use super::key::free_name;
use super::notes;
use super::{Lowered, Lowerer};
use crate::graph::Presence;
use crate::loss::LossKind;
use crate::plan::{Absence, FieldStep, Guard, Step};
use crate::schema::json_types::Types;
use crate::schema::subschemas::push_segment;
use crate::target::{Closing, OptionalFields};

/// One lowered field.
pub(crate) struct WireField {
    pub(crate) contract: String,
    pub(crate) wire: String,
    pub(crate) lowered: Lowered,
    pub(crate) presence: Presence,
    /// Whether the contract's value may be null.
    pub(crate) types: Types,
}

impl Lowerer<'_> {
    /// Writes fields in order, each with its encoding of absence.
    pub(crate) fn wire_object(
        &mut self,
        pointer: &str,
        fields: Vec<WireField>,
    ) -> (Map<String, Value>, Vec<FieldStep>) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut steps = Vec::with_capacity(fields.len());
        for WireField { contract, wire, mut lowered, presence, types } in fields {
            let absence = match (presence, self.rules.optional) {
                (Presence::Optional, OptionalFields::Null) => {
                    self.null_for_absent(&mut lowered, types)
                }
                (Presence::Required, _) | (Presence::Optional, OptionalFields::LeftOut) => {
                    Absence::Omitted
                }
            };
            if presence == Presence::Required || absence != Absence::Omitted {
                required.push(wire.clone());
            }
            if absence != Absence::Omitted {
                let place = property_place(pointer, &contract);
                let what = "every field is required; an omitted field is sent as null";
                self.lose(LossKind::Reencoded, &place, "required", what);
            }
            let (schema, step) = notes::written(lowered);
            properties.insert(wire.clone(), Value::Object(schema));
            steps.push(FieldStep { contract, wire, step, absence });
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() || self.rules.closing == Closing::Always {
            schema.insert("required".to_owned(), json!(required));
        }
        self.close(&mut schema);
        (schema, steps)
    }

    pub(crate) fn close(&self, schema: &mut Map<String, Value>) {
        if self.rules.closing == Closing::Always {
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
    }

    /// Encodes absence as null. If null is also a value, that value gets another encoding.
    fn null_for_absent(&self, lowered: &mut Lowered, types: Types) -> Absence {
        if lowered.step == Step::JsonText {
            lowered.schema.insert("type".to_owned(), json!(["string", "null"]));
            return Absence::Null { explicit: None };
        }
        let wire = |schema| Guard::wire_types(schema, &|name| self.shared_schema(name));
        let step = lowered.step.clone();
        if !types.has(Types::NULL) || !wire(&lowered.schema).has(Types::NULL) {
            self.allow_null(lowered);
            lowered.step = step;
            return Absence::Null { explicit: None };
        }
        if lowered.schema.contains_key("$ref") {
            self.allow_null(lowered);
            lowered.step = step;
        }
        let present = Value::Object(lowered.schema.clone()).to_string();
        let key = free_name("explicit_null", |name| present.contains(&format!("\"{name}\"")));
        let mut form = Map::new();
        form.insert("type".to_owned(), json!("object"));
        form.insert(
            "properties".to_owned(),
            json!({ &key: { "type": "boolean", "enum": [true] } }),
        );
        form.insert("required".to_owned(), json!([&key]));
        self.close(&mut form);
        let form = Value::Object(form);
        match lowered.schema.get_mut("anyOf") {
            Some(Value::Array(branches)) => branches.push(form),
            _ => {
                let inner = std::mem::take(&mut lowered.schema);
                lowered.schema.insert("anyOf".to_owned(), json!([inner, form]));
            }
        }
        lowered.note(format!("null leaves it out; {{\"{key}\": true}} sets null"));
        Absence::Null { explicit: Some(key) }
    }
}

pub(crate) fn property_place(pointer: &str, name: &str) -> String {
    let mut place = pointer.to_owned();
    push_segment(&mut place, "properties");
    push_segment(&mut place, name);
    place
}

/// Adds a field that is always present.
pub(crate) fn add_required(schema: &mut Map<String, Value>, name: &str, field: Map<String, Value>) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(name.to_owned(), Value::Object(field));
    }
    match schema.get_mut("required") {
        Some(Value::Array(required)) => required.push(json!(name)),
        _ => {
            schema.insert("required".to_owned(), json!([name]));
        }
    }
}
