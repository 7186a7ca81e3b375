//! Anthropic strict: the subset of JSON Schema that becomes a grammar.

use crate::rules::{
    check,
    grammar::{self, Grammar},
    pattern::Feature,
    refs::{self, Loops},
    refusal::Report,
    walk::Visit,
};

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const GRAMMAR: Grammar = Grammar {
    unsupported: &[
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "maxItems",
    ],
    formats: FORMATS,
    kinds: &["type", "enum", "const", "anyOf", "allOf", "oneOf", "$ref"],
};

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

/// Unproven: siblings of `$ref`, an array without items, a name in `required` without a
/// declaration, `true` as a schema, a schema without a type. Each has a lossless way round:
/// siblings are inlined, an array of anything gets JSON-text items, the name gets a declaration,
/// the last two become JSON text.
fn check_place(report: &mut Report, visit: &Visit<'_>) {
    grammar::check_place(report, visit, &GRAMMAR);
    check::pattern_without(report, visit, PATTERN_REFUSED);
    if visit.get("minItems").is_some_and(|count| count.as_u64().is_none_or(|count| count > 1)) {
        report.refuse(&visit.at("minItems"), "min-items", "`minItems` may only be 0 or 1");
    }
    if visit.list("allOf").iter().any(|branch| branch.get("$ref").is_some()) {
        report.refuse(&visit.at("allOf"), "all-of-ref", "no `$ref` inside `allOf`");
    }
    check::array_has_items(report, visit);
}
