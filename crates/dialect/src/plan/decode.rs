//! Decodes: wire to contract. Also runs the repair program, which has the same form.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::DecodeFault;
use super::step::{Absence, Branch, FieldStep, Program, RestStep, Step};
use crate::schema::json_types::Types;
use crate::schema::subschemas::push_segment;

pub(super) struct Decoder<'p> {
    program: &'p Program,
    pointer: String,
}

impl<'p> Decoder<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self { program, pointer: String::new() }
    }

    pub(super) fn program(mut self, wire: &Value) -> Result<Value, DecodeFault> {
        self.step(&self.program.root, wire)
    }

    fn step(&mut self, step: &Step, wire: &Value) -> Result<Value, DecodeFault> {
        match step {
            Step::Same => Ok(wire.clone()),
            Step::JsonText => self.json_text(wire),
            Step::Labels(labels) => Ok(labelled(labels, wire).unwrap_or(wire).clone()),
            Step::Object { fields, rest } => match container(wire, Types::OBJECT) {
                Some(Holder::Object(map)) => self.object(fields, rest, &map),
                Some(Holder::Array(_)) | None => Ok(wire.clone()),
            },
            Step::Items(inner) => match container(wire, Types::ARRAY) {
                Some(Holder::Array(items)) => self.items(inner, &items).map(Value::Array),
                Some(Holder::Object(_)) | None => Ok(wire.clone()),
            },
            Step::Tuple { fields, rest } => match container(wire, Types::OBJECT) {
                Some(Holder::Object(map)) => self.tuple(fields, rest.as_ref(), &map),
                Some(Holder::Array(_)) | None => Ok(wire.clone()),
            },
            Step::Pairs(inner) => match container(wire, Types::ARRAY.or(Types::OBJECT)) {
                Some(Holder::Array(pairs)) => self.pairs(inner, &pairs),
                Some(Holder::Object(map)) => self.each_value(inner, &map),
                None => Ok(wire.clone()),
            },
            Step::Wrapped { key, inner } => match wire.get(key) {
                Some(value) => self.within(key, |decoder| decoder.step(inner, value)),
                None => self.step(inner, wire),
            },
            Step::Nullable(_) if wire.is_null() => Ok(Value::Null),
            Step::Nullable(inner) => self.step(inner, wire),
            Step::Union(branches) => self.union(branches, wire),
            Step::Shared(index) => match self.program.shared.get(*index) {
                Some(step) => self.step(step, wire),
                None => Ok(wire.clone()),
            },
            Step::Container { kinds, inner } => match (wire, container(wire, *kinds)) {
                (Value::String(_), Some(Holder::Object(map))) => {
                    self.step(inner, &Value::Object(map.into_owned()))
                }
                (Value::String(_), Some(Holder::Array(items))) => {
                    self.step(inner, &Value::Array(items.into_owned()))
                }
                _ => self.step(inner, wire),
            },
            Step::AnyCase(values) => Ok(any_case(values, wire).unwrap_or_else(|| wire.clone())),
        }
    }

    fn within<T>(
        &mut self,
        segment: &str,
        run: impl FnOnce(&mut Self) -> Result<T, DecodeFault>,
    ) -> Result<T, DecodeFault> {
        let length = self.pointer.len();
        push_segment(&mut self.pointer, segment);
        let result = run(self);
        self.pointer.truncate(length);
        result
    }

    fn fault<T>(&self, what: impl Into<String>) -> Result<T, DecodeFault> {
        Err(DecodeFault { pointer: self.pointer.clone(), what: what.into() })
    }

    fn json_text(&self, wire: &Value) -> Result<Value, DecodeFault> {
        let Value::String(text) = wire else { return Ok(wire.clone()) };
        match serde_json::from_str(text) {
            Ok(value) => Ok(value),
            Err(error) => self.fault(format!(
                "the string must be JSON, for example `{{\"a\": 1}}` or `\"word\"`, but {error}"
            )),
        }
    }

    fn object(
        &mut self,
        fields: &[FieldStep],
        rest: &RestStep,
        map: &Map<String, Value>,
    ) -> Result<Value, DecodeFault> {
        let mut out = Map::with_capacity(map.len());
        let mut others = Map::new();
        for (key, value) in map {
            if let Some(field) = fields.iter().find(|field| field.wire == *key) {
                let decoded = self.within(key, |decoder| decoder.field(field, value))?;
                if let Some(decoded) = decoded {
                    out.insert(field.contract.clone(), decoded);
                }
                continue;
            }
            match rest {
                RestStep::Field { wire, step } if wire == key => {
                    let decoded = self.within(key, |decoder| decoder.step(step, value))?;
                    match decoded {
                        Value::Object(map) => others = map,
                        Value::Null => {}
                        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                            return self
                                .fault(format!("`{key}` must contain the other properties"));
                        }
                    }
                }
                RestStep::Field { .. } => {
                    out.insert(key.clone(), value.clone());
                }
                RestStep::Beside(step) => {
                    let decoded = self.within(key, |decoder| decoder.step(step, value))?;
                    out.insert(key.clone(), decoded);
                }
            }
        }
        for (key, value) in others {
            if out.contains_key(&key) || fields.iter().any(|field| field.contract == key) {
                return self.fault(format!("`{key}` has its own field; use that"));
            }
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }

    /// One field's value; none if the wire encodes its absence.
    fn field(&mut self, field: &FieldStep, value: &Value) -> Result<Option<Value>, DecodeFault> {
        match (&field.absence, value) {
            (Absence::Null { .. }, Value::Null) => Ok(None),
            (Absence::Null { explicit: Some(key) }, Value::Object(map))
                if map.len() == 1 && map.contains_key(key) =>
            {
                Ok(Some(Value::Null))
            }
            (Absence::Null { .. } | Absence::Omitted, _) => self.step(&field.step, value).map(Some),
        }
    }

    fn items(&mut self, inner: &Step, items: &[Value]) -> Result<Vec<Value>, DecodeFault> {
        let decode = |(index, item): (usize, &Value)| {
            self.within(&index.to_string(), |decoder| decoder.step(inner, item))
        };
        items.iter().enumerate().map(decode).collect()
    }

    fn tuple(
        &mut self,
        fields: &[FieldStep],
        rest: Option<&(String, Box<Step>)>,
        map: &Map<String, Value>,
    ) -> Result<Value, DecodeFault> {
        let mut out = Vec::with_capacity(fields.len());
        let mut ended = None;
        for field in fields {
            let decoded = match map.get(&field.wire) {
                Some(value) => self.within(&field.wire, |decoder| decoder.field(field, value))?,
                None => None,
            };
            match (decoded, &ended) {
                (Some(value), None) => out.push(value),
                (Some(_), Some(gap)) => {
                    return self.fault(format!("`{gap}` is missing before `{}`", field.wire));
                }
                (None, _) => ended = ended.or(Some(field.wire.clone())),
            }
        }
        if let Some((name, step)) = rest {
            let value = map.get(name).unwrap_or(&Value::Null);
            let decoded = self.within(name, |decoder| decoder.step(step, value))?;
            match (decoded, ended) {
                (Value::Array(items), None) => out.extend(items),
                (Value::Array(items), Some(gap)) if !items.is_empty() => {
                    return self.fault(format!("`{gap}` is missing before `{name}`"));
                }
                (Value::Array(_) | Value::Null, _) => {}
                (_, _) => return self.fault(format!("`{name}` must be a list")),
            }
        }
        Ok(Value::Array(out))
    }

    fn pairs(&mut self, inner: &Step, pairs: &[Value]) -> Result<Value, DecodeFault> {
        let mut out = Map::with_capacity(pairs.len());
        for (index, pair) in pairs.iter().enumerate() {
            let key = pair.get("key").and_then(Value::as_str);
            let (Some(key), Some(value)) = (key, pair.get("value")) else {
                return self.within(&index.to_string(), |decoder| {
                    decoder.fault("each entry must be `{\"key\": …, \"value\": …}`")
                });
            };
            let decoded = self.within(&index.to_string(), |decoder| {
                decoder.within("value", |decoder| decoder.step(inner, value))
            })?;
            if out.insert(key.to_owned(), decoded).is_some() {
                return self.fault(format!("the key `{key}` appears twice"));
            }
        }
        Ok(Value::Object(out))
    }

    fn each_value(&mut self, inner: &Step, map: &Map<String, Value>) -> Result<Value, DecodeFault> {
        let mut out = Map::with_capacity(map.len());
        for (key, value) in map {
            let decoded = self.within(key, |decoder| decoder.step(inner, value))?;
            out.insert(key.clone(), decoded);
        }
        Ok(Value::Object(out))
    }

    fn union(&mut self, branches: &[Branch], wire: &Value) -> Result<Value, DecodeFault> {
        if let Some((branch, inner)) = tagged(branches, wire) {
            let tag = branch.tag.as_deref().unwrap_or_default();
            return self.within(tag, |decoder| decoder.step(&branch.step, inner));
        }
        let untagged = || branches.iter().filter(|branch| branch.tag.is_none());
        let chosen = untagged()
            .find(|branch| branch.wire.admits(wire))
            .or_else(|| untagged().find(|branch| branch.wire.looks_like(wire)));
        if let Some(branch) = chosen {
            return self.step(&branch.step, wire);
        }
        match container(wire, Types::OBJECT.or(Types::ARRAY)) {
            Some(Holder::Object(map)) if wire.is_string() => {
                self.union(branches, &Value::Object(map.into_owned()))
            }
            Some(Holder::Array(items)) if wire.is_string() => {
                self.union(branches, &Value::Array(items.into_owned()))
            }
            Some(_) | None => Ok(wire.clone()),
        }
    }
}

