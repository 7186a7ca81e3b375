//! Anthropic strict: the subset of JSON Schema that becomes a grammar.

use crate::rules::{
    check,
    pattern::Feature,
    refs::{self, Loops},
    refusal::Report,
    walk::Visit,
};

/// `minProperties` and `maxProperties` are in no list; counts of the other kinds are refused, so
/// these are too (unproven).
const UNSUPPORTED: &[&str] = &[
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
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

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const PATTERN_REFUSED: &[Feature] =
    &[Feature::Lookaround, Feature::Backreference, Feature::WordBoundary, Feature::LargeRepeat];

pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>]) {
    for visit in visits {
        check_place(report, visit);
    }
    // A pointer to anywhere else than a definition is unproven; it can be moved into `$defs`.
    let spelled = |reference: &str| check::is_definition_ref(reference, &["$defs", "definitions"]);
    check::refs_resolve(report, visits, spelled, "#/$defs/… or #/definitions/…");
    if let Some(visit) = refs::looping(visits, Loops::All).and_then(|at| visits.get(at)) {
        report.refuse(&visit.at("$ref"), "recursion", "recursive schemas are not supported");
    }
}

fn check_place(report: &mut Report, visit: &Visit<'_>) {
    check::without(report, visit, UNSUPPORTED);
    check::closed(report, visit);
    check::format_is_one_of(report, visit, FORMATS);
    check::pattern_without(report, visit, PATTERN_REFUSED);
    check::literals_are(report, visit, check::is_primitive, "a string, number, boolean or null");
    if visit.get("minItems").is_some_and(|count| count.as_u64().is_none_or(|count| count > 1)) {
        report.refuse(&visit.at("minItems"), "min-items", "`minItems` may only be 0 or 1");
    }
    if visit.list("allOf").iter().any(|branch| branch.get("$ref").is_some()) {
        report.refuse(&visit.at("allOf"), "all-of-ref", "no `$ref` inside `allOf`");
    }
    // Unproven, all five. Each has a lossless way round: siblings are inlined, an array of
    // anything gets JSON-text items, a ghost in `required` gets a declaration, `true` and a
    // schema without a type become JSON text.
    check::ref_siblings(report, visit, |_| false);
    check::array_has_items(report, visit);
    check::required_is_declared(report, visit);
    check::not_boolean(report, visit, &["additionalProperties"]);
    check::says_one_of(
        report,
        visit,
        &["type", "enum", "const", "anyOf", "allOf", "oneOf", "$ref"],
    );
}
