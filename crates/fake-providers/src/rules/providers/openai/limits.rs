//! OpenAI strict: size limits per schema, not per request.

use serde_json::Value;

use crate::rules::{
    refusal::Report,
    walk::{Place, Visit},
};

const PROPERTIES_MAX: usize = 5_000;
const LEVELS_MAX: usize = 10;
const NAME_CHARS_MAX: usize = 120_000;
const ENUM_VALUES_MAX: usize = 1_000;
/// A string enum with more values than this also has a limit on their characters.
const ENUM_LONG_VALUES: usize = 250;
const ENUM_LONG_CHARS_MAX: usize = 15_000;

pub(crate) fn check(report: &mut Report, visits: &[Visit<'_>]) {
    let properties = visits.iter().filter(|visit| is_property(visit)).count();
    let enum_values = visits.iter().map(|visit| visit.list("enum").len()).sum();
    let name_chars = visits.iter().map(name_chars).sum();
    let totals = [
        ("limit-properties", "properties", properties, PROPERTIES_MAX),
        ("limit-levels", "levels of nesting", levels(visits), LEVELS_MAX),
        ("limit-names", "characters of names and literals", name_chars, NAME_CHARS_MAX),
        ("limit-enum", "enum values", enum_values, ENUM_VALUES_MAX),
    ];
    for (rule, what, used, max) in totals {
        if used > max {
            report.refuse("", rule, format!("the schema has {used} {what}, the limit is {max}"));
        }
    }
    for visit in visits {
        let values = visit.list("enum");
        let used = values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        if values.len() > ENUM_LONG_VALUES && ENUM_LONG_CHARS_MAX < used {
            let message = format!(
                "an enum of more than {ENUM_LONG_VALUES} values has {used} characters, the limit \
                 is {ENUM_LONG_CHARS_MAX}"
            );
            report.refuse(&visit.at("enum"), "limit-enum-chars", message);
        }
    }
}

fn is_property(visit: &Visit<'_>) -> bool {
    matches!(visit.place, Place::Property { .. })
}

/// Characters of the property or definition name and of the literals of one place.
fn name_chars(visit: &Visit<'_>) -> usize {
    let name = match visit.place {
        Place::Property { name, .. } | Place::Definition(name) => name.chars().count(),
        Place::Root | Place::Under(_) => 0,
    };
    let literals = visit.list("enum").iter().chain(visit.get("const"));
    name + literals.map(literal_chars).sum::<usize>()
}

fn literal_chars(literal: &Value) -> usize {
    literal.as_str().map_or_else(|| literal.to_string().len(), |text| text.chars().count())
}

/// The deepest nesting of objects and arrays, the root being level 1. That arrays count is
/// unproven; a definition starts again at 1, because it may refer to itself.
fn levels(visits: &[Visit<'_>]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(visits.len());
    for visit in visits {
        let above = match (visit.place, visit.parent) {
            (Place::Definition(_), _) | (_, None) => 0,
            (_, Some(parent)) => depths.get(parent).copied().unwrap_or(0),
        };
        depths.push(above + usize::from(visit.is_object() || visit.is_type("array")));
    }
    depths.into_iter().max().unwrap_or(0)
}
