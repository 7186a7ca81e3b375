//! Fills in defaults, and strips arguments that the contract does not name.
//!
//! Both walk the schema by keyword position, through `properties`, `items`, `allOf` and local
//! references. Neither enters `anyOf`, `oneOf` or conditions: only the validator knows which
//! branch applies.

mod fitting;

use serde_json::Value;

use crate::schema::subschemas::joined;

pub(crate) use self::fitting::fill_fitting;

/// How deep a value is searched: deeper than any contract may nest.
const DEPTH_MAX: usize = 64;
/// How deep defaults inside defaults are followed: recursive ones never end.
const NESTED_MAX: usize = 8;
/// How many locations of a value are searched for defaults.
const VISITS_MAX: usize = 200_000;
/// How many defaults one call gets.
const FILLED_MAX: usize = 10_000;

/// A missing property that has a default.
struct Lack<'s> {
    /// JSON pointer of the object that it is missing from.
    place: String,
    name: &'s str,
    property: &'s Value,
    default: &'s Value,
}

impl Lack<'_> {
    fn pointer(&self) -> String {
        joined(&self.place, self.name)
    }

    /// The default, with the defaults of its own properties.
    fn whole(&self, root: &Value) -> Value {
        let mut whole = self.default.clone();
        fill_all(root, self.property, &mut whole);
        whole
    }

    /// Inserts a value where there is none.
    fn put(&self, value: &mut Value, default: Value) {
        if let Some(Value::Object(fields)) = value.pointer_mut(&self.place) {
            fields.entry(self.name).or_insert(default);
        }
    }
}

/// Inserts each declared default that is missing; returns whether there was any.
fn fill_all(root: &Value, schema: &Value, value: &mut Value) -> bool {
    let mut filled = 0;
    for _ in 0..NESTED_MAX {
        let lacks = lacks(root, schema, value);
        if lacks.is_empty() {
            break;
        }
        for lack in lacks.iter().take(FILLED_MAX - filled) {
            lack.put(value, lack.default.clone());
        }
        filled = (filled + lacks.len()).min(FILLED_MAX);
    }
    filled > 0
}

/// The default of every missing property, in the order of the schema.
fn lacks<'s>(root: &'s Value, schema: &'s Value, value: &Value) -> Vec<Lack<'s>> {
    let mut finder = Finder { root, found: Vec::new(), visits: 0 };
    finder.visit(schema, value, "", 0);
    finder.found
}

struct Finder<'s> {
    root: &'s Value,
    found: Vec<Lack<'s>>,
    visits: usize,
}

impl<'s> Finder<'s> {
    fn visit(&mut self, schema: &'s Value, value: &Value, place: &str, depth: usize) {
        self.visits += 1;
        if depth >= DEPTH_MAX || self.visits > VISITS_MAX || self.found.len() >= FILLED_MAX {
            return;
        }
        match value {
            Value::Object(fields) => {
                let properties = schema.get("properties").and_then(Value::as_object);
                for (name, property) in properties.into_iter().flatten() {
                    match (fields.get(name), property.get("default")) {
                        (Some(field), _) => {
                            self.visit(property, field, &joined(place, name), depth + 1);
                        }
                        (None, Some(default)) => {
                            let place = place.to_owned();
                            self.found.push(Lack { place, name, property, default });
                        }
                        (None, None) => {}
                    }
                }
            }
            Value::Array(items) => {
                let each = schema.get("items").into_iter().flat_map(|each| {
                    items.iter().enumerate().map(move |(index, item)| (each, index, item))
                });
                for (each, index, item) in each {
                    self.visit(each, item, &joined(place, &index.to_string()), depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
        }
        let referred = schema.get("$ref").and_then(|_| resolve(self.root, schema));
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for part in referred.into_iter().chain(parts) {
            self.visit(part, value, place, depth + 1);
        }
    }
}

/// Removes each property that a closed object does not name; returns their pointers.
pub(crate) fn strip_unknown(root: &Value, value: &mut Value) -> Vec<String> {
    let mut stripped = Vec::new();
    strip(root, root, value, "", 0, &mut stripped);
    stripped
}

fn strip(
    root: &Value,
    schema: &Value,
    value: &mut Value,
    place: &str,
    depth: usize,
    out: &mut Vec<String>,
) {
    let Some(schema) = resolve(root, schema).filter(|_| depth < DEPTH_MAX) else { return };
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let patterned = schema.get("patternProperties").is_some();
            let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            if closed && !patterned {
                let known = |name: &str| properties.is_some_and(|map| map.contains_key(name));
                let gone: Vec<_> = fields.keys().filter(|name| !known(name)).cloned().collect();
                for name in gone {
                    fields.shift_remove(&name);
                    out.push(joined(place, &name));
                }
            }
            for (name, property) in properties.into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    strip(root, property, field, &joined(place, name), depth + 1, out);
                }
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = schema.get("items") else { return };
            for (index, item) in items.iter_mut().enumerate() {
                strip(root, item_schema, item, &joined(place, &index.to_string()), depth + 1, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Follows local references; a chain that does not end resolves to nothing.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        match schema.get("$ref") {
            Some(Value::String(reference)) => {
                schema = root.pointer(reference.strip_prefix('#')?)?;
            }
            _ => return Some(schema),
        }
    }
    None
}