fn tagged<'b, 'w>(branches: &'b [Branch], wire: &'w Value) -> Option<(&'b Branch, &'w Value)> {
    let Value::Object(map) = wire else { return None };
    let (key, inner) = map.iter().next().filter(|_| map.len() == 1)?;
    let branch = branches.iter().find(|branch| branch.tag.as_ref() == Some(key))?;
    Some((branch, inner))
}

enum Holder<'v> {
    Object(Cow<'v, Map<String, Value>>),
    Array(Cow<'v, [Value]>),
}

/// The object or list of a value, or of the JSON in a string: models send both.
fn container(value: &Value, kinds: Types) -> Option<Holder<'_>> {
    match value {
        Value::Object(map) => {
            kinds.has(Types::OBJECT).then_some(Holder::Object(Cow::Borrowed(map)))
        }
        Value::Array(items) => {
            kinds.has(Types::ARRAY).then_some(Holder::Array(Cow::Borrowed(items)))
        }
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            match serde_json::from_str(text).ok()? {
                Value::Object(map) => {
                    kinds.has(Types::OBJECT).then_some(Holder::Object(Cow::Owned(map)))
                }
                Value::Array(items) => {
                    kinds.has(Types::ARRAY).then_some(Holder::Array(Cow::Owned(items)))
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn labelled<'l>(labels: &'l [(String, Value)], wire: &Value) -> Option<&'l Value> {
    let text = wire.as_str()?;
    labels.iter().find(|(label, _)| label == text).map(|(_, value)| value)
}

/// The listed string that a value equals except for upper and lower case.
fn any_case(values: &[String], wire: &Value) -> Option<Value> {
    let text = wire.as_str()?;
    if values.iter().any(|value| value == text) {
        return None;
    }
    let folded = text.to_lowercase();
    let mut near = values.iter().filter(|value| value.to_lowercase() == folded);
    let found = near.next()?;
    near.next().is_none().then(|| Value::String(found.clone()))
}
