//! Limits that contradict each other, so that no value can fit.

use crate::fault::Faults;
use crate::source::json::{Kind, Node};
use crate::source::text::Text;

/// Pairs of keywords of which the first must not be above the second.
const PAIRS: [(&str, &str); 8] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];

/// Checks the limits of one schema against each other.
pub(super) fn check(text: &Text, schema: &Node, faults: &mut Faults) {
    for (low, high) in PAIRS {
        let (Some(low_node), Some(high_node)) = (schema.get(low), schema.get(high)) else {
            continue;
        };
        let (Some(least), Some(most)) = (number(low_node), number(high_node)) else { continue };
        let exclusive = low.starts_with("exclusive") || high.starts_with("exclusive");
        if least > most || (exclusive && least == most) {
            let (least, most) =
                (&text.content[low_node.span.clone()], &text.content[high_node.span.clone()]);
            let why = format!("`{low}` is {least} and `{high}` is {most}");
            faults.no_value_fits(text, low_node.span.clone(), &why);
        }
    }
    if let Some(node) = schema.get("enum")
        && let Kind::List(items) = &node.kind
        && items.is_empty()
    {
        faults.empty_enum(text, node.span.clone());
    }
}

fn number(node: &Node) -> Option<f64> {
    match &node.kind {
        Kind::Number(_, number) => number.as_f64(),
        Kind::Null | Kind::Bool(_) | Kind::Text(_) | Kind::List(_) | Kind::Object(_) => None,
    }
}
