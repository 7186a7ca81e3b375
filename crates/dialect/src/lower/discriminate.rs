//! Writes the branches of a union so that a value's branch can be recognised.
//!
//! Must hold: on the wire a value fits the guard of one branch only, or has a tag. On the
//! contract's side guards decide if they can, and a validator otherwise.

use serde_json::{Map, Value, json};

use super::notes;
use super::{Lowered, Lowerer};
use crate::loss::LossKind;
use crate::plan::{Branch, Check, CheckPlace, Guard, Step, all_disjoint, union};
use crate::target::Spelling;

/// One branch: its wire form, the guard of its contract values, and the locations in the
/// contract that decide if the guards cannot: all of one list must hold.
pub(crate) struct Part {
    pub(crate) lowered: Lowered,
    pub(crate) contract: Guard,
    pub(crate) check: Vec<Vec<CheckPlace>>,
}

impl Lowerer<'_> {
    pub(crate) fn join(&mut self, parts: Vec<Part>, pointer: &str, keyword: &str) -> Lowered {
        let mut parts = without_twins(parts);
        if parts.len() == 1
            && let Some(part) = parts.pop()
        {
            return part.lowered;
        }
        let alike = parts.windows(2).all(|pair| pair[0].lowered.step == pair[1].lowered.step);
        if alike {
            let step = parts.first().map_or(Step::Same, |part| part.lowered.step.clone());
            return Lowered::new(self.side_by_side(parts), step);
        }
        let wires: Vec<Guard> = parts
            .iter()
            .map(|part| Guard::of_wire(&part.lowered.schema, &|name| self.shared_schema(name)))
            .collect();
        let tagged = !all_disjoint(&wires);
        let contracts: Vec<Guard> = parts.iter().map(|part| part.contract.clone()).collect();
        let is_disjoint = all_disjoint(&contracts);
        let mut branches = Vec::with_capacity(parts.len());
        let mut schemas = Vec::with_capacity(parts.len());
        for (index, (part, wire)) in parts.into_iter().zip(wires).enumerate() {
            let check = (!is_disjoint && !part.check.is_empty()).then(|| {
                self.checks.push(Check::new(part.check));
                self.checks.len() - 1
            });
            let tag = tagged.then(|| format!("option_{}", index + 1));
            let (schema, step) = notes::written(part.lowered);
            schemas.push(match &tag {
                Some(tag) => self.tag_schema(tag, &schema),
                None => Value::Object(schema),
            });
            branches.push(Branch { contract: part.contract, wire, tag, check, step });
        }
        let mut schema = Map::new();
        schema.insert("anyOf".to_owned(), Value::Array(schemas));
        let mut lowered = Lowered::new(schema, union(branches));
        if tagged {
            lowered.note("name the form");
            let what = "each form is sent under its own name, so that they can be distinguished";
            self.lose(LossKind::Reencoded, pointer, keyword, what);
        }
        lowered
    }

    pub(crate) fn shared_schema(&self, reference: &str) -> Option<&Map<String, Value>> {
        let name = reference.strip_prefix("#/$defs/")?;
        let shared = self.shared.iter().find(|shared| shared.name == name)?;
        shared.body.as_ref().map(|(schema, _)| schema)
    }

    fn side_by_side(&self, parts: Vec<Part>) -> Map<String, Value> {
        let bare = |part: &Part| {
            part.lowered.schema.len() == 1
                && part.lowered.schema.get("type").is_some_and(Value::is_string)
                && part.lowered.description.is_none()
                && part.lowered.notes.is_empty()
        };
        let mut schema = Map::new();
        if self.rules.spelling == Spelling::JsonSchema && parts.iter().all(bare) {
            let types = parts.iter().filter_map(|part| part.lowered.schema.get("type").cloned());
            schema.insert("type".to_owned(), types.collect());
            return schema;
        }
        let branches =
            parts.into_iter().map(|part| Value::Object(notes::written(part.lowered).0)).collect();
        schema.insert("anyOf".to_owned(), Value::Array(branches));
        schema
    }

    fn tag_schema(&self, tag: &str, schema: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        out.insert("type".to_owned(), json!("object"));
        out.insert("properties".to_owned(), json!({ tag: schema }));
        out.insert("required".to_owned(), json!([tag]));
        self.close(&mut out);
        Value::Object(out)
    }
}

/// Merges branches that are encoded and decoded the same way.
fn without_twins(parts: Vec<Part>) -> Vec<Part> {
    let mut unique: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let twin = unique.iter_mut().find(|known| {
            known.lowered.schema == part.lowered.schema && known.lowered.step == part.lowered.step
        });
        match twin {
            Some(known) => {
                for note in part.lowered.notes {
                    known.lowered.note(note);
                }
                // Two contract forms with one wire form: values of either may arrive.
                known.contract = Guard::of_types(known.contract.types.or(part.contract.types));
                known.check.extend(part.check);
            }
            None => unique.push(part),
        }
    }
    unique
}
