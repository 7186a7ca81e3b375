//! Computes what depends on the whole graph: which values can exist, which nodes are recursive,
//! and how often each is used.

use super::Graph;
use super::facts::{ArrayRest, Edge, Node, NodeId, Presence, Recursion, Rest};
use crate::schema::json_types::Types;

pub(super) fn settle(graph: &mut Graph) {
    inhabit(graph);
    let edges: Vec<Vec<NodeId>> = graph.nodes.iter().map(successors).collect();
    for (id, recursive) in recursive_nodes(&edges).into_iter().enumerate() {
        if recursive {
            graph.nodes[id].recursion = Recursion::Recursive;
        }
    }
    for target in edges.iter().flatten() {
        graph.nodes[target.0].arrivals += 1;
    }
}

/// Finds the types that each value can have. Starts from nothing and grows, so that a value
/// that must contain itself forever is found to be impossible.
fn inhabit(graph: &mut Graph) {
    let mut types = vec![Types::NONE; graph.nodes.len()];
    let mut grew = true;
    while grew {
        grew = false;
        for index in (0..graph.nodes.len()).rev() {
            let found = possible(&graph.nodes[index], &types);
            if found != types[index] {
                types[index] = found;
                grew = true;
            }
        }
    }
    for (node, types) in graph.nodes.iter_mut().zip(&types) {
        node.types = *types;
    }
    for node in &mut graph.nodes {
        if let Some(alternatives) = &mut node.alternatives {
            alternatives.branches.retain(|branch| !types[branch.to.0].is_empty());
        }
        if let Some(values) = &mut node.values {
            values.retain(|value| node.types.has(Types::of(value)));
        }
    }
}

fn possible(node: &Node, types: &[Types]) -> Types {
    let at = |edge: &Edge| types[edge.to.0];
    if let Some(alternatives) = &node.alternatives {
        let branches = alternatives.branches.iter();
        return branches.fold(Types::NONE, |all, branch| all.or(at(branch))).and(node.types);
    }
    let mut possible = node.types;
    let missing = node
        .object
        .fields
        .iter()
        .any(|field| field.presence == Presence::Required && at(&field.edge).is_empty());
    let crossed = node
        .object
        .max_properties
        .is_some_and(|most| node.object.min_properties.is_some_and(|least| least > most));
    if missing || crossed {
        possible = possible.without(Types::OBJECT);
    }
    if at_most(node, types).is_some_and(|most| most < node.array.min_items.unwrap_or(0)) {
        possible = possible.without(Types::ARRAY);
    }
    possible
}

/// How many items an array can have before one that cannot exist.
fn at_most(node: &Node, types: &[Types]) -> Option<u64> {
    let array = &node.array;
    if let Some(index) = array.prefix.iter().position(|edge| types[edge.to.0].is_empty()) {
        return Some(index as u64);
    }
    let ends = match &array.rest {
        ArrayRest::Any => false,
        ArrayRest::Closed => true,
        ArrayRest::Each(edge) => types[edge.to.0].is_empty(),
    };
    ends.then_some(array.prefix.len() as u64)
}

pub(super) fn successors(node: &Node) -> Vec<NodeId> {
    if let Some(alternatives) = &node.alternatives {
        return alternatives.branches.iter().map(|edge| edge.to).collect();
    }
    let mut found: Vec<NodeId> = Vec::new();
    if node.types.has(Types::OBJECT) {
        found.extend(node.object.fields.iter().map(|field| field.edge.to));
        found.extend(node.object.patterns.iter().map(|(_, edge)| edge.to));
        if let Rest::Open(edge) = &node.object.rest {
            found.push(edge.to);
        }
    }
    if node.types.has(Types::ARRAY) {
        found.extend(node.array.prefix.iter().map(|edge| edge.to));
        if let ArrayRest::Each(edge) = &node.array.rest {
            found.push(edge.to);
        }
    }
    found
}

/// Tarjan's algorithm, without recursion: true for each node that can reach itself.
pub(crate) fn recursive_nodes(edges: &[Vec<NodeId>]) -> Vec<bool> {
    let count = edges.len();
    let mut order = vec![usize::MAX; count];
    let mut low = vec![usize::MAX; count];
    let mut on_stack = vec![false; count];
    let mut recursive = vec![false; count];
    let mut stack = Vec::new();
    let mut next = 0;
    for start in 0..count {
        if order[start] != usize::MAX {
            continue;
        }
        let mut path = vec![(start, 0usize)];
        while let Some((node, edge)) = path.last().copied() {
            if edge == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(target) = edges[node].get(edge).map(|target| target.0) {
                if let Some(last) = path.last_mut() {
                    last.1 += 1;
                }
                if target == node {
                    recursive[node] = true;
                }
                if order[target] == usize::MAX {
                    path.push((target, 0));
                } else if on_stack[target] {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                close_component(node, &mut stack, &mut on_stack, &mut recursive);
            }
        }
    }
    recursive
}

fn close_component(
    node: usize,
    stack: &mut Vec<usize>,
    on_stack: &mut [bool],
    recursive: &mut [bool],
) {
    let start = stack.iter().rposition(|member| *member == node).unwrap_or(0);
    let members = stack.split_off(start);
    for member in &members {
        on_stack[*member] = false;
        if members.len() > 1 {
            recursive[*member] = true;
        }
    }
}
