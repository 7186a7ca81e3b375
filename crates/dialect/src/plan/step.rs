//! What happens to one value on its way between the contract and the wire.

use serde::Serialize;
use serde_json::Value;

use super::guard::Guard;

/// A step for the root, and the steps that repeat through recursion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Program {
    pub(crate) root: Step,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) shared: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// The wire value is the contract's value.
    Same,
    /// The wire has a text that holds the value as JSON.
    JsonText,
    /// The wire has a text that stands for one of these values.
    Labels(Vec<(String, Value)>),
    Object {
        fields: Vec<FieldStep>,
        rest: RestStep,
    },
    Items(Box<Step>),
    /// A tuple that the wire has as an object, one field per place.
    Tuple {
        fields: Vec<FieldStep>,
        rest: Option<(String, Box<Step>)>,
    },
    /// An object that the wire has as a list of `{key, value}`.
    Pairs(Box<Step>),
    /// The wire has an object with this one key around the value.
    Wrapped {
        key: String,
        inner: Box<Step>,
    },
    /// Null is null; anything else takes the inner step.
    Nullable(Box<Step>),
    Union(Vec<Branch>),
    /// Another step of the same program.
    Shared(usize),
    /// Mending: a text where only objects or arrays fit is read as JSON.
    Container {
        kinds: crate::schema::json_types::Types,
        inner: Box<Step>,
    },
    /// Mending: one of these texts, whatever its capital letters.
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

/// How the wire says that a field is not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Absence {
    /// By leaving it out.
    Omitted,
    /// By null. A null of the contract is then `{"<key>": true}`, when it is possible.
    Null { explicit: Option<String> },
}

/// Where the wire has the keys that the contract does not name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RestStep {
    /// Beside the others, each with this step.
    Beside(Box<Step>),
    /// In a field of their own, which holds them all.
    Field { wire: String, step: Box<Step> },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Branch {
    /// What a contract value of this branch looks like.
    pub(crate) contract: Guard,
    /// What a wire value of this branch looks like.
    pub(crate) wire: Guard,
    /// The wire has the value under this key, because its looks alone could deceive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
    /// The check that decides when looks do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<usize>,
    #[serde(skip_serializing_if = "Step::is_same")]
    pub(crate) step: Step,
}

impl Step {
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Step::Same)
    }

    /// Wraps a step for the items of a list; nothing to do stays nothing.
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

    /// Takes out shared steps that do nothing: such a step only repeats itself.
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

/// Which shared steps do nothing, if each may assume it of the others.
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

/// A union of branches; when they all do the same, there is nothing to choose.
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
