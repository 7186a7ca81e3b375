//! Passes a contract's schema through nearly unchanged, for a target that supports almost all
//! of JSON Schema.
//!
//! In: the normalised schema and the target's rules. Out: the wire schema, the program,
//! and the losses. Must hold: inside, only what the target would refuse is changed;
//! the root is rewritten only if necessary (`passthrough/root.rs`). What is widened under
//! `oneOf`, `not` or `if` would be narrower outside, so those are loosened too.

mod root;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::graph::{Graph, numeric};
use crate::loss::{Loss, LossKind};
use crate::lower::{Overflow, RootRule, WireSchema, described, pattern_fits};
use crate::normalise::Normalised;
use crate::plan::Program;
use crate::schema::json_types::Types;
use crate::schema::subschemas::{Position, position, push_segment};
use crate::target::{Gaps, PassthroughRules, Patterns};

/// Passes one contract through to a target.
pub(crate) fn pass_through(
    normalised: &Normalised,
    graph: Option<&Graph>,
    rules: &PassthroughRules,
    root_rule: RootRule,
) -> Result<WireSchema, Overflow> {
    let mut wider = HashSet::new();
    loop {
        let known = wider.len();
        let mut carrier =
            Carrier { normalised, rules, losses: Vec::new(), root_name: None, wider, widenings: 0 };
        let (schema, step) = carrier.root(graph, root_rule)?;
        if carrier.wider.len() == known {
            return Ok(WireSchema {
                schema,
                program: Program { root: step, shared: Vec::new() },
                checks: Vec::new(),
                losses: carrier.losses,
            });
        }
        // A definition is wider than its contract: run again with this knowledge.
        wider = carrier.wider;
    }
}

struct Carrier<'n> {
    normalised: &'n Normalised,
    rules: &'n PassthroughRules,
    losses: Vec<Loss>,
    /// The location of the contract's root, if it is no longer the root.
    root_name: Option<String>,
    /// References to schemas that are wider on the wire than in the contract.
    wider: HashSet<String>,
    /// How often something was widened so far.
    widenings: usize,
}

