//! Unions of whole values.
//!
//! Must hold: an object that fits two branches of an `anyOf` may have the keys of both,
//! so branches that do not exclude each other become one object with all their fields.

use std::collections::HashMap;

use serde_json::Value;

use super::discriminate::Part;
use super::object::{Others, View};
use super::{Lowered, Lowerer, Overflow};
use crate::graph::{Alternatives, Edge, Node, NodeId, Presence, Recursion, Rest, UnionKind};
use crate::loss::LossKind;
use crate::plan::{Guard, all_disjoint};
use crate::schema::json_types::Types;

/// How deep nested unions are flattened.
const SPREAD_DEPTH_MAX: usize = 32;

/// Which nested unions are flattened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// Those that are inlined anyway.
    Plain,
    /// All of them, because their branches may have to be mixed.
    All,
}

impl Lowerer<'_> {
    pub(crate) fn alternatives(&mut self, union: &Alternatives) -> Result<Lowered, Overflow> {
        let mut edges: Vec<Edge> = Vec::new();
        self.spread(union.kind, &union.branches, Spread::Plain, 0, &mut edges);
        let mixing = union.kind == UnionKind::AnyOf && self.may_mix(&edges);
        if mixing {
            edges.clear();
            self.spread(union.kind, &union.branches, Spread::All, 0, &mut edges);
        }
        let nullable = edges.iter().any(|edge| self.graph.node(edge.to).types == Types::NULL);
        edges.retain(|edge| self.graph.node(edge.to).types != Types::NULL);
        let guards: Vec<Guard> =
            edges.iter().map(|edge| Guard::of_node(self.graph, edge.to)).collect();
        let is_disjoint = all_disjoint(&guards);
        let mut lowered = match edges.as_slice() {
            [] => return Ok(self.only_null(&union.pointer)),
            [edge] => self.place(edge)?,
            _ => match self.values_of(&edges) {
                Some(values) => self.value_union(union, &edges, &values),
                None => self.branches(union, &edges, guards)?,
            },
        };
        if nullable {
            self.allow_null(&mut lowered);
        }
        if union.kind == UnionKind::OneOf && !is_disjoint {
            self.loosened(&mut lowered, &union.pointer);
        }
        Ok(lowered)
    }

    fn loosened(&mut self, lowered: &mut Lowered, pointer: &str) {
        lowered.note("exactly one of the forms fits");
        let what = "`oneOf` is sent as `anyOf`; we check that only one form fits";
        self.lose(LossKind::Noted, pointer, "oneOf", what);
    }

    /// Flattens branches that are unions themselves.
    fn spread(
        &mut self,
        outer: UnionKind,
        branches: &[Edge],
        how: Spread,
        depth: usize,
        edges: &mut Vec<Edge>,
    ) {
        let graph = self.graph;
        for edge in branches {
            let node = graph.node(edge.to);
            let inner = node.alternatives.as_ref().filter(|inner| {
                let alone = inner.branches.len() == 1;
                let plain = !self.is_shared(edge.to)
                    && node.recursion == Recursion::Flat
                    && outer == UnionKind::AnyOf
                    && inner.kind == UnionKind::AnyOf;
                depth < SPREAD_DEPTH_MAX && (alone || plain || how == Spread::All)
            });
            match inner {
                Some(inner) => {
                    if inner.kind == UnionKind::OneOf && inner.branches.len() > 1 {
                        let what = "`oneOf` is sent as `anyOf`; we check that only one form fits";
                        self.lose(LossKind::Noted, &inner.pointer, "oneOf", what);
                    }
                    self.spread(outer, &inner.branches, how, depth + 1, edges);
                }
                None => edges.push(edge.clone()),
            }
        }
    }

    /// Whether one object may fit both a branch that is not explicitly closed and another one.
    fn may_mix(&self, edges: &[Edge]) -> bool {
        let objects: Vec<(&Edge, Guard)> = edges
            .iter()
            .map(|edge| (edge, Guard::of_node(self.graph, edge.to)))
            .filter(|(_, guard)| guard.types.has(Types::OBJECT))
            .collect();
        objects.iter().enumerate().any(|(index, (edge, guard))| {
            let open = self.graph.node(edge.to).alternatives.is_some() || self.is_unspecified(edge);
            let others = objects.iter().enumerate().filter(|(other, _)| *other != index);
            open && others.into_iter().any(|(_, (_, other))| !guard.disjoint(other))
        })
    }

    /// Whether a node is an object that names properties and is neither open nor closed
    /// explicitly.
    fn is_unspecified(&self, edge: &Edge) -> bool {
        let node = self.graph.node(edge.to);
        node.types.has(Types::OBJECT)
            && node.alternatives.is_none()
            && node.values.is_none()
            && matches!(node.object.rest, Rest::Unspecified)
            && !node.object.fields.is_empty()
    }

    /// All values, if every branch is a list of values.
    fn values_of(&self, edges: &[Edge]) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for edge in edges {
            let node = self.graph.node(edge.to);
            if !node.validator_only.is_empty() || node.alternatives.is_some() {
                return None;
            }
            values.extend(node.values.iter().flatten().cloned());
            node.values.as_ref()?;
        }
        Some(values)
    }

    fn value_union(&mut self, union: &Alternatives, edges: &[Edge], values: &[Value]) -> Lowered {
        let mut unique: Vec<Value> = Vec::new();
        for value in values {
            if !unique.contains(value) {
                unique.push(value.clone());
            }
        }
        let mut lowered = self.listed_values(&union.pointer, &unique);
        for edge in edges {
            let node = self.graph.node(edge.to);
            let text = edge.description.as_ref().or(node.description.as_ref());
            if let (Some(text), Some([value])) = (text, node.values.as_deref()) {
                lowered.note(format!("{value}: {text}"));
            }
        }
        lowered
    }

    fn branches(
        &mut self,
        union: &Alternatives,
        edges: &[Edge],
        guards: Vec<Guard>,
    ) -> Result<Lowered, Overflow> {
        let mut parts = Vec::with_capacity(edges.len());
        let folded = self.folded(union, edges, &guards);
        if !folded.is_empty() {
            let check = folded.iter().map(|edge| self.sources(edge)).collect();
            let lowered = self.fold(union, &folded)?;
            parts.push(Part { lowered, contract: Guard::of_types(Types::OBJECT), check });
        }
        for (edge, contract) in edges.iter().zip(guards) {
            if !folded.iter().any(|other| other.to == edge.to) {
                let lowered = self.place(edge)?;
                parts.push(Part { lowered, contract, check: vec![self.sources(edge)] });
                continue;
            }
            // The object part is in the merged object; the branch's other types stay separate.
            let node = self.graph.node(edge.to);
            for kind in node.types.without(Types::OBJECT).kinds() {
                let lowered = self.kind(node, kind)?;
                let contract = Guard::of_types(kind);
                parts.push(Part { lowered, contract, check: vec![self.sources(edge)] });
            }
        }
        Ok(self.join(parts, &union.pointer, union.kind.keyword()))
    }

    /// The open objects among the branches, if one value may fit several of them.
    fn folded(&self, union: &Alternatives, edges: &[Edge], guards: &[Guard]) -> Vec<Edge> {
        if union.kind == UnionKind::OneOf {
            return Vec::new();
        }
        let unsaid = || edges.iter().zip(guards).filter(|(edge, _)| self.is_unspecified(edge));
        let looks: Vec<Guard> =
            unsaid().map(|(_, guard)| Guard { types: Types::OBJECT, ..guard.clone() }).collect();
        if looks.len() < 2 || all_disjoint(&looks) {
            return Vec::new();
        }
        unsaid().map(|(edge, _)| edge.clone()).collect()
    }

    /// One object with the fields of all branches; those that all branches require are required.
    fn fold(&mut self, union: &Alternatives, edges: &[Edge]) -> Result<Lowered, Overflow> {
        let graph = self.graph;
        let nodes: Vec<&Node> = edges.iter().map(|edge| graph.node(edge.to)).collect();
        let mut names: Vec<&str> = Vec::new();
        let mut found: HashMap<&str, (Vec<&Edge>, usize)> = HashMap::new();
        for node in &nodes {
            for field in &node.object.fields {
                let (edges, count) = found.entry(&field.name).or_insert_with(|| {
                    names.push(&field.name);
                    (Vec::new(), 0)
                });
                if !edges.iter().any(|edge| edge.to == field.edge.to) {
                    edges.push(&field.edge);
                }
                *count += usize::from(field.presence == Presence::Required);
            }
        }
        let fields = names
            .iter()
            .filter_map(|name| {
                let (edges, count) = found.remove(name)?;
                let always = count == nodes.len();
                let presence = if always { Presence::Required } else { Presence::Optional };
                Some((*name, edges, presence))
            })
            .collect();
        let view = View { fields, others: Others::None };
        let first = nodes.first().copied().unwrap_or_else(|| graph.node(NodeId(0)));
        let mut lowered = self.object(first, &view)?;
        let forms: Vec<String> = nodes.iter().map(|node| required_names(node)).collect();
        lowered.note(format!("at least one of: {}", forms.join(" | ")));
        let what = "the forms can be mixed, so they are sent as one object; which fields belong \
                    together is stated in the description and checked by us";
        self.lose(LossKind::Noted, &union.pointer, "anyOf", what);
        Ok(lowered)
    }
}

fn required_names(node: &Node) -> String {
    let required = node.object.fields.iter().filter(|field| field.presence == Presence::Required);
    let names: Vec<String> = required.map(|field| format!("`{}`", field.name)).collect();
    if names.is_empty() { "anything".to_owned() } else { names.join(" with ") }
}
