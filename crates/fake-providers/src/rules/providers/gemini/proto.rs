//! Gemini `parameters`: a protobuf `Schema`, of which this file has the complete field list.
//!
//! This is the Developer API; Vertex has three more fields.

use serde_json::Value;

use super::{Root, check_enum};
use crate::rules::check;
use crate::rules::refusal::Report;
use crate::rules::shape;
use crate::rules::walk::{Place, Visit};
use crate::rules::wire::NameRule;

const FIELDS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "default",
    "anyOf",
    "propertyOrdering",
];

/// `null` is spelled `nullable` here; a `null` type is unproven and can always be avoided.
const TYPES: &[&str] = &["string", "number", "integer", "boolean", "array", "object"];

const KEY: NameRule = NameRule {
    first: |letter| letter.is_ascii_alphabetic() || letter == '_',
    rest: |letter| letter.is_ascii_alphanumeric() || letter == '_',
    chars_max: 64,
    spelled: "^[a-zA-Z_][a-zA-Z0-9_]{0,63}$",
};

pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>], root: Root) {
    if root == Root::Arguments && visits.first().is_some_and(|root| kind(root) != "object") {
        report.refuse("", "root-type", "`parameters` must have `type: \"object\"`");
    }
    let mut read = Vec::with_capacity(visits.len());
    for visit in visits {
        // The content of an unknown field is never read; the field itself is refused.
        let is_read = visit.parent.is_none_or(|parent| read.get(parent) == Some(&true))
            && match visit.place {
                Place::Root | Place::Property { .. } => true,
                Place::Under(keyword) => FIELDS.contains(&keyword),
                Place::Definition(_) => false,
            };
        read.push(is_read);
        if is_read {
            check_place(report, visit);
        }
    }
}

fn check_place(report: &mut Report, visit: &Visit<'_>) {
    if !visit.schema.is_object() {
        report.refuse(&visit.pointer, "schema-shape", "a schema must be an object here");
        return;
    }
    for keyword in visit.keywords() {
        let value = visit.get(keyword).unwrap_or(&Value::Null);
        if !FIELDS.contains(&keyword) {
            let message = format!("unknown name `{keyword}`");
            report.refuse(&visit.at(keyword), "keyword", message);
        } else if let Some(expected) = field_mismatch(keyword, value) {
            let message = format!("`{keyword}` must be {expected}");
            report.refuse(&visit.at(keyword), "schema-shape", message);
        } else if keyword != "anyOf" && visit.has("anyOf") {
            let message = format!("`anyOf` must have no siblings, not even `{keyword}`");
            report.refuse(&visit.at(keyword), "any-of-alone", message);
        }
    }
    check::says_one_of(report, visit, &["type", "anyOf"]);
    check::required_is_declared(report, visit);
    check_enum(report, visit);
    check_kind(report, visit);
    if let Place::Property { name, .. } = visit.place
        && !KEY.fits(name)
    {
        let message = format!("property keys must match {}", KEY.spelled);
        report.refuse(&visit.pointer, "property-key", message);
    }
}

fn field_mismatch(keyword: &str, value: &Value) -> Option<&'static str> {
    let all_text = |list: &Value| {
        list.as_array().is_some_and(|list| list.iter().all(|value| value.is_string()))
    };
    let (fits, expected) = match keyword {
        "type" => {
            let known = |name: &str| TYPES.contains(&name.to_ascii_lowercase().as_str());
            (value.as_str().is_some_and(known), "one type name and not `null`; see `nullable`")
        }
        "nullable" => (value.is_boolean(), "a boolean"),
        "enum" | "propertyOrdering" => (all_text(value), "a list of strings"),
        _ => return shape::mismatch(keyword, value),
    };
    (!fits).then_some(expected)
}

/// Rules that depend on the type: formats, and what arrays and objects must have.
fn check_kind(report: &mut Report, visit: &Visit<'_>) {
    let kind = kind(visit);
    let formats: &[&str] = match kind.as_str() {
        "string" => &["enum", "date-time"],
        "integer" => &["int32", "int64"],
        "number" => &["float", "double"],
        _ => &[],
    };
    check::format_is_one_of(report, visit, formats);
    if visit.has("enum") && kind != "string" {
        report.refuse(&visit.at("enum"), "enum-type", "an enum must have `type: \"string\"`");
    }
    if kind == "array" && !visit.has("items") {
        report.refuse(&visit.pointer, "array-items", "`items`: missing field");
    }
    let is_empty =
        visit.get("properties").and_then(Value::as_object).is_none_or(|map| map.is_empty());
    if kind == "object" && is_empty {
        // At the root the whole field is left out; further down the reports differ (unproven),
        // but a free-form object comes back as `{}` at best and can be sent as JSON text.
        let message =
            "`properties` must not be empty; a tool without arguments has no `parameters`";
        report.refuse(&visit.pointer, "object-empty", message);
    }
}

/// The type in lower case: the enum of the protocol is spelled in capitals, both are read.
fn kind(visit: &Visit<'_>) -> String {
    visit.text("type").unwrap_or_default().to_ascii_lowercase()
}