impl Carrier<'_> {
    fn lose(&mut self, fate: LossKind, pointer: &str, keyword: &str, what: &str) {
        let pointer = self.normalised.origin(pointer);
        let known =
            self.losses.iter().any(|loss| loss.pointer == pointer && loss.keyword == keyword);
        if !known {
            self.losses.push(Loss::new(fate, &pointer, keyword, what));
        }
    }

    fn noted(&mut self, pointer: &str, keyword: &str) {
        let mut place = pointer.to_owned();
        push_segment(&mut place, keyword);
        let what = format!("`{keyword}` is stated in the description and checked by us");
        self.lose(LossKind::Noted, &place, keyword, &what);
        self.widenings += 1;
    }

    /// A schema inside the root.
    fn schema(&mut self, schema: &Value, pointer: &str) -> Value {
        match schema {
            Value::Object(map) => Value::Object(self.keywords(map, pointer)),
            Value::Bool(holds) if self.rules.gaps == Gaps::Filled => {
                if *holds {
                    json!({})
                } else {
                    json!({ "not": {} })
                }
            }
            Value::Bool(_)
            | Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => schema.clone(),
        }
    }

    fn keywords(&mut self, map: &Map<String, Value>, pointer: &str) -> Map<String, Value> {
        let mut out = Map::with_capacity(map.len());
        let mut notes = Vec::new();
        for (keyword, value) in map {
            match (keyword.as_str(), value) {
                ("$defs", _) => {}
                ("$ref", Value::String(target)) => {
                    self.widenings += usize::from(self.wider.contains(target));
                    out.insert(keyword.clone(), self.target(target).into());
                }
                ("format", Value::String(name)) if numeric(name) && !standard(name) => {}
                ("pattern", Value::String(text)) if !pattern_fits(text, self.rules.patterns) => {
                    notes.push(format!("matches {text}"));
                    self.noted(pointer, "pattern");
                }
                ("patternProperties", Value::Object(entries))
                    if entries.keys().any(|key| !pattern_fits(key, self.rules.patterns)) =>
                {
                    notes.push("keys are checked when the tool is called".to_owned());
                    self.noted(pointer, "patternProperties");
                }
                ("additionalProperties" | "unevaluatedProperties", _) if self.drops_keys(map) => {}
                ("prefixItems", _) if self.rules.gaps == Gaps::Filled => {}
                ("items", _) if self.rules.gaps == Gaps::Filled => {}
                (
                    "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems",
                    Value::Bool(_),
                ) => {
                    out.insert(keyword.clone(), value.clone());
                }
                ("oneOf" | "not" | "if" | "contains", _) => {
                    self.exact_inner(keyword, value, pointer, &mut out, &mut notes);
                }
                _ => {
                    let carried = self.inner(keyword, value, pointer);
                    out.insert(keyword.clone(), carried);
                }
            }
        }
        if map.contains_key("if") && !out.contains_key("if") {
            out.shift_remove("then");
            out.shift_remove("else");
        }
        if self.rules.gaps == Gaps::Filled {
            self.add_items(map, pointer, &mut out, &mut notes);
            let declared = declare_required(&mut out);
            self.widenings += usize::from(declared && map.contains_key("additionalProperties"));
        }
        add_notes(&mut out, &notes);
        out
    }

    /// A keyword that inverts its content: if that is wider, the keyword would forbid valid values.
    fn exact_inner(
        &mut self,
        keyword: &str,
        value: &Value,
        pointer: &str,
        out: &mut Map<String, Value>,
        notes: &mut Vec<String>,
    ) {
        let before = self.widenings;
        let carried = self.inner(keyword, value, pointer);
        if self.widenings == before {
            out.insert(keyword.to_owned(), carried);
            return;
        }
        self.noted(pointer, keyword);
        if keyword == "oneOf" {
            notes.push("exactly one of the forms fits".to_owned());
            let part = json!({ "anyOf": carried });
            match out.get_mut("allOf") {
                Some(Value::Array(parts)) => parts.push(part),
                _ => {
                    out.insert("allOf".to_owned(), json!([part]));
                }
            }
        } else {
            notes.push(format!("a rule under `{keyword}` is checked when the tool is called"));
        }
    }

    /// Without its patterns a closed object would refuse the keys that they allow.
    fn drops_keys(&self, map: &Map<String, Value>) -> bool {
        self.rules.patterns != Patterns::All
            && map.get("patternProperties").and_then(Value::as_object).is_some_and(|entries| {
                entries.keys().any(|key| !pattern_fits(key, self.rules.patterns))
            })
    }

    fn target(&self, reference: &str) -> String {
        match (&self.root_name, reference) {
            (Some(name), "#") => format!("#/$defs/{name}"),
            (Some(_) | None, other) => other.to_owned(),
        }
    }

    /// The value of a keyword, with its schemas passed through.
    fn inner(&mut self, keyword: &str, value: &Value, pointer: &str) -> Value {
        let mut place = pointer.to_owned();
        push_segment(&mut place, keyword);
        match (position(keyword), value) {
            (
                Some((Position::Schema | Position::SchemaOrList, _)),
                Value::Object(_) | Value::Bool(_),
            ) => self.schema(value, &place),
            (Some((Position::List | Position::SchemaOrList, _)), Value::Array(list)) => list
                .iter()
                .enumerate()
                .map(|(index, schema)| self.schema(schema, &format!("{place}/{index}")))
                .collect(),
            (Some((Position::Map | Position::Dependencies, _)), Value::Object(map)) => {
                let mut out = Map::with_capacity(map.len());
                for (name, schema) in map {
                    let mut place = place.clone();
                    push_segment(&mut place, name);
                    out.insert(name.clone(), self.schema(schema, &place));
                }
                Value::Object(out)
            }
            _ => value.clone(),
        }
    }

    /// `items` is always present and complete; a tuple becomes a list of any of its forms.
    fn add_items(
        &mut self,
        map: &Map<String, Value>,
        pointer: &str,
        out: &mut Map<String, Value>,
        notes: &mut Vec<String>,
    ) {
        let types = map.get("type").map_or(Types::NONE, Types::declared);
        let rest = map.get("items");
        let prefix = map.get("prefixItems").and_then(Value::as_array);
        if rest.is_none() && prefix.is_none() && !types.has(Types::ARRAY) {
            return;
        }
        let Some(prefix) = prefix else {
            let items = rest.map_or(json!({}), |items| self.inner("items", items, pointer));
            out.insert("items".to_owned(), items);
            return;
        };
        let mut forms: Vec<Value> = Vec::new();
        for (index, schema) in prefix.iter().enumerate() {
            forms.push(self.schema(schema, &format!("{pointer}/prefixItems/{index}")));
        }
        match rest {
            Some(Value::Bool(false)) => {
                let length = prefix.len() as u64;
                let most = map.get("maxItems").and_then(Value::as_u64);
                out.insert("maxItems".to_owned(), json!(most.unwrap_or(length).min(length)));
            }
            Some(items) => forms.push(self.inner("items", items, pointer)),
            None => forms.push(json!({})),
        }
        let mut unique: Vec<Value> = Vec::new();
        for form in forms {
            if !unique.contains(&form) {
                unique.push(form);
            }
        }
        let order = unique.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if order.chars().count() <= 160 {
            notes.push(format!("items in order: {order}"));
        }
        let items = match unique.as_slice() {
            [one] => one.clone(),
            _ if unique.contains(&json!({})) => json!({}),
            several => json!({ "anyOf": several }),
        };
        out.insert("items".to_owned(), items);
        self.noted(pointer, "prefixItems");
    }
}

/// Declares each required property that has no schema; returns whether there was one.
fn declare_required(schema: &mut Map<String, Value>) -> bool {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let declared = |name: &str| {
        schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
    };
    let missing: Vec<String> = required
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| !declared(name))
        .map(str::to_owned)
        .collect();
    if missing.is_empty() {
        return false;
    }
    let slot = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = slot {
        properties.extend(missing.into_iter().map(|name| (name, json!({}))));
    }
    true
}

fn standard(format: &str) -> bool {
    matches!(format, "int32" | "int64" | "float" | "double")
}

fn add_notes(schema: &mut Map<String, Value>, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    let text = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    if let Some(text) = described(text, notes) {
        schema.insert("description".to_owned(), text.into());
    }
}
