//! The keywords at which a schema contains other schemas.
//!
//! Every walk over a schema goes by these positions, never by key name: a property
//! called `title`, `$ref` or `properties` is an ordinary property.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// How a keyword contains schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Schema,
    List,
    Map,
    /// `items` of the older drafts: one schema, or a list of them.
    SchemaOrList,
    /// `dependencies`: each entry is a schema or a list of names.
    Dependencies,
}

/// Whether the schemas at a keyword describe the same value or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    SameValue,
    Part,
}

pub(crate) fn position(keyword: &str) -> Option<(Position, Reach)> {
    Some(match keyword {
        "properties" | "patternProperties" => (Position::Map, Reach::Part),
        "$defs" | "definitions" => (Position::Map, Reach::Part),
        "dependentSchemas" => (Position::Map, Reach::SameValue),
        "allOf" | "anyOf" | "oneOf" => (Position::List, Reach::SameValue),
        "prefixItems" => (Position::List, Reach::Part),
        "items" => (Position::SchemaOrList, Reach::Part),
        "additionalProperties" | "additionalItems" | "contains" | "propertyNames" => {
            (Position::Schema, Reach::Part)
        }
        "unevaluatedProperties" | "unevaluatedItems" | "contentSchema" => {
            (Position::Schema, Reach::Part)
        }
        "not" | "if" | "then" | "else" => (Position::Schema, Reach::SameValue),
        "dependencies" => (Position::Dependencies, Reach::SameValue),
        _ => return None,
    })
}

/// One schema inside another: the keyword, the name or index under it, the schema.
pub(crate) struct Inner<'s> {
    pub(crate) keyword: &'s str,
    pub(crate) segment: Option<Cow<'s, str>>,
    pub(crate) schema: &'s Value,
}

/// The schemas directly inside one schema, in the order of the document.
pub(crate) fn inner_schemas(schema: &Map<String, Value>) -> Vec<Inner<'_>> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let Some((position, _)) = position(keyword) else { continue };
        let mut push = |segment, schema| {
            found.push(Inner { keyword, segment, schema });
        };
        match (position, value) {
            (Position::Schema | Position::SchemaOrList, Value::Object(_) | Value::Bool(_)) => {
                push(None, value);
            }
            (Position::List | Position::SchemaOrList, Value::Array(list)) => {
                for (index, item) in list.iter().enumerate() {
                    push(Some(Cow::Owned(index.to_string())), item);
                }
            }
            (Position::Map, Value::Object(map)) => {
                for (name, item) in map {
                    push(Some(Cow::Borrowed(name)), item);
                }
            }
            (Position::Dependencies, Value::Object(map)) => {
                for (name, item) in map.iter().filter(|(_, item)| !item.is_array()) {
                    push(Some(Cow::Borrowed(name)), item);
                }
            }
            _ => {}
        }
    }
    found
}

/// Keywords that only describe: they never decide whether a value fits.
pub(crate) fn describes(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "example"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
    ) || keyword.starts_with("x-")
}

/// Adds one reference token to a JSON pointer.
pub(crate) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for character in segment.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// A JSON pointer with one more token.
pub(crate) fn joined(pointer: &str, segment: &str) -> String {
    let mut joined = pointer.to_owned();
    push_segment(&mut joined, segment);
    joined
}
