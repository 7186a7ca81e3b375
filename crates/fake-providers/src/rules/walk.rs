//! Walks a schema by keyword position and lists every subschema with its place.
//!
//! A property called `$ref`, `title` or `properties` is an ordinary property: names are keywords
//! only at keyword positions. The contents of `enum`, `const`, `default` and `examples` are data
//! and are never entered.

use serde_json::{Map, Value};

/// One subschema: where it is, what it is, and how it was reached.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    /// JSON pointer from the root of the schema; empty for the root.
    pub(crate) pointer: String,
    /// An object or a boolean in a valid schema; anything at all in a broken one.
    pub(crate) schema: &'a Value,
    pub(crate) place: Place<'a>,
    /// Index of its parent visit.
    pub(crate) parent: Option<usize>,
    /// Index of the schema its `#…` references start from: the nearest with `$id`, or the root.
    pub(crate) resource: usize,
}

/// By which keyword a subschema was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Root,
    Property {
        name: &'a str,
        need: Need,
    },
    /// Under `$defs` or `definitions`: it applies to nothing until something refers to it.
    Definition(&'a str),
    Under(&'static str),
}

/// Whether the object that declares a property also requires it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
}

#[derive(Clone, Copy)]
enum Holds {
    One,
    Many,
    /// One schema, or the list of draft-07.
    OneOrMany,
    Named,
    /// Schemas beside lists of names, as in draft-07 `dependencies`.
    NamedOrNames,
}

const POSITIONS: &[(&str, Holds)] = &[
    ("properties", Holds::Named),
    ("patternProperties", Holds::Named),
    ("dependentSchemas", Holds::Named),
    ("dependencies", Holds::NamedOrNames),
    ("$defs", Holds::Named),
    ("definitions", Holds::Named),
    ("items", Holds::OneOrMany),
    ("prefixItems", Holds::Many),
    ("allOf", Holds::Many),
    ("anyOf", Holds::Many),
    ("oneOf", Holds::Many),
    ("additionalItems", Holds::One),
    ("additionalProperties", Holds::One),
    ("contains", Holds::One),
    ("contentSchema", Holds::One),
    ("if", Holds::One),
    ("then", Holds::One),
    ("else", Holds::One),
    ("not", Holds::One),
    ("propertyNames", Holds::One),
    ("unevaluatedItems", Holds::One),
    ("unevaluatedProperties", Holds::One),
];

/// Every subschema, parents before children, in the order of the text.
pub(crate) fn walk(root: &Value) -> Vec<Visit<'_>> {
    let mut visits = Vec::new();
    descend(&mut visits, root, "", Place::Root, None);
    visits
}

fn descend<'a>(
    visits: &mut Vec<Visit<'a>>,
    schema: &'a Value,
    pointer: &str,
    place: Place<'a>,
    parent: Option<usize>,
) {
    let index = visits.len();
    let resource = match parent {
        Some(above) if schema.get("$id").is_none() => visits[above].resource,
        _ => index,
    };
    visits.push(Visit { pointer: pointer.to_owned(), schema, place, parent, resource });
    let Some(keywords) = schema.as_object() else { return };
    for (keyword, value) in keywords {
        let Some((known, holds)) = POSITIONS.iter().find(|(known, _)| known == keyword) else {
            continue;
        };
        let under = format!("{pointer}/{keyword}");
        match (holds, value) {
            (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => {
                for (name, child) in named {
                    if matches!(holds, Holds::NamedOrNames) && child.is_array() {
                        continue;
                    }
                    let place = named_place(known, name, keywords);
                    let at = format!("{under}/{}", escape(name));
                    descend(visits, child, &at, place, Some(index));
                }
            }
            (Holds::Many | Holds::OneOrMany, Value::Array(list)) => {
                for (position, child) in list.iter().enumerate() {
                    let at = format!("{under}/{position}");
                    descend(visits, child, &at, Place::Under(known), Some(index));
                }
            }
            (Holds::One | Holds::OneOrMany, child) => {
                descend(visits, child, &under, Place::Under(known), Some(index));
            }
            // Not a list or map: `shape` reports it, and there is nothing to enter.
            (Holds::Named | Holds::NamedOrNames | Holds::Many, _) => {}
        }
    }
}

fn named_place<'a>(keyword: &'static str, name: &'a str, holder: &Map<String, Value>) -> Place<'a> {
    match keyword {
        "properties" => {
            let required = holder.get("required").and_then(Value::as_array);
            let named = required.is_some_and(|list| list.iter().any(|entry| entry == name));
            let need = if named { Need::Required } else { Need::Optional };
            Place::Property { name, need }
        }
        "$defs" | "definitions" => Place::Definition(name),
        _ => Place::Under(keyword),
    }
}

impl<'a> Visit<'a> {
    pub(crate) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.schema.get(keyword)
    }

    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    pub(crate) fn text(&self, keyword: &str) -> Option<&'a str> {
        self.get(keyword).and_then(Value::as_str)
    }

    pub(crate) fn list(&self, keyword: &str) -> &'a [Value] {
        self.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn keywords(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.schema.as_object().into_iter().flat_map(|map| map.keys().map(String::as_str))
    }

    /// Pointer of one of its keywords.
    pub(crate) fn at(&self, keyword: &str) -> String {
        format!("{}/{}", self.pointer, escape(keyword))
    }

    /// Whether `type` is this name or a list that has it.
    pub(crate) fn is_type(&self, name: &str) -> bool {
        self.text("type") == Some(name) || self.list("type").iter().any(|entry| entry == name)
    }

    /// Whether it describes objects: by its type, or without one by its properties.
    pub(crate) fn is_object(&self) -> bool {
        self.is_type("object")
            || !self.has("type") && (self.has("properties") || self.has("additionalProperties"))
    }
}

/// A key as one step of a JSON pointer.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
