//! Enforces a provider's limits: per schema, and summed over the strict tools of a request.
//!
//! Must hold: the same tools are degraded every time: the costliest first, and of equally
//! costly ones the last by name.

use serde_json::{Map, Value};

use super::{Draft, Enforcement};
use crate::target::{Limits, Target};

/// What a strict schema costs a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) optionals: usize,
    pub(crate) unions: usize,
}

/// Degrades tools until the strict ones fit the request's budget.
pub(super) fn degrade_over_budget(drafts: &mut [Draft<'_>], target: &Target) {
    let limits = &target.limits;
    if !limits.sums_over_request() {
        return;
    }
    let mut strict: Vec<&mut Draft<'_>> =
        drafts.iter_mut().filter(|draft| draft.enforcement == Enforcement::Strict).collect();
    let cost = |draft: &Draft<'_>| {
        share(draft.weight.optionals, limits.optionals_max)
            + share(draft.weight.unions, limits.unions_max)
    };
    strict.sort_by(|left, right| {
        cost(right).cmp(&cost(left)).then_with(|| right.source.name.cmp(left.source.name))
    });
    let mut count = strict.len();
    let mut optionals: usize = strict.iter().map(|draft| draft.weight.optionals).sum();
    let mut unions: usize = strict.iter().map(|draft| draft.weight.unions).sum();
    for draft in strict {
        let Some(why) = broken(limits, count, optionals, unions) else { return };
        count -= 1;
        optionals -= draft.weight.optionals;
        unions -= draft.weight.unions;
        draft.degrade(why);
    }
}

/// The first limit of the request that is exceeded.
fn broken(limits: &Limits, count: usize, optionals: usize, unions: usize) -> Option<String> {
    for (found, most, what) in [
        (optionals, limits.optionals_max, "optional properties"),
        (unions, limits.unions_max, "unions"),
        (count, limits.strict_tools_max, "strict tools"),
    ] {
        if found > most {
            return Some(format!("the request has {found} {what}; the limit is {most}"));
        }
    }
    None
}

/// A part of a limit, in thousandths.
fn share(part: usize, limit: usize) -> usize {
    if limit == usize::MAX { 0 } else { part * 1_000 / limit }
}

/// Counts what a wire schema costs.
pub(crate) fn weigh(schema: &Map<String, Value>) -> Weight {
    let mut weight = Weight::default();
    walk(schema, &mut |schema| {
        let properties =
            schema.get("properties").and_then(Value::as_object).map_or(0, |map| map.len());
        let required = schema.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        weight.optionals += properties.saturating_sub(required);
        let union = schema.contains_key("anyOf") || schema.get("type").is_some_and(Value::is_array);
        weight.unions += usize::from(union);
    });
    weight
}

/// Checks that one strict schema is within the provider's limits; the error names the limit.
pub(crate) fn within_limits(schema: &Map<String, Value>, limits: &Limits) -> Result<(), String> {
    let mut properties = 0;
    let mut chars = 0;
    let mut values = 0;
    let mut longest = 0;
    walk(schema, &mut |schema| {
        for name in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            properties += 1;
            chars += name.0.len();
        }
        for name in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            chars += name.0.len();
        }
        if let Some(Value::Array(list)) = schema.get("enum") {
            values += list.len();
            let text: usize = list.iter().map(|value| value.as_str().map_or(4, str::len)).sum();
            chars += text;
            if list.len() > limits.long_enum_values {
                longest = longest.max(text);
            }
        }
    });
    let depth = if limits.depth_max == usize::MAX { 0 } else { depth(schema) };
    let weight = if limits.sums_over_request() { weigh(schema) } else { Weight::default() };
    for (found, most, what) in [
        (properties, limits.properties_max, "properties"),
        (chars, limits.name_chars_max, "characters in names and values"),
        (values, limits.enum_values_max, "listed values"),
        (longest, limits.long_enum_chars_max, "characters in one list of values"),
        (depth, limits.depth_max, "levels of nesting"),
        (weight.optionals, limits.optionals_max, "optional properties"),
        (weight.unions, limits.unions_max, "unions"),
    ] {
        if found > most {
            return Err(format!("the schema has {found} {what}; the limit is {most}"));
        }
    }
    Ok(())
}

type Visit<'v> = dyn FnMut(&Map<String, Value>) + 'v;

/// Visits every schema of a wire schema; these few positions are all that it uses.
fn walk(schema: &Map<String, Value>, visit: &mut Visit<'_>) {
    visit(schema);
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(map)) => {
                map.values().filter_map(Value::as_object).for_each(|inner| walk(inner, visit));
            }
            ("anyOf" | "prefixItems", Value::Array(list)) => {
                list.iter().filter_map(Value::as_object).for_each(|inner| walk(inner, visit));
            }
            ("items" | "additionalProperties", Value::Object(inner)) => walk(inner, visit),
            _ => {}
        }
    }
}

/// The nesting depth of objects and lists, with references resolved; recursion counts once.
fn depth(root: &Map<String, Value>) -> usize {
    fn below<'s>(
        root: &'s Map<String, Value>,
        schema: &'s Map<String, Value>,
        open: &mut Vec<&'s str>,
        known: &mut std::collections::HashMap<&'s str, usize>,
    ) -> usize {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            if open.contains(&name) {
                return 0;
            }
            if let Some(depth) = known.get(name) {
                return *depth;
            }
            let target =
                name.strip_prefix("#/$defs/").and_then(|name| root.get("$defs")?.get(name));
            let Some(Value::Object(target)) = target else { return 0 };
            open.push(name);
            let depth = below(root, target, open, known);
            open.pop();
            known.insert(name, depth);
            return depth;
        }
        let mut deepest = 0;
        for inner in crate::schema::subschemas::inner_schemas(schema) {
            if let (Value::Object(inner_schema), true) = (inner.schema, inner.keyword != "$defs") {
                deepest = deepest.max(below(root, inner_schema, open, known));
            }
        }
        let container = schema.contains_key("properties") || schema.contains_key("items");
        deepest + usize::from(container)
    }
    below(root, root, &mut Vec::new(), &mut std::collections::HashMap::new())
}
