//! Compiles one schema by one target's rules, independently of requests.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::graph::{Graph, RootKind, build};
use crate::loss::Loss;
use crate::lower::{RootRule, WireSchema, lower};
use crate::normalise::{Normalised, normalise};
use crate::passthrough::pass_through;
use crate::plan::{Plan, Program};
use crate::repair::repair;
use crate::target::{SchemaRules, Target};

/// A schema compiled for a target.
pub(crate) struct Compiled {
    pub(crate) schema: Map<String, Value>,
    pub(crate) plan: Plan,
    pub(crate) losses: Vec<Loss>,
}

/// Why a schema cannot be compiled.
pub(crate) enum Refusal {
    /// The schema itself is wrong, for every target.
    Contract(Vec<Loss>),
    /// It would grow too large for this target.
    TooLarge(Loss),
}

impl Refusal {
    /// What is wrong, in one sentence.
    pub(crate) fn what(&self) -> String {
        match self {
            Refusal::Contract(faults) => faults.first().map_or(String::new(), Loss::to_string),
            Refusal::TooLarge(fault) => fault.what.clone(),
        }
    }

    pub(crate) fn faults(self) -> Vec<Loss> {
        match self {
            Refusal::Contract(faults) => faults,
            Refusal::TooLarge(fault) => vec![fault],
        }
    }
}

/// A schema that was read once and can be compiled for any target.
pub(crate) struct Prepared {
    normalised: Normalised,
    /// Absent if the contract is too large for a graph.
    graph: Option<Graph>,
}

impl Prepared {
    /// Reads the parameters of a tool; null means none.
    pub(crate) fn arguments(parameters: &Value) -> Result<Self, Refusal> {
        if parameters.is_null() {
            let none = json!({ "type": "object", "properties": {} });
            return Self::new(&none, RootKind::Arguments);
        }
        Self::new(parameters, RootKind::Arguments)
    }

    fn new(schema: &Value, kind: RootKind) -> Result<Self, Refusal> {
        let normalised = normalise(schema).map_err(Refusal::Contract)?;
        let graph = build(&normalised.schema, kind).ok();
        if graph.as_ref().is_some_and(|graph| graph.is_never(graph.root)) {
            return Err(Refusal::Contract(vec![nothing_fits(kind)]));
        }
        Ok(Self { normalised, graph })
    }

    pub(crate) fn compile_for(
        &self,
        target: &Target,
        root_rule: RootRule,
    ) -> Result<Compiled, Refusal> {
        let normalised = &self.normalised;
        let (wire, any_case) = match (&target.schema, &self.graph) {
            (SchemaRules::Passthrough(rules), graph) => {
                (pass_through(normalised, graph.as_ref(), rules, root_rule), rules.any_case)
            }
            (SchemaRules::Lower(rules), Some(graph)) => {
                (lower(graph, normalised, rules, root_rule), rules.any_case)
            }
            (SchemaRules::Lower(_), None) => return Err(Refusal::TooLarge(too_large(target))),
        };
        let Ok(WireSchema { schema, program, checks, losses }) = wire else {
            return Err(Refusal::TooLarge(too_large(target)));
        };
        let contract = (!checks.is_empty()).then(|| Arc::new(normalised.schema.clone()));
        let repair =
            self.graph.as_ref().map_or_else(Program::same, |graph| repair(graph, any_case));
        let plan = Plan { lower: program, repair, checks, contract };
        Ok(Compiled { schema, plan, losses })
    }
}

/// A schema for a model's answer.
pub(crate) fn compile_output_schema(
    schema: &Value,
    target: &Target,
    root_rule: RootRule,
) -> Result<Compiled, Refusal> {
    Prepared::new(schema, RootKind::AnyValue)?.compile_for(target, root_rule)
}

fn nothing_fits(kind: RootKind) -> Loss {
    let what = match kind {
        RootKind::Arguments => "no arguments can fit this schema",
        RootKind::AnyValue => "no value can fit this schema",
    };
    let fix = "allow an object at the root; look for a `required` property that is `false`, \
               an empty `enum`, or bounds that cross";
    Loss::refused("", "", what, fix)
}

fn too_large(target: &Target) -> Loss {
    let name = target.name;
    Loss::refused(
        "",
        "$ref",
        format!("with its references inlined, the schema is too large for {name}"),
        "use fewer definitions that refer to each other, or fewer nested unions",
    )
}
