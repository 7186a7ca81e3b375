//! Lowers one value, by the facts of its node.

use serde_json::{Map, Value, json};

use super::discriminate::Part;
use super::notes;
use super::{Lowered, Lowerer, Overflow, WIRE_DEPTH_MAX, WIRE_NODES_MAX};
use crate::graph::{Edge, Node, NodeId, Recursion, Typing};
use crate::loss::LossKind;
use crate::plan::{Guard, Step};
use crate::schema::json_types::Types;
use crate::target::{FreeForm, NullValue, References};

impl Lowerer<'_> {
    /// The value of an edge, with the edge's own rules.
    pub(crate) fn place(&mut self, edge: &Edge) -> Result<Lowered, Overflow> {
        self.nodes += 1;
        if self.nodes > WIRE_NODES_MAX || self.depth > WIRE_DEPTH_MAX {
            return Err(Overflow);
        }
        if self.is_shared(edge.to) {
            return self.reference(edge);
        }
        let node = self.graph.node(edge.to);
        let recursive =
            node.recursion == Recursion::Recursive && self.references == References::Inlined;
        if recursive {
            let count = self.open.entry(edge.to).or_default();
            if *count > self.unroll {
                let tail = self.tail(edge.to);
                return Ok(self.with_edge(tail, edge));
            }
            *count += 1;
        }
        self.depth += 1;
        let lowered = self.value(edge.to);
        self.depth -= 1;
        if recursive && let Some(count) = self.open.get_mut(&edge.to) {
            *count -= 1;
        }
        Ok(self.with_edge(lowered?, edge))
    }

    fn with_edge(&self, mut lowered: Lowered, edge: &Edge) -> Lowered {
        if edge.description.is_some() {
            lowered.description = edge.description.clone();
        }
        let default = edge.default.as_ref().or(self.graph.node(edge.to).default.as_ref());
        if let Some(default) = default {
            let keeps_default = self.rules.keywords.contains(&"default")
                && lowered.step.is_same()
                && !default.is_null()
                && !lowered.schema.contains_key("anyOf");
            if keeps_default {
                lowered.schema.insert("default".to_owned(), default.clone());
            } else if let Some(note) = notes::default_note(default) {
                lowered.note(note);
            }
        }
        lowered
    }

    /// The value of a node, without the rules of an edge.
    pub(crate) fn value(&mut self, id: NodeId) -> Result<Lowered, Overflow> {
        let node = self.graph.node(id);
        let mut lowered = if let Some(alternatives) = &node.alternatives {
            self.alternatives(alternatives)?
        } else if let Some(values) = &node.values {
            self.listed(node, values)
        } else {
            self.typed(node)?
        };
        if node.description.is_some() {
            lowered.description = node.description.clone();
        }
        Ok(lowered)
    }

    fn typed(&mut self, node: &Node) -> Result<Lowered, Overflow> {
        if node.typing == Typing::Inferred {
            let name = node.types.name();
            let what = format!("the schema names no type; it is sent as one for the type {name}");
            self.lose(LossKind::Noted, node.pointer(), "type", &what);
        }
        let nullable = node.types.has(Types::NULL);
        let kinds = node.types.without(Types::NULL).kinds();
        let mut lowered = match kinds.as_slice() {
            [] => return Ok(self.only_null(node.pointer())),
            [kind] => self.kind(node, *kind)?,
            several => {
                let free = several.len() >= 4
                    && node.types.has(Types::OBJECT)
                    && node.types.has(Types::ARRAY);
                if free {
                    return Ok(self.free_value(node));
                }
                self.split(node, several)?
            }
        };
        if nullable {
            self.allow_null(&mut lowered);
        }
        if kinds.len() > 1 {
            // Rules about the whole value are noted once, outside the branches.
            self.validator_only(node, &mut lowered);
        }
        Ok(lowered)
    }

    /// The value as one JSON type.
    pub(crate) fn kind(&mut self, node: &Node, kind: Types) -> Result<Lowered, Overflow> {
        let mut lowered = match kind {
            Types::STRING => self.text(node),
            Types::ARRAY => self.array(node)?,
            Types::OBJECT => self.object_node(node)?,
            Types::NULL => self.only_null(node.pointer()),
            Types::BOOLEAN => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), json!("boolean"));
                Lowered::new(schema, Step::Same)
            }
            number => self.number(node, number),
        };
        if node.types.without(Types::NULL) == kind {
            self.validator_only(node, &mut lowered);
        }
        Ok(lowered)
    }

    /// A value of several types: one branch for each.
    fn split(&mut self, node: &Node, kinds: &[Types]) -> Result<Lowered, Overflow> {
        let mut parts = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let lowered = self.kind(node, *kind)?;
            parts.push(Part { lowered, contract: Guard::of_types(*kind), check: Vec::new() });
        }
        Ok(self.join(parts, node.pointer(), "type"))
    }

    /// Any JSON, or nearly any, so that listing the types would not help.
    pub(crate) fn free_value(&mut self, node: &Node) -> Lowered {
        let mut lowered = match self.rules.free {
            FreeForm::Native => Lowered::new(Map::new(), Step::Same),
            FreeForm::Typed => Lowered::new(of_types(node.types), Step::Same),
            FreeForm::JsonText => {
                let what = "any JSON is sent as a string, and decoded";
                self.lose(LossKind::Reencoded, node.pointer(), "type", what);
                self.json_text()
            }
        };
        if node.types != Types::ANY && self.rules.free != FreeForm::Typed {
            let names = node.types.kinds().iter().map(|kind| kind.name()).collect::<Vec<_>>();
            let note = format!("one of the types {}", names.join(", "));
            self.noted(&mut lowered, node.pointer(), "type", note);
        }
        for rule in self.all_rules(node) {
            self.noted(&mut lowered, node.pointer(), rule.keyword, rule.note());
        }
        self.validator_only(node, &mut lowered);
        lowered
    }

    /// A schema for any value, if the target has one.
    pub(crate) fn anything(&self) -> Map<String, Value> {
        match self.rules.free {
            FreeForm::Native | FreeForm::JsonText => Map::new(),
            FreeForm::Typed => of_types(Types::ANY),
        }
    }

    /// A string with JSON.
    pub(crate) fn json_text(&self) -> Lowered {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("string"));
        let mut lowered = Lowered::new(schema, Step::JsonText);
        lowered.note("JSON text");
        lowered
    }

    /// A rule that is stated in the description instead of enforced.
    pub(crate) fn noted(
        &mut self,
        lowered: &mut Lowered,
        pointer: &str,
        keyword: &str,
        note: String,
    ) {
        lowered.note(note);
        let mut place = pointer.to_owned();
        crate::schema::subschemas::push_segment(&mut place, keyword);
        let what = format!("`{keyword}` is stated in the description and checked by us");
        self.lose(LossKind::Noted, &place, keyword, &what);
    }

    /// The rules that only a full validator checks.
    pub(crate) fn validator_only(&mut self, node: &Node, lowered: &mut Lowered) {
        for rule in &node.validator_only {
            lowered.note(rule.note.clone());
            let keyword = rule.keyword;
            let what = format!("`{keyword}` is stated in the description and checked by us");
            self.lose(LossKind::Noted, &rule.pointer, keyword, &what);
        }
    }

    /// Makes a wire schema allow null.
    pub(crate) fn allow_null(&self, lowered: &mut Lowered) {
        // A string with JSON can already be null.
        if lowered.step == Step::JsonText {
            return;
        }
        let null = json!({ "type": "null" });
        let schema = &mut lowered.schema;
        let listed = schema.contains_key("enum") && self.rules.null_value == NullValue::Branch;
        let wrap = schema.contains_key("$ref") || listed;
        match schema.get_mut("anyOf") {
            Some(Value::Array(branches)) if !branches.contains(&null) => {
                branches.push(null.clone())
            }
            Some(_) => {}
            None if wrap => {}
            None => add_null(schema),
        }
        if wrap {
            let inner = std::mem::take(schema);
            schema.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(inner), null]));
        }
        let step = std::mem::replace(&mut lowered.step, Step::Same);
        lowered.step = Step::nullable(step);
    }
}

fn of_types(types: Types) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), types.keyword());
    schema
}

fn add_null(schema: &mut Map<String, Value>) {
    let types = match schema.get("type") {
        Some(Value::String(name)) if name != "null" => json!([name, "null"]),
        Some(Value::Array(names)) if !names.contains(&json!("null")) => {
            let mut names = names.clone();
            names.push(json!("null"));
            Value::Array(names)
        }
        _ => return,
    };
    schema.insert("type".to_owned(), types);
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}
