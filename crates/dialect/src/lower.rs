//! Lowers a contract for a target that supports only part of JSON Schema.
//!
//! In: the contract's graph and the target's rules. Out: a wire schema, the program that
//! encodes and decodes, and the losses. Must hold: each value that the contract allows has a
//! wire form that the wire schema allows, and decodes to itself. The wire may be wider, with a
//! note; never narrower.
//!
//! Start at [`lower`]. `value.rs` has the one function that decides by the node's facts.

mod array;
mod discriminate;
mod enums;
mod field;
mod gemini;
mod key;
mod map;
mod notes;
mod object;
mod refs;
mod root;
mod rules;
mod scalar;
mod union;
mod value;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use self::refs::Shared;
use crate::graph::{Graph, NodeId};
use crate::loss::{Loss, LossKind};
use crate::normalise::Normalised;
use crate::plan::{Check, Program, Step};
use crate::target::{LowerRules, References, Spelling};

pub(crate) use self::key::{free_name, plain_text, shortened, wire_key};
pub(crate) use self::notes::described;
pub(crate) use self::root::WRAPPER;
pub(crate) use self::scalar::pattern_fits;

/// How many schemas one tool may have on the wire.
pub(crate) const WIRE_NODES_MAX: usize = 10_000;
/// How deep one tool's wire schema may nest.
const WIRE_DEPTH_MAX: usize = 80;
/// How often a recursive value is unrolled before its rest becomes free-form; less if the
/// schema would grow too large.
const UNROLL_MAX: u32 = 3;

/// A wire schema with its program and losses.
pub(crate) struct WireSchema {
    pub(crate) schema: Map<String, Value>,
    pub(crate) program: Program,
    pub(crate) checks: Vec<Check>,
    pub(crate) losses: Vec<Loss>,
}

/// Whether the root is a call's arguments or any answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootRule {
    /// The root must be an object with named fields.
    Object,
    /// The root may be any schema.
    Any,
}

/// The wire schema would grow past its budget.
#[derive(Debug)]
pub(crate) struct Overflow;

/// Writes the wire schema for one contract.
pub(crate) fn lower(
    graph: &Graph,
    normalised: &Normalised,
    rules: &LowerRules,
    root_rule: RootRule,
) -> Result<WireSchema, Overflow> {
    let inlined = refs::inlined(graph, rules.references);
    let start = if inlined { UNROLL_MAX } else { 0 };
    for unroll in (0..=start).rev() {
        let mut lowerer = Lowerer {
            graph,
            normalised,
            rules,
            references: if inlined { References::Inlined } else { rules.references },
            unroll,
            losses: Vec::new(),
            reported: HashSet::new(),
            shared: Vec::new(),
            shared_of: HashMap::new(),
            open: HashMap::new(),
            checks: Vec::new(),
            nodes: 0,
            depth: 0,
        };
        if let Ok(lowered) = lowerer.root(root_rule) {
            return Ok(lowerer.finished(lowered));
        }
    }
    Err(Overflow)
}

pub(crate) struct Lowerer<'g> {
    pub(crate) graph: &'g Graph,
    normalised: &'g Normalised,
    pub(crate) rules: &'g LowerRules,
    references: References,
    unroll: u32,
    losses: Vec<Loss>,
    reported: HashSet<u64>,
    shared: Vec<Shared>,
    shared_of: HashMap<NodeId, usize>,
    /// How often each recursive node occurs on the path from the root.
    open: HashMap<NodeId, u32>,
    checks: Vec<Check>,
    nodes: usize,
    depth: usize,
}

/// One value on the wire: its schema, its step, and its notes.
#[derive(Debug, Clone)]
pub(crate) struct Lowered {
    pub(crate) schema: Map<String, Value>,
    pub(crate) step: Step,
    pub(crate) description: Option<String>,
    pub(crate) notes: Vec<String>,
}

impl Lowered {
    pub(crate) fn new(schema: Map<String, Value>, step: Step) -> Self {
        Self { schema, step, description: None, notes: Vec::new() }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Lowerer<'_> {
    /// Records a loss once per place and keyword.
    pub(crate) fn lose(&mut self, fate: LossKind, pointer: &str, keyword: &str, what: &str) {
        let mut hasher = DefaultHasher::new();
        (pointer, keyword).hash(&mut hasher);
        if self.reported.insert(hasher.finish()) {
            let pointer = self.normalised.origin(pointer);
            self.losses.push(Loss::new(fate, &pointer, keyword, what));
        }
    }

    fn finished(self, lowered: Lowered) -> WireSchema {
        let (mut schema, root) = notes::written(lowered);
        let mut steps = Vec::with_capacity(self.shared.len());
        let mut definitions = Map::new();
        for shared in self.shared {
            if let Some((body, step)) = shared.body {
                definitions.insert(shared.name, Value::Object(body));
                steps.push(step);
            } else {
                steps.push(Step::Same);
            }
        }
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        if self.rules.spelling == Spelling::Proto {
            schema = gemini::proto(schema);
        }
        WireSchema {
            schema,
            program: Program { root, shared: steps }.simplified(),
            checks: self.checks,
            losses: self.losses,
        }
    }
}

#[cfg(test)]
mod tests;
