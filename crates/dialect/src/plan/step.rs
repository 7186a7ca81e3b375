//! How one value is converted between the contract and the wire.

use serde::Serialize;
use serde_json::Value;

use super::guard::Guard;

/// A step for the root, and the steps that recursion refers to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Program {
    pub(crate) root: Step,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) shared: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// The wire value equals the contract's value.
    Same,
    /// On the wire it is a string with the value as JSON.
    JsonText,
    /// On the wire it is a string that represents one of these values.
    Labels(Vec<(String, Value)>),
    Object {
        fields: Vec<FieldStep>,
        rest: RestStep,
    },
    Items(Box<Step>),
    /// A tuple that is an object on the wire, with one field per position.
    Tuple {
        fields: Vec<FieldStep>,
        rest: Option<(String, Box<Step>)>,
    },
    /// An object that is a list of `{key, value}` on the wire.
    Pairs(Box<Step>),
    /// On the wire the value is inside an object with this one key.
    Wrapped {
        key: String,
        inner: Box<Step>,
    },
    /// Null stays null; anything else uses the inner step.
    Nullable(Box<Step>),
    Union(Vec<Branch>),
    /// Another step of the same program.
    Shared(usize),
    /// Repair: a string where only objects or arrays fit is parsed as JSON.
    Container {
        kinds: crate::schema::json_types::Types,
        inner: Box<Step>,
    },
    /// Repair: one of these strings, in any case.
    AnyCase(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FieldStep {
    pub(crate) contract: String,
    pub(crate) wire: String,
    #[serde(skip_serializing_if = "Step::is_same")]
    pub(crate) step: Step,
    pub(crate) absence: Absence,
}

/// How the wire encodes an absent field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Absence {
    /// By leaving it out.
    Omitted,
    /// By null. A null of the contract, if possible, is then `{"<key>": true}`.
    Null { explicit: Option<String> },
}

/// Where the wire puts keys that the contract does not name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RestStep {
    /// Next to the others, each with this step.
    Beside(Box<Step>),
    /// All in one separate field.
    Field { wire: String, step: Box<Step> },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Branch {
    /// The guard for contract values of this branch.
    pub(crate) contract: Guard,
    /// The guard for wire values of this branch.
    pub(crate) wire: Guard,
    /// The tag: the wire has the value under this key, because the guards are ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
    /// The check that decides if the guards cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<usize>,
    #[serde(skip_serializing_if = "Step::is_same")]
    pub(crate) step: Step,
}

impl Step {
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Step::Same)
    }

    /// Wraps a step for the items of a list; a step that does nothing stays one.
    pub(crate) fn items(step: Step) -> Step {
        if step.is_same() { Step::Same } else { Step::Items(Box::new(step)) }
    }

    pub(crate) fn nullable(step: Step) -> Step {
        if matches!(step, Step::Same | Step::Nullable(_)) {
            return step;
        }
        Step::Nullable(Box::new(step))
    }

    pub(crate) fn object(fields: Vec<FieldStep>, rest: RestStep) -> Step {
        let plain = |field: &FieldStep| {
            field.step.is_same()
                && field.contract == field.wire
                && field.absence == Absence::Omitted
        };
        match &rest {
            RestStep::Beside(step) if step.is_same() && fields.iter().all(plain) => Step::Same,
            RestStep::Beside(_) | RestStep::Field { .. } => Step::Object { fields, rest },
        }
    }
}

impl RestStep {
    pub(crate) fn same() -> Self {
        RestStep::Beside(Box::new(Step::Same))
    }
}

impl Program {
    pub(crate) fn same() -> Self {
        Self { root: Step::Same, shared: Vec::new() }
    }

    pub(crate) fn is_same(&self) -> bool {
        self.root.is_same()
    }

    /// Removes shared steps that do nothing.
    pub(crate) fn simplified(mut self) -> Self {
        loop {
            let idle = idle_steps(&self.shared);
            if !idle.iter().any(|idle| *idle) {
                return self;
            }
            self.root = without(self.root, &idle);
            let mut changed = false;
            for (index, step) in self.shared.iter_mut().enumerate() {
                let old = std::mem::replace(step, Step::Same);
                let new = if idle[index] { Step::Same } else { without(old.clone(), &idle) };
                changed |= new != old;
                *step = new;
            }
            if !changed {
                return self;
            }
        }
    }
}

/// Which shared steps do nothing, assuming the same of the others.
fn idle_steps(shared: &[Step]) -> Vec<bool> {
    let mut idle = vec![true; shared.len()];
    loop {
        let mut changed = false;
        for (index, step) in shared.iter().enumerate() {
            if idle[index] && !without(step.clone(), &idle).is_same() {
                idle[index] = false;
                changed = true;
            }
        }
        if !changed {
            return idle;
        }
    }
}

fn without(step: Step, idle: &[bool]) -> Step {
    match step {
        Step::Shared(index) if idle.get(index) == Some(&true) => Step::Same,
        Step::Items(inner) => Step::items(without(*inner, idle)),
        Step::Nullable(inner) => Step::nullable(without(*inner, idle)),
        Step::Pairs(inner) => Step::Pairs(Box::new(without(*inner, idle))),
        Step::Wrapped { key, inner } => {
            Step::Wrapped { key, inner: Box::new(without(*inner, idle)) }
        }
        Step::Container { kinds, inner } => {
            Step::Container { kinds, inner: Box::new(without(*inner, idle)) }
        }
        Step::Object { fields, rest } => {
            let rest = match rest {
                RestStep::Beside(step) => RestStep::Beside(Box::new(without(*step, idle))),
                RestStep::Field { wire, step } => {
                    RestStep::Field { wire, step: Box::new(without(*step, idle)) }
                }
            };
            Step::object(fields.into_iter().map(|field| field_without(field, idle)).collect(), rest)
        }
        Step::Tuple { fields, rest } => Step::Tuple {
            fields: fields.into_iter().map(|field| field_without(field, idle)).collect(),
            rest: rest.map(|(wire, step)| (wire, Box::new(without(*step, idle)))),
        },
        Step::Union(branches) => union(
            branches
                .into_iter()
                .map(|branch| Branch { step: without(branch.step, idle), ..branch })
                .collect(),
        ),
        Step::Same | Step::JsonText | Step::Labels(_) | Step::Shared(_) | Step::AnyCase(_) => step,
    }
}

fn field_without(field: FieldStep, idle: &[bool]) -> FieldStep {
    FieldStep { step: without(field.step, idle), ..field }
}

/// A union of branches; if they all do the same, there is nothing to choose.
pub(crate) fn union(branches: Vec<Branch>) -> Step {
    let first = branches.first().map(|branch| branch.step.clone());
    match first {
        Some(first)
            if branches.iter().all(|branch| branch.tag.is_none() && branch.step == first) =>
        {
            first
        }
        _ => Step::Union(branches),
    }
}
