//! Encodes: contract to wire.

use serde_json::{Map, Value, json};

use super::check::Reading;
use super::step::{Absence, Branch, FieldStep, RestStep, Step};
use super::{Plan, PlanFault};
use crate::schema::equality::same_value;
use crate::schema::subschemas::push_segment;

pub(super) struct Encoder<'p> {
    plan: &'p Plan,
    pointer: String,
}

impl<'p> Encoder<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self { plan, pointer: String::new() }
    }

    pub(super) fn program(mut self, value: &Value) -> Result<Value, PlanFault> {
        self.step(&self.plan.lower.root, value)
    }

    fn step(&mut self, step: &Step, value: &Value) -> Result<Value, PlanFault> {
        match (step, value) {
            (Step::JsonText, _) => Ok(Value::String(value.to_string())),
            (Step::Labels(labels), _) => {
                let label = labels.iter().find(|(_, known)| same_value(known, value));
                Ok(label.map_or_else(|| value.clone(), |(label, _)| json!(label)))
            }
            (Step::Object { fields, rest }, Value::Object(map)) => self.object(fields, rest, map),
            (Step::Items(inner), Value::Array(items)) => self.items(inner, items).map(Value::Array),
            (Step::Tuple { fields, rest }, Value::Array(items)) => {
                self.tuple(fields, rest.as_ref(), items)
            }
            (Step::Pairs(inner), Value::Object(map)) => self.pairs(inner, map),
            (Step::Wrapped { key, inner }, _) => {
                let inner = self.step(inner, value)?;
                Ok(json!({ key: inner }))
            }
            (Step::Nullable(_), Value::Null) => Ok(Value::Null),
            (Step::Nullable(inner), _) => self.step(inner, value),
            (Step::Union(branches), _) => self.union(branches, value),
            (Step::Shared(index), _) => match self.plan.lower.shared.get(*index) {
                Some(step) => self.step(step, value),
                None => Ok(value.clone()),
            },
            (
                Step::Same
                | Step::Object { .. }
                | Step::Items(_)
                | Step::Tuple { .. }
                | Step::Pairs(_)
                | Step::Container { .. }
                | Step::AnyCase(_),
                _,
            ) => Ok(value.clone()),
        }
    }

    fn within<T>(
        &mut self,
        segment: &str,
        run: impl FnOnce(&mut Self) -> Result<T, PlanFault>,
    ) -> Result<T, PlanFault> {
        let length = self.pointer.len();
        push_segment(&mut self.pointer, segment);
        let result = run(self);
        self.pointer.truncate(length);
        result
    }

    fn fault<T>(&self, what: impl Into<String>) -> Result<T, PlanFault> {
        Err(PlanFault { pointer: self.pointer.clone(), what: what.into() })
    }

    fn object(
        &mut self,
        fields: &[FieldStep],
        rest: &RestStep,
        map: &Map<String, Value>,
    ) -> Result<Value, PlanFault> {
        let mut out = Map::with_capacity(fields.len());
        for field in fields {
            let wire = match (map.get(&field.contract), &field.absence) {
                (Some(value), _) => {
                    self.within(&field.contract, |encoder| encoder.field(field, value))?
                }
                (None, Absence::Null { .. }) => Value::Null,
                (None, Absence::Omitted) => continue,
            };
            out.insert(field.wire.clone(), wire);
        }
        let mut others = Map::new();
        for (key, value) in map {
            if fields.iter().any(|field| field.contract == *key) {
                continue;
            }
            match rest {
                RestStep::Field { .. } => {
                    others.insert(key.clone(), value.clone());
                }
                RestStep::Beside(step) => {
                    let encoded = self.within(key, |encoder| encoder.step(step, value))?;
                    if out.insert(key.clone(), encoded).is_some() {
                        return self.fault(format!("`{key}` is already used on the wire"));
                    }
                }
            }
        }
        if let RestStep::Field { wire, step } = rest {
            let encoded = self.step(step, &Value::Object(others))?;
            out.insert(wire.clone(), encoded);
        }
        Ok(Value::Object(out))
    }

    fn field(&mut self, field: &FieldStep, value: &Value) -> Result<Value, PlanFault> {
        match (&field.absence, value) {
            (Absence::Null { explicit: Some(key) }, Value::Null) => Ok(json!({ key: true })),
            (Absence::Null { .. } | Absence::Omitted, _) => {
                let wire = self.step(&field.step, value)?;
                if wire.is_null() && field.absence != Absence::Omitted {
                    return self.fault("null does not fit here");
                }
                Ok(wire)
            }
        }
    }

    fn items(&mut self, inner: &Step, items: &[Value]) -> Result<Vec<Value>, PlanFault> {
        let encode = |(index, item): (usize, &Value)| {
            self.within(&index.to_string(), |encoder| encoder.step(inner, item))
        };
        items.iter().enumerate().map(encode).collect()
    }

    fn tuple(
        &mut self,
        fields: &[FieldStep],
        rest: Option<&(String, Box<Step>)>,
        items: &[Value],
    ) -> Result<Value, PlanFault> {
        let mut out = Map::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let wire = match (items.get(index), &field.absence) {
                (Some(item), _) => {
                    self.within(&index.to_string(), |encoder| encoder.field(field, item))?
                }
                (None, Absence::Null { .. }) => Value::Null,
                (None, Absence::Omitted) => continue,
            };
            out.insert(field.wire.clone(), wire);
        }
        let more = items.get(fields.len()..).unwrap_or_default();
        match rest {
            Some((name, step)) => {
                let encoded = self.step(step, &Value::Array(more.to_vec()))?;
                out.insert(name.clone(), encoded);
            }
            None if more.is_empty() => {}
            None => return self.fault("has too many items"),
        }
        Ok(Value::Object(out))
    }

    fn pairs(&mut self, inner: &Step, map: &Map<String, Value>) -> Result<Value, PlanFault> {
        let mut out = Vec::with_capacity(map.len());
        for (key, value) in map {
            let encoded = self.within(key, |encoder| encoder.step(inner, value))?;
            out.push(json!({ "key": key, "value": encoded }));
        }
        Ok(Value::Array(out))
    }

    fn union(&mut self, branches: &[Branch], value: &Value) -> Result<Value, PlanFault> {
        let possible: Vec<&Branch> =
            branches.iter().filter(|branch| branch.contract.admits(value)).collect();
        let chosen = match possible.as_slice() {
            [] => None,
            [branch] => Some(*branch),
            several => [Reading::Closed, Reading::Plain].into_iter().find_map(|reading| {
                several.iter().copied().find(|branch| self.fits(branch, reading, value))
            }),
        };
        let Some(branch) = chosen else {
            return self.fault("fits none of the forms that the contract allows");
        };
        let wire = self.step(&branch.step, value)?;
        Ok(match &branch.tag {
            Some(tag) => json!({ tag: wire }),
            None => wire,
        })
    }

    fn fits(&self, branch: &Branch, reading: Reading, value: &Value) -> bool {
        let check = branch.check.and_then(|index| self.plan.checks.get(index));
        check.is_some_and(|check| check.fits(self.plan.contract.as_deref(), reading, value))
    }
}
