//! Gemini `parametersJsonSchema` and `responseJsonSchema`: nearly free JSON Schema.
//!
//! Only the rules about roots, references and loops are documented. What is not listed and has a
//! listed equivalent (`const`, `allOf`, booleans, `null` among literals) counts as
//! refused (unproven).

use serde_json::Value;

use super::{Root, check_enum};
use crate::rules::check;
use crate::rules::refs::{self, Loops};
use crate::rules::refusal::Report;
use crate::rules::shape::{self, Edition};
use crate::rules::walk::Visit;

pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>], root: Root) {
    shape::check(report, visits, Edition::Draft2020);
    if root == Root::Arguments {
        check::root_is_object(report, visits);
        // Unproven; a root union can be wrapped in a property.
        check::root_without(report, visits, &["oneOf", "anyOf", "allOf"]);
    }
    for visit in visits {
        check::ref_siblings(report, visit, |keyword| keyword.starts_with('$'));
        check_enum(report, visit);
        check::without(report, visit, &["const", "allOf"]);
        check::literals_are(report, visit, is_listed, "a string, a number or a boolean");
        // `items: false` after `prefixItems` closes a tuple and is accepted.
        let mut closing = vec!["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];
        if visit
            .parent
            .and_then(|parent| visits.get(parent))
            .is_some_and(|up| up.has("prefixItems"))
        {
            closing.push("items");
        }
        check::not_boolean(report, visit, &closing);
        if root == Root::Arguments && visit.has("title") {
            let message = "`title` makes 2.5 Flash answer MALFORMED_FUNCTION_CALL";
            report.refuse(&visit.at("title"), "title", message);
        }
    }
    // `$defs` and `$anchor` are listed, `definitions` and other pointers are not (unproven).
    let spelled = |reference: &str| {
        !reference.contains('/') || check::is_definition_ref(reference, &["$defs"])
    };
    check::refs_resolve(report, visits, spelled, "#, #/$defs/… or #anchor");
    let endless = refs::looping(visits, Loops::ThroughRequiredOnly);
    if let Some(visit) = endless.and_then(|at| visits.get(at)) {
        let message = "a loop of references must pass through an optional property";
        report.refuse(&visit.at("$ref"), "recursion", message);
    }
}

fn is_listed(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}
