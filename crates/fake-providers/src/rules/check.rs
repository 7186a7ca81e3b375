//! The checks that more than one provider makes; each looks at one visited place.

use serde_json::Value;

use super::{
    pattern::{self, Feature},
    refs::{self, Referent},
    refusal::Report,
    walk::{Place, Visit},
};

/// The root must have `type: "object"` explicitly.
pub(crate) fn root_is_object(report: &mut Report, visits: &[Visit<'_>]) {
    if visits.first().is_some_and(|root| root.text("type") != Some("object")) {
        report.refuse("", "root-type", "the root must have `type: \"object\"`");
    }
}

/// The root may not have these, whatever is allowed further down.
pub(crate) fn root_without(report: &mut Report, visits: &[Visit<'_>], keywords: &[&str]) {
    let Some(root) = visits.first() else { return };
    for keyword in keywords.iter().filter(|keyword| root.has(keyword)) {
        report.refuse(&root.at(keyword), "root-union", format!("no `{keyword}` at the root"));
    }
}

pub(crate) fn without(report: &mut Report, visit: &Visit<'_>, keywords: &[&str]) {
    for keyword in keywords.iter().filter(|keyword| visit.has(keyword)) {
        report.refuse(&visit.at(keyword), "keyword", format!("`{keyword}` is not supported"));
    }
}

/// Every object has `additionalProperties: false`.
pub(crate) fn closed(report: &mut Report, visit: &Visit<'_>) {
    match visit.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        Some(_) => {
            let message = "`additionalProperties` must be false; maps and open objects are refused";
            report.refuse(&visit.at("additionalProperties"), "closed", message);
        }
        None if visit.is_object() => {
            let message = "an object must set `additionalProperties` to false";
            report.refuse(&visit.pointer, "closed", message);
        }
        None => {}
    }
}

/// Every name in `required` must be declared in `properties`.
pub(crate) fn required_is_declared(report: &mut Report, visit: &Visit<'_>) {
    for (index, name) in visit.list("required").iter().enumerate() {
        let declared = name.as_str().and_then(|name| visit.get("properties")?.get(name));
        if declared.is_none() {
            let message = format!("`required` names {name}, which `properties` does not declare");
            let at = format!("{}/{index}", visit.at("required"));
            report.refuse(&at, "required", message);
        }
    }
}

pub(crate) fn array_has_items(report: &mut Report, visit: &Visit<'_>) {
    if visit.is_type("array") && !visit.has("items") {
        report.refuse(&visit.pointer, "array-items", "an array must have `items`");
    }
}

/// `true` or `false` instead of a schema, except under the given keywords.
pub(crate) fn not_boolean(report: &mut Report, visit: &Visit<'_>, except: &[&str]) {
    let excepted = matches!(visit.place, Place::Under(keyword) if except.contains(&keyword));
    if let (Value::Bool(found), false) = (visit.schema, excepted) {
        let message = format!("`{found}` is not a schema here; write an object");
        report.refuse(&visit.pointer, "boolean-schema", message);
    }
}

pub(crate) fn format_is_one_of(report: &mut Report, visit: &Visit<'_>, known: &[&str]) {
    if let Some(format) = visit.text("format").filter(|format| !known.contains(format)) {
        let message = format!("format `{format}` is unknown; known: {}", known.join(", "));
        report.refuse(&visit.at("format"), "format", message);
    }
}

pub(crate) fn pattern_without(report: &mut Report, visit: &Visit<'_>, refused: &[Feature]) {
    let Some(text) = visit.text("pattern") else { return };
    for feature in pattern::features(text).iter().filter(|feature| refused.contains(feature)) {
        report.refuse(&visit.at("pattern"), "pattern", format!("regex has {feature:?}"));
    }
}

/// The values of `enum` and `const` must satisfy `fits`.
pub(crate) fn literals_are(
    report: &mut Report,
    visit: &Visit<'_>,
    fits: fn(&Value) -> bool,
    expected: &str,
) {
    for (index, value) in visit.list("enum").iter().enumerate().filter(|(_, value)| !fits(value)) {
        let at = format!("{}/{index}", visit.at("enum"));
        report.refuse(&at, "literal", format!("enum value {value} must be {expected}"));
    }
    if let Some(value) = visit.get("const").filter(|value| !fits(value)) {
        report.refuse(&visit.at("const"), "literal", format!("const {value} must be {expected}"));
    }
}

pub(crate) fn is_primitive(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Beside `$ref` only the keywords in `allowed`.
pub(crate) fn ref_siblings(report: &mut Report, visit: &Visit<'_>, allowed: fn(&str) -> bool) {
    if visit.has("$ref") {
        for sibling in visit.keywords().filter(|&keyword| keyword != "$ref" && !allowed(keyword)) {
            let message = format!("`{sibling}` is not allowed beside `$ref`");
            report.refuse(&visit.at(sibling), "ref-sibling", message);
        }
    }
}

/// Every `$ref` must resolve inside the document, in a form that `spelled` allows.
pub(crate) fn refs_resolve(
    report: &mut Report,
    visits: &[Visit<'_>],
    spelled: fn(&str) -> bool,
    spelling: &str,
) {
    for (index, visit) in visits.iter().enumerate() {
        let Some(referent) = refs::referent(visits, index) else { continue };
        let reference = visit.text("$ref").unwrap_or_default();
        match referent {
            Referent::Remote => {
                let message = format!("`{reference}` is another document, which is not fetched");
                report.refuse(&visit.at("$ref"), "ref-remote", message);
            }
            Referent::Missing => {
                let message = format!("`{reference}` leads nowhere");
                report.refuse(&visit.at("$ref"), "ref-missing", message);
            }
            Referent::Schema(_) | Referent::Elsewhere if !spelled(reference) => {
                let message = format!("`{reference}` must be spelled {spelling}");
                report.refuse(&visit.at("$ref"), "ref-spelling", message);
            }
            Referent::Schema(_) | Referent::Elsewhere => {}
        }
    }
}

/// Whether a reference names a top-level definition under one of these keywords.
pub(crate) fn is_definition_ref(reference: &str, keywords: &[&str]) -> bool {
    let mut steps = reference.split('/');
    steps.next() == Some("#")
        && steps.next().is_some_and(|step| keywords.contains(&step))
        && steps.next().is_some_and(|name| !name.is_empty())
        && steps.next().is_none()
}

/// A schema without any of these has no type.
pub(crate) fn says_one_of(report: &mut Report, visit: &Visit<'_>, keywords: &[&str]) {
    if visit.schema.is_object() && !keywords.iter().any(|keyword| visit.has(keyword)) {
        let message = format!("the schema needs one of: {}", keywords.join(", "));
        report.refuse(&visit.pointer, "type-missing", message);
    }
}
