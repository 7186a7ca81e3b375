//! Merges the rules of several schemas for the items of one list.

use serde_json::Value;

use super::build::{Builder, Seed};
use super::facts::{ArrayFacts, ArrayRest};
use super::merge::least;

impl<'d> Builder<'d> {
    pub(super) fn array(&mut self, members: &[Seed<'d>]) -> ArrayFacts {
        let mut facts = ArrayFacts::default();
        let mut rest: Vec<Seed<'d>> = Vec::new();
        let mut closed = false;
        let mut prefixes: Vec<(&Seed<'d>, &'d [Value])> = Vec::new();
        // What else may have evaluated an item is not followed: the rule is then dropped,
        // which is wider, never narrower.
        let evaluators = ["items", "contains", "anyOf", "oneOf", "if", "dependentSchemas"];
        let plain = !members
            .iter()
            .filter_map(Seed::map)
            .any(|map| evaluators.iter().any(|keyword| map.contains_key(*keyword)));
        for member in members {
            let Some(map) = member.map() else { continue };
            let limit = |key: &str| map.get(key).and_then(Value::as_u64);
            facts.min_items = facts.min_items.max(limit("minItems"));
            facts.max_items = least(facts.max_items, limit("maxItems"));
            let prefix = map.get("prefixItems").and_then(Value::as_array);
            prefixes.push((member, prefix.map_or(&[], Vec::as_slice)));
            match map.get("items") {
                Some(Value::Bool(false)) => closed = true,
                Some(schema @ Value::Object(_)) => rest.push(member.inner(schema, &["items"])),
                _ => {}
            }
            match map.get("unevaluatedItems").filter(|_| plain) {
                Some(Value::Bool(false)) => closed = true,
                Some(schema @ Value::Object(_)) => {
                    rest.push(member.inner(schema, &["unevaluatedItems"]));
                }
                _ => {}
            }
        }
        let longest = prefixes.iter().map(|(_, prefix)| prefix.len()).max().unwrap_or(0);
        for index in 0..longest {
            let seeds = self.prefix_seeds(index, &prefixes);
            let edge = self.edge(seeds);
            facts.prefix.push(edge);
        }
        facts.rest = match rest.is_empty() {
            _ if closed => ArrayRest::Closed,
            true => ArrayRest::Any,
            false => ArrayRest::Each(self.edge(rest)),
        };
        facts
    }

    fn prefix_seeds(&self, index: usize, prefixes: &[(&Seed<'d>, &'d [Value])]) -> Vec<Seed<'d>> {
        let mut seeds = Vec::new();
        for (member, prefix) in prefixes {
            let items = member.map().and_then(|map| map.get("items"));
            match (prefix.get(index), items) {
                (Some(schema), _) => {
                    seeds.push(member.inner(schema, &["prefixItems", &index.to_string()]));
                }
                (None, Some(schema)) => seeds.push(member.inner(schema, &["items"])),
                (None, None) => {}
            }
        }
        seeds
    }
}
