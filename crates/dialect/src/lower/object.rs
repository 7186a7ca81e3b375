//! Objects: named fields, maps, and both at once.

use serde_json::{Map, json};

use super::discriminate::Part;
use super::field::{WireField, property_place};
use super::key::wire_key;
use super::rules::property_rules;
use super::{Lowered, Lowerer, Overflow};
use crate::graph::{Edge, Node, Presence, Rest};
use crate::loss::LossKind;
use crate::plan::{CheckPlace, Guard, Step};
use crate::schema::json_types::Types;
use crate::target::Spelling;

/// The fields of an object or of merged branches.
pub(crate) struct View<'n> {
    pub(crate) fields: Vec<(&'n str, Vec<&'n Edge>, Presence)>,
    pub(crate) others: Others<'n>,
}

/// What keys without a field may contain.
pub(crate) enum Others<'n> {
    None,
    /// Anything.
    Any,
    /// One of these.
    Each(Vec<&'n Edge>),
}

impl<'g> Lowerer<'g> {
    pub(crate) fn object_node(&mut self, node: &Node) -> Result<Lowered, Overflow> {
        let facts = &node.object;
        // A field that no value fits is never present.
        let possible = |edge: &Edge| !self.graph.is_never(edge.to);
        let fields = facts.fields.iter().filter(|field| possible(&field.edge));
        let fields = fields.map(|field| (field.name.as_str(), vec![&field.edge], field.presence));
        let patterns = facts.patterns.iter().map(|(_, edge)| edge);
        let others = match &facts.rest {
            Rest::Unspecified if facts.fields.is_empty() => Others::Any,
            Rest::Unspecified | Rest::Closed if facts.patterns.is_empty() => Others::None,
            Rest::Unspecified | Rest::Closed => Others::Each(patterns.collect()),
            Rest::Open(edge) if self.is_any(edge) => Others::Any,
            Rest::Open(edge) => Others::Each(patterns.chain([edge]).collect()),
        };
        let others = match others {
            Others::Each(edges) if edges.iter().any(|edge| self.is_any(edge)) => Others::Any,
            Others::Each(edges) => {
                let edges: Vec<&Edge> = edges.into_iter().filter(|edge| possible(edge)).collect();
                if edges.is_empty() { Others::None } else { Others::Each(edges) }
            }
            Others::None | Others::Any => others,
        };
        let view = View { fields: fields.collect(), others };
        let mut lowered = self.object(node, &view)?;
        if !facts.patterns.is_empty() && self.key_pattern(node).is_none() {
            let keys: Vec<String> =
                facts.patterns.iter().map(|(pattern, _)| format!("`{pattern}`")).collect();
            let note = format!("keys match {}", keys.join(" or "));
            self.noted(&mut lowered, node.pointer(), "patternProperties", note);
        }
        Ok(lowered)
    }

    pub(crate) fn is_any(&self, edge: &Edge) -> bool {
        let node = self.graph.node(edge.to);
        node.types == Types::ANY
            && node.values.is_none()
            && node.alternatives.is_none()
            && node.validator_only.is_empty()
            && self.all_rules(node).is_empty()
    }

    pub(crate) fn object(&mut self, node: &Node, view: &View<'_>) -> Result<Lowered, Overflow> {
        let mut lowered = match (view.fields.is_empty(), &view.others) {
            (true, Others::Any) => self.free_object(node),
            (false, Others::Any) if self.names_nothing(view) => self.free_with_keys(node, view),
            (true, Others::Each(edges)) => self.map(node, edges)?,
            (true, Others::None) if self.rules.spelling == Spelling::Proto => {
                return Ok(self.listed_values(node.pointer(), &[json!({})]));
            }
            (_, others) => self.named(node, view, others)?,
        };
        let whole = lowered.schema.get("type") == Some(&json!("object"));
        for rule in property_rules(node) {
            let keeps_keyword = whole && self.takes_keyword(rule.keyword) && lowered.step.is_same();
            if keeps_keyword {
                lowered.schema.insert(rule.keyword.to_owned(), rule.value);
            } else {
                self.noted(&mut lowered, node.pointer(), rule.keyword, rule.note());
            }
        }
        Ok(lowered)
    }

    /// One value that may be any of several nodes.
    pub(crate) fn any_of_edges(
        &mut self,
        node: &Node,
        edges: &[&Edge],
    ) -> Result<Lowered, Overflow> {
        if let [edge] = edges {
            return self.place(edge);
        }
        let mut parts = Vec::with_capacity(edges.len());
        for edge in edges {
            parts.push(Part {
                lowered: self.place(edge)?,
                contract: Guard::of_node(self.graph, edge.to),
                check: vec![self.sources(edge)],
            });
        }
        Ok(self.join(parts, node.pointer(), "anyOf"))
    }

    pub(crate) fn sources(&self, edge: &Edge) -> Vec<CheckPlace> {
        let sources = self.graph.node(edge.to).sources.iter();
        sources
            .map(|source| CheckPlace {
                pointer: source.at.to_string(),
                without: source.without.clone(),
            })
            .collect()
    }

    /// Named fields, and a field for other keys if there may be some.
    fn named(
        &mut self,
        node: &Node,
        view: &View<'_>,
        others: &Others<'_>,
    ) -> Result<Lowered, Overflow> {
        let mut fields: Vec<WireField> = Vec::with_capacity(view.fields.len());
        let rule = match others {
            Others::None => self.rules.keys,
            Others::Any | Others::Each(_) => self.rules.keys_beside_others,
        };
        let legal =
            |key: &str| view.fields.iter().any(|(name, _, _)| *name == key && rule.takes(key));
        let mut names: Vec<String> = Vec::with_capacity(view.fields.len());
        for (name, _, _) in &view.fields {
            let taken = |key: &str| legal(key) || names.iter().any(|known| known == key);
            names.push(wire_key(name, rule, taken));
        }
        for ((name, edges, presence), wire) in view.fields.iter().zip(names) {
            let possible: Vec<&Edge> =
                edges.iter().filter(|edge| !self.graph.is_never(edge.to)).copied().collect();
            if possible.is_empty() {
                continue;
            }
            if wire != *name {
                let place = property_place(node.pointer(), name);
                let what = format!("the key is sent as `{wire}`, and decoded");
                self.lose(LossKind::Reencoded, &place, "properties", &what);
            }
            let lowered = self.any_of_edges(node, &possible)?;
            let contract = (*name).to_owned();
            let types = possible
                .iter()
                .fold(Types::NONE, |types, edge| types.or(self.graph.node(edge.to).types));
            fields.push(WireField { contract, wire, lowered, presence: *presence, types });
        }
        let (mut schema, steps) = self.wire_object(node.pointer(), fields);
        let mut noted = Lowered::new(Map::new(), Step::Same);
        let rest = self.others(node, others, &mut schema, &mut noted)?;
        let mut lowered = Lowered::new(schema, Step::object(steps, rest));
        lowered.notes = noted.notes;
        Ok(lowered)
    }
}
