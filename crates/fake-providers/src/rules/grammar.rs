//! What strict modes have in common: the schema becomes a grammar.

use super::check;
use super::refusal::Report;
use super::walk::Visit;

/// Keywords that no provider's grammar supports. Anthropic lists neither `minProperties` nor
/// `maxProperties`; it refuses the other counts, so these are refused too (unproven).
const UNSUPPORTED: &[&str] = &[
    "oneOf",
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

/// Where the grammars of two providers differ.
pub(crate) struct Grammar {
    /// Unsupported, besides what no grammar supports.
    pub(crate) unsupported: &'static [&'static str],
    pub(crate) formats: &'static [&'static str],
    /// A schema must have one of these.
    pub(crate) kinds: &'static [&'static str],
}

/// Checks one place of the schema.
pub(crate) fn check_place(report: &mut Report, visit: &Visit<'_>, grammar: &Grammar) {
    check::without(report, visit, UNSUPPORTED);
    check::without(report, visit, grammar.unsupported);
    check::closed(report, visit);
    check::required_is_declared(report, visit);
    check::format_is_one_of(report, visit, grammar.formats);
    check::ref_siblings(report, visit, |_| false);
    check::not_boolean(report, visit, &["additionalProperties"]);
    check::says_one_of(report, visit, grammar.kinds);
    check::literals_are(report, visit, check::is_primitive, "a string, number, boolean or null");
}
