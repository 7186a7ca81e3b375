//! The contract as a graph of values: what is allowed at each location, with `$ref` and `allOf`
//! merged.
//!
//! In: a normalised schema. Out: a [`Graph`] of [`Node`]s with their facts. Must hold: a
//! node's facts never allow less than the schema (a rule may be dropped; it is
//! then in `validator_only`); cycles are edges, not copies; [`NODES_MAX`] bounds the work.
//!
//! A node is identified by the set of schemas that must all hold for its value. There are
//! finitely many sets, so recursion through `allOf` ends.

mod array;
mod build;
mod cycles;
mod facts;
mod merge;
mod object;
mod unions;
mod validator_only;

pub(crate) use self::build::{RootKind, build};
pub(crate) use self::cycles::recursive_nodes;
pub(crate) use self::facts::{
    Alternatives, ArrayRest, Bound, Edge, Node, NodeId, Presence, Recursion, Rest, Typing,
    UnionKind,
};
pub(crate) use self::merge::numeric;

/// How many nodes one contract may have.
const NODES_MAX: usize = 20_000;

pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: NodeId,
}

/// The graph grew past its budget.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl Graph {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The nodes that a value of this node can contain.
    pub(crate) fn successors(&self, node: &Node) -> Vec<NodeId> {
        cycles::successors(node)
    }

    /// Whether no value is possible here.
    pub(crate) fn is_never(&self, id: NodeId) -> bool {
        self.node(id).types.is_empty()
    }
}

#[cfg(test)]
mod tests;
