//! References on the wire: schemas that are written once, and recursion that is unrolled.

use serde_json::{Map, Value};

use super::notes;
use super::{Lowered, Lowerer, Overflow};
use crate::graph::{Edge, Graph, NodeId, Presence, Recursion, recursive_nodes};
use crate::loss::LossKind;
use crate::plan::Step;
use crate::schema::json_types::Types;
use crate::target::{FreeForm, References};

/// A schema under `$defs`; its body is missing while it is being written.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) body: Option<(Map<String, Value>, Step)>,
}

/// Whether this contract's references must be inlined.
pub(crate) fn inlined(graph: &Graph, references: References) -> bool {
    match references {
        References::Kept => false,
        References::Inlined => true,
        References::KeptBelowOptional => recursive_without_optional(graph),
    }
}

/// Whether some recursion never passes an optional property.
fn recursive_without_optional(graph: &Graph) -> bool {
    let edges: Vec<Vec<NodeId>> = graph
        .nodes
        .iter()
        .map(|node| {
            let optional: Vec<NodeId> = node
                .object
                .fields
                .iter()
                .filter(|field| field.presence == Presence::Optional)
                .map(|field| field.edge.to)
                .collect();
            let mut targets = graph.successors(node);
            if node.alternatives.is_none() {
                for target in optional {
                    if let Some(index) = targets.iter().position(|found| *found == target) {
                        targets.swap_remove(index);
                    }
                }
            }
            targets
        })
        .collect();
    recursive_nodes(&edges).into_iter().any(|recursive| recursive)
}

impl Lowerer<'_> {
    /// Whether a node is written once and referred to.
    pub(crate) fn is_shared(&self, id: NodeId) -> bool {
        if self.references == References::Inlined {
            return false;
        }
        let node = self.graph.node(id);
        let container = node.types.has(Types::OBJECT.or(Types::ARRAY));
        node.recursion == Recursion::Recursive
            || (node.arrivals > 1 && node.name.is_some() && container && node.values.is_none())
    }

    /// A reference to a node; the node itself is written on the first use.
    pub(crate) fn reference(&mut self, edge: &Edge) -> Result<Lowered, Overflow> {
        let index = match self.shared_of.get(&edge.to) {
            Some(index) => *index,
            None => self.define(edge.to)?,
        };
        let name = &self.shared[index].name;
        let reference = format!("#/$defs/{name}");
        let mut schema = Map::new();
        schema.insert("$ref".to_owned(), reference.into());
        let mut lowered = Lowered::new(schema, Step::Shared(index));
        lowered.description = edge.description.clone();
        Ok(lowered)
    }

    fn define(&mut self, id: NodeId) -> Result<usize, Overflow> {
        let node = self.graph.node(id);
        let wish = node.name.clone().unwrap_or_else(|| "node".to_owned());
        let taken = |name: &str| self.shared.iter().any(|shared| shared.name == name);
        let name = super::free_name(&wish, taken);
        let index = self.shared.len();
        self.shared.push(Shared { name, body: None });
        self.shared_of.insert(id, index);
        self.depth += 1;
        let lowered = self.value(id);
        self.depth -= 1;
        let lowered = lowered?;
        self.shared[index].body = Some(notes::written(lowered));
        Ok(index)
    }

    /// What replaces a recursive value once it is unrolled often enough.
    pub(crate) fn tail(&mut self, id: NodeId) -> Lowered {
        let node = self.graph.node(id);
        let mut lowered = match self.rules.free {
            FreeForm::JsonText => self.json_text(),
            FreeForm::Native | FreeForm::Typed => {
                let mut schema = Map::new();
                if node.types.kinds().len() == 1 || self.rules.free == FreeForm::Typed {
                    schema.insert("type".to_owned(), node.types.keyword());
                    if node.types == Types::ARRAY {
                        schema.insert("items".to_owned(), Value::Object(self.anything()));
                    }
                }
                Lowered::new(schema, Step::Same)
            }
        };
        lowered.description = node.description.clone();
        let name = node.name.clone().unwrap_or_else(|| "the value around it".to_owned());
        lowered.note(format!("the same form as {name}"));
        let fate = match self.rules.free {
            FreeForm::JsonText => LossKind::Reencoded,
            FreeForm::Native | FreeForm::Typed => LossKind::Noted,
        };
        let what = "the recursion is unrolled a few levels deep; deeper values are free-form \
                    on the wire and checked by us";
        self.lose(fate, node.pointer(), "$ref", what);
        lowered
    }
}
