//! The type checks of the 2020-12 meta-schema, as a table from keyword to expected shape.

use serde_json::Value;

use super::{refusal::Report, walk::Visit};

/// Which edition of JSON Schema the shapes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edition {
    Draft2020,
    /// Draft-06, draft-07 and 2019-09: `items` may be a list.
    Draft07,
    /// As draft-07, and the exclusive bounds are booleans.
    Draft04,
}

impl Edition {
    /// What the root's `$schema` declares; 2020-12 without one.
    pub(crate) fn declared(root: &Value) -> Edition {
        let declared = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let names = |editions: &[&str]| editions.iter().any(|edition| declared.contains(edition));
        if names(&["draft-03", "draft-04"]) {
            Edition::Draft04
        } else if names(&["draft-06", "draft-07", "2019-09"]) {
            Edition::Draft07
        } else {
            Edition::Draft2020
        }
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Type,
    Text,
    Flag,
    Number,
    Positive,
    Count,
    List,
    Names,
    NamesByName,
    Map,
    Schemas,
    /// One schema; a list of them is the tuple of draft-07.
    OneSchema,
}

const SHAPES: &[(&str, Shape)] = &[
    ("type", Shape::Type),
    ("$schema", Shape::Text),
    ("$id", Shape::Text),
    ("$ref", Shape::Text),
    ("$anchor", Shape::Text),
    ("$dynamicRef", Shape::Text),
    ("$dynamicAnchor", Shape::Text),
    ("$comment", Shape::Text),
    ("title", Shape::Text),
    ("description", Shape::Text),
    ("format", Shape::Text),
    ("pattern", Shape::Text),
    ("contentEncoding", Shape::Text),
    ("contentMediaType", Shape::Text),
    ("uniqueItems", Shape::Flag),
    ("deprecated", Shape::Flag),
    ("readOnly", Shape::Flag),
    ("writeOnly", Shape::Flag),
    ("minimum", Shape::Number),
    ("maximum", Shape::Number),
    ("exclusiveMinimum", Shape::Number),
    ("exclusiveMaximum", Shape::Number),
    ("multipleOf", Shape::Positive),
    ("minLength", Shape::Count),
    ("maxLength", Shape::Count),
    ("minItems", Shape::Count),
    ("maxItems", Shape::Count),
    ("minContains", Shape::Count),
    ("maxContains", Shape::Count),
    ("minProperties", Shape::Count),
    ("maxProperties", Shape::Count),
    ("enum", Shape::List),
    ("examples", Shape::List),
    ("required", Shape::Names),
    ("dependentRequired", Shape::NamesByName),
    ("properties", Shape::Map),
    ("patternProperties", Shape::Map),
    ("dependentSchemas", Shape::Map),
    ("$defs", Shape::Map),
    ("definitions", Shape::Map),
    ("allOf", Shape::Schemas),
    ("anyOf", Shape::Schemas),
    ("oneOf", Shape::Schemas),
    ("prefixItems", Shape::Schemas),
    ("items", Shape::OneSchema),
];

const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// Refuses every keyword whose value the meta-schema does not allow.
pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>], edition: Edition) {
    for visit in visits {
        if !visit.schema.is_object() && !visit.schema.is_boolean() {
            let message = "a schema must be an object or a boolean";
            report.refuse(&visit.pointer, "schema-shape", message);
        }
        for keyword in visit.keywords() {
            let Some(value) = visit.get(keyword) else { continue };
            if let Some(expected) =
                mismatch(keyword, value).filter(|_| !edition.allows(keyword, value))
            {
                let message = format!("`{keyword}` must be {expected} in JSON Schema 2020-12");
                report.refuse(&visit.at(keyword), "schema-shape", message);
            }
        }
    }
}

impl Edition {
    fn allows(self, keyword: &str, value: &Value) -> bool {
        match self {
            Edition::Draft2020 => false,
            Edition::Draft07 => keyword == "items" && value.is_array(),
            Edition::Draft04 => {
                Edition::Draft07.allows(keyword, value)
                    || keyword.starts_with("exclusive") && value.is_boolean()
            }
        }
    }
}

/// What the keyword should have been, or `None` if it is that or unknown.
pub(crate) fn mismatch(keyword: &str, value: &Value) -> Option<&'static str> {
    let (_, shape) = SHAPES.iter().find(|(known, _)| *known == keyword)?;
    let (fits, expected) = match shape {
        Shape::Type => (is_type(value), "a type name or a list of distinct type names"),
        Shape::Text => (value.is_string(), "a string"),
        Shape::Flag => (value.is_boolean(), "a boolean"),
        Shape::Number => (value.is_number(), "a number"),
        Shape::Positive => (value.as_f64().is_some_and(|number| number > 0.0), "a number above 0"),
        Shape::Count => (is_count(value), "a whole number, 0 or more"),
        Shape::List => (value.is_array(), "a list"),
        Shape::Names => (are_names(value), "a list of distinct strings"),
        Shape::NamesByName => {
            let fits = value.as_object().is_some_and(|map| map.values().all(are_names));
            (fits, "an object of lists of distinct strings")
        }
        Shape::Map => (value.is_object(), "an object of schemas"),
        Shape::Schemas => {
            (value.as_array().is_some_and(|list| !list.is_empty()), "a list of at least one schema")
        }
        Shape::OneSchema => (!value.is_array(), "one schema (tuples are `prefixItems`)"),
    };
    (!fits).then_some(expected)
}

fn is_type(value: &Value) -> bool {
    let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match value.as_array() {
        Some(list) => !list.is_empty() && list.iter().all(known) && are_names(value),
        None => known(value),
    }
}

fn is_count(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

fn are_names(value: &Value) -> bool {
    value.as_array().is_some_and(|list| {
        list.iter()
            .enumerate()
            .all(|(index, name)| name.is_string() && !list[..index].contains(name))
    })
}
