//! OpenAI strict: closed objects, everything required, and the keywords that a grammar supports.

use crate::rules::{
    check,
    grammar::{self, Grammar},
    refusal::Report,
    walk::{Need, Place, Visit},
};

/// Anthropic's list without `uri`.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const GRAMMAR: Grammar = Grammar {
    unsupported: &["allOf"],
    formats: FORMATS,
    // "schema must have a 'type' key"; a bare `enum` or `const` has none either.
    kinds: &["type", "anyOf", "$ref"],
};

/// Unproven: objects as literals; they can be re-encoded.
pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>]) {
    for visit in visits {
        grammar::check_place(report, visit, &GRAMMAR);
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
