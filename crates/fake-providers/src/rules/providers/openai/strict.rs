//! OpenAI strict: closed objects, everything required, and the keywords a grammar can hold.

use crate::rules::{
    check,
    refusal::Report,
    walk::{Need, Place, Visit},
};

const UNSUPPORTED: &[&str] = &[
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
    "$dynamicRef",
];

/// Anthropic's list without `uri`.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>]) {
    for visit in visits {
        check::without(report, visit, UNSUPPORTED);
        check::closed(report, visit);
        check::required_is_declared(report, visit);
        check::format_is_one_of(report, visit, FORMATS);
        check::ref_siblings(report, visit, |_| false);
        check::not_boolean(report, visit, &["additionalProperties"]);
        // "schema must have a 'type' key"; a bare `enum` or `const` has none either.
        check::says_one_of(report, visit, &["type", "anyOf", "$ref"]);
        // Objects as literals are unproven; they can be re-encoded.
        check::literals_are(
            report,
            visit,
            check::is_primitive,
            "a string, number, boolean or null",
        );
        if let Place::Property { name, need: Need::Optional } = visit.place {
            let message = format!("`{name}` must be in `required`; nothing is optional here");
            report.refuse(&visit.pointer, "optional", message);
        }
    }
    let spelled = |reference: &str| {
        reference == "#" || check::is_definition_ref(reference, &["$defs", "definitions"])
    };
    check::refs_resolve(report, visits, spelled, "#, #/$defs/… or #/definitions/…");
}
