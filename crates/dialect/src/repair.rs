//! Builds the program that repairs common mistakes of models.
//!
//! In: the contract's graph. Out: a [`Program`] that runs after decoding. Must hold: it
//! changes only values that the contract would refuse: a string where no string fits, a
//! listed value in another case.

use std::collections::HashMap;

use serde_json::Value;

use crate::graph::{ArrayRest, Edge, Graph, Node, NodeId, Recursion, Rest, RootKind, build};
use crate::normalise::Normalised;
use crate::plan::{
    Absence, Branch, FieldStep, Guard, Plan, Program, RestStep, Step, all_disjoint, union,
};
use crate::schema::json_types::Types;
use crate::target::AnyCase;

/// How deep values are repaired.
const DEPTH_MAX: usize = 40;
/// How many locations of one contract are repaired.
const PLACES_MAX: usize = 4_000;

/// A plan that only repairs, for answers that are already in the contract's form.
pub fn repair_plan(schema: &Normalised) -> Plan {
    let graph = build(&schema.schema, RootKind::AnyValue).ok();
    let repair = graph.map_or_else(Program::same, |graph| repair(&graph, AnyCase::Changed));
    Plan { repair, ..Plan::same() }
}

pub(crate) fn repair(graph: &Graph, any_case: AnyCase) -> Program {
    let mut repairer = Repairer {
        graph,
        any_case,
        shared: Vec::new(),
        known: HashMap::new(),
        depth: 0,
        places: 0,
    };
    let root = repairer.node(graph.root);
    Program { root, shared: repairer.shared }.simplified()
}

struct Repairer<'g> {
    graph: &'g Graph,
    any_case: AnyCase,
    shared: Vec<Step>,
    known: HashMap<NodeId, usize>,
    depth: usize,
    places: usize,
}

impl Repairer<'_> {
    fn edge(&mut self, edge: &Edge) -> Step {
        let node = self.graph.node(edge.to);
        let scalar = !node.types.has(Types::OBJECT.or(Types::ARRAY));
        if scalar && node.values.is_none() && node.alternatives.is_none() {
            return Step::Same;
        }
        self.places += 1;
        if self.depth > DEPTH_MAX || self.places > PLACES_MAX {
            return Step::Same;
        }
        if node.recursion == Recursion::Flat {
            self.depth += 1;
            let step = self.node(edge.to);
            self.depth -= 1;
            return step;
        }
        if let Some(index) = self.known.get(&edge.to) {
            return Step::Shared(*index);
        }
        let index = self.shared.len();
        self.shared.push(Step::Same);
        self.known.insert(edge.to, index);
        self.depth += 1;
        let step = self.node(edge.to);
        self.depth -= 1;
        self.shared[index] = step;
        Step::Shared(index)
    }

    fn node(&mut self, id: NodeId) -> Step {
        let node = self.graph.node(id);
        let inner = if node.alternatives.is_some() {
            self.union(node)
        } else if let Some(values) = &node.values {
            self.listed(values)
        } else {
            self.parts(node)
        };
        let kinds = node.types.and(Types::OBJECT.or(Types::ARRAY));
        if kinds.is_empty() || node.types.has(Types::STRING) {
            return inner;
        }
        Step::Container { kinds, inner: Box::new(inner) }
    }

    fn listed(&self, values: &[Value]) -> Step {
        let texts: Vec<String> =
            values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        match self.any_case {
            AnyCase::Changed if !texts.is_empty() => Step::AnyCase(texts),
            AnyCase::Changed | AnyCase::Kept => Step::Same,
        }
    }

    /// Objects and arrays; a value that may be both uses the step that fits it.
    fn parts(&mut self, node: &Node) -> Step {
        let object = if node.types.has(Types::OBJECT) { self.object(node) } else { Step::Same };
        let array = match &node.array.rest {
            ArrayRest::Each(edge)
                if node.types.has(Types::ARRAY) && node.array.prefix.is_empty() =>
            {
                Step::items(self.edge(edge))
            }
            ArrayRest::Each(_) | ArrayRest::Any | ArrayRest::Closed => Step::Same,
        };
        let mut branches = Vec::new();
        for (kind, step) in [(Types::OBJECT, object), (Types::ARRAY, array)] {
            if node.types.has(kind) {
                branches.push(branch(Guard::of_types(kind), step));
            }
        }
        let others = node.types.without(Types::OBJECT.or(Types::ARRAY));
        if !others.is_empty() {
            branches.push(branch(Guard::of_types(others), Step::Same));
        }
        union(branches)
    }

    fn object(&mut self, node: &Node) -> Step {
        let mut fields = Vec::new();
        for field in &node.object.fields {
            let step = self.edge(&field.edge);
            if !step.is_same() {
                fields.push(FieldStep {
                    contract: field.name.clone(),
                    wire: field.name.clone(),
                    step,
                    absence: Absence::Omitted,
                });
            }
        }
        let rest = match &node.object.rest {
            Rest::Open(edge) if node.object.patterns.is_empty() => self.edge(edge),
            Rest::Open(_) | Rest::Unspecified | Rest::Closed => Step::Same,
        };
        if !rest.is_same() {
            // With a step for other keys, each named field needs its own.
            for field in &node.object.fields {
                if !fields.iter().any(|known| known.contract == field.name) {
                    fields.push(FieldStep {
                        contract: field.name.clone(),
                        wire: field.name.clone(),
                        step: Step::Same,
                        absence: Absence::Omitted,
                    });
                }
            }
        }
        Step::object(fields, RestStep::Beside(Box::new(rest)))
    }

    /// Only if guards alone determine the branch; a guess could change a valid value.
    fn union(&mut self, node: &Node) -> Step {
        let Some(alternatives) = &node.alternatives else { return Step::Same };
        let edges: Vec<&Edge> = alternatives
            .branches
            .iter()
            .filter(|edge| self.graph.node(edge.to).types != Types::NULL)
            .collect();
        if let [edge] = edges.as_slice() {
            return Step::nullable(self.edge(edge));
        }
        let guards: Vec<Guard> =
            edges.iter().map(|edge| Guard::of_node(self.graph, edge.to)).collect();
        if !all_disjoint(&guards) {
            return Step::Same;
        }
        let mut branches = Vec::with_capacity(edges.len());
        for (edge, guard) in edges.into_iter().zip(guards) {
            let step = self.edge(edge);
            branches.push(branch(guard, step));
        }
        union(branches)
    }
}

fn branch(guard: Guard, step: Step) -> Branch {
    Branch { contract: guard.clone(), wire: guard, tag: None, check: None, step }
}
