//! Lowers objects whose keys are data: maps, free objects, and extra keys next to named fields.

use serde_json::{Map, Value, json};

use super::field::add_required;
use super::key::free_name;
use super::notes;
use super::object::{Others, View};
use super::{Lowered, Lowerer, Overflow, pattern_fits};
use crate::graph::{Edge, Node, Presence, Rest};
use crate::loss::LossKind;
use crate::plan::{RestStep, Step};
use crate::schema::json_types::Types;
use crate::target::{Closing, FreeForm, OpenObjects};

impl Lowerer<'_> {
    pub(crate) fn free_object(&mut self, node: &Node) -> Lowered {
        match self.rules.free {
            FreeForm::Native | FreeForm::Typed => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), json!("object"));
                Lowered::new(schema, Step::Same)
            }
            FreeForm::JsonText => {
                let what = "the free-form object is sent as a string with JSON, and decoded";
                self.lose(LossKind::Reencoded, node.pointer(), "additionalProperties", what);
                let mut lowered = self.json_text();
                lowered.note("an object");
                lowered
            }
        }
    }

    /// Whether keys are required without properties, on a wire without open objects.
    pub(crate) fn names_nothing(&self, view: &View<'_>) -> bool {
        let any = |edges: &[&Edge]| edges.iter().all(|edge| self.is_any(edge));
        self.rules.open == OpenObjects::Pairs && view.fields.iter().all(|(_, edges, _)| any(edges))
    }

    pub(crate) fn free_with_keys(&mut self, node: &Node, view: &View<'_>) -> Lowered {
        let mut lowered = self.free_object(node);
        let required =
            view.fields.iter().filter(|(_, _, presence)| *presence == Presence::Required);
        let keys: Vec<String> = required.map(|(name, _, _)| format!("`{name}`")).collect();
        if !keys.is_empty() {
            let note = format!("has {}", keys.join(", "));
            self.noted(&mut lowered, node.pointer(), "required", note);
        }
        lowered
    }

    /// An object whose keys are data.
    pub(crate) fn map(&mut self, node: &Node, edges: &[&Edge]) -> Result<Lowered, Overflow> {
        if self.rules.open == OpenObjects::Unmarked {
            let mut schema = Map::new();
            schema.insert("type".to_owned(), json!("object"));
            let mut lowered = Lowered::new(schema, Step::Same);
            self.note_values(node, edges, &mut lowered);
            return Ok(lowered);
        }
        let value = self.any_of_edges(node, edges)?;
        let (schema, step) = notes::written(value);
        if self.rules.open == OpenObjects::Native {
            let mut out = Map::new();
            out.insert("type".to_owned(), json!("object"));
            out.insert("additionalProperties".to_owned(), Value::Object(schema));
            return Ok(Lowered::new(
                out,
                Step::object(Vec::new(), RestStep::Beside(Box::new(step))),
            ));
        }
        let what = "the map is sent as a list of key and value, and decoded";
        self.lose(LossKind::Reencoded, node.pointer(), "additionalProperties", what);
        let mut lowered = self.pairs(&schema, step, self.key_pattern(node));
        lowered.note("one entry per key");
        Ok(lowered)
    }

    fn note_values(&mut self, node: &Node, edges: &[&Edge], lowered: &mut Lowered) {
        let types =
            edges.iter().fold(Types::NONE, |types, edge| types.or(self.graph.node(edge.to).types));
        let names: Vec<&str> = types.kinds().iter().map(|kind| kind.name()).collect();
        let note = format!("each value: {}", names.join(" or "));
        self.noted(lowered, node.pointer(), "additionalProperties", note);
    }

    /// The pattern that all keys of a map match, if the wire supports it.
    pub(crate) fn key_pattern<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let facts = &node.object;
        let [(pattern, _)] = facts.patterns.as_slice() else { return None };
        let alone = facts.fields.is_empty()
            && matches!(facts.rest, Rest::Closed)
            && self.rules.open == OpenObjects::Pairs
            && self.takes_keyword("pattern")
            && pattern_fits(pattern, self.rules.patterns);
        alone.then_some(pattern.as_str())
    }

    fn pairs(&self, schema: &Map<String, Value>, step: Step, pattern: Option<&str>) -> Lowered {
        let mut key = json!({ "type": "string" });
        if let Some(pattern) = pattern {
            key["pattern"] = pattern.into();
        }
        let mut item = Map::new();
        item.insert("type".to_owned(), json!("object"));
        item.insert("properties".to_owned(), json!({ "key": key, "value": schema }));
        item.insert("required".to_owned(), json!(["key", "value"]));
        self.close(&mut item);
        let mut out = Map::new();
        out.insert("type".to_owned(), json!("array"));
        out.insert("items".to_owned(), Value::Object(item));
        Lowered::new(out, Step::Pairs(Box::new(step)))
    }

    pub(crate) fn others(
        &mut self,
        node: &Node,
        others: &Others<'_>,
        schema: &mut Map<String, Value>,
        noted: &mut Lowered,
    ) -> Result<RestStep, Overflow> {
        let (edges, any): (&[&Edge], bool) = match others {
            Others::None => {
                self.note_closed(node);
                if self.rules.closing == Closing::AsSaid && matches!(node.object.rest, Rest::Closed)
                {
                    schema.insert("additionalProperties".to_owned(), json!(false));
                }
                return Ok(RestStep::same());
            }
            Others::Any => (&[], true),
            Others::Each(edges) => (edges, false),
        };
        match self.rules.open {
            OpenObjects::Unmarked => {
                if !any {
                    self.note_values(node, edges, noted);
                }
                Ok(RestStep::same())
            }
            OpenObjects::Native if any => {
                schema.insert("additionalProperties".to_owned(), json!(true));
                Ok(RestStep::same())
            }
            OpenObjects::Native => {
                let value = self.any_of_edges(node, edges)?;
                let (value, step) = notes::written(value);
                schema.insert("additionalProperties".to_owned(), Value::Object(value));
                Ok(RestStep::Beside(Box::new(step)))
            }
            OpenObjects::Pairs => self.others_field(node, edges, any, schema),
        }
    }

    /// Records that an object which the contract leaves open is closed on the wire.
    pub(crate) fn note_closed(&mut self, node: &Node) {
        let open = matches!(node.object.rest, Rest::Unspecified);
        if open && self.rules.open == OpenObjects::Pairs {
            let what = "the contract leaves the object open, and it is sent closed: only the \
                        properties it names can be sent";
            self.lose(LossKind::Noted, node.pointer(), "additionalProperties", what);
        }
    }

    /// The other keys in a separate field.
    fn others_field(
        &mut self,
        node: &Node,
        edges: &[&Edge],
        any: bool,
        schema: &mut Map<String, Value>,
    ) -> Result<RestStep, Overflow> {
        let mut lowered = if any {
            let mut lowered = self.json_text();
            lowered.note("an object");
            lowered
        } else {
            let value = self.any_of_edges(node, edges)?;
            let (value, step) = notes::written(value);
            self.pairs(&value, step, None)
        };
        lowered.note("properties without their own field");
        let taken = |name: &str| {
            schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
        };
        let wire = free_name("additional_properties", taken);
        let (field, step) = notes::written(lowered);
        add_required(schema, &wire, field);
        let what = format!("other keys are sent in `{wire}`, and decoded");
        self.lose(LossKind::Reencoded, node.pointer(), "additionalProperties", &what);
        Ok(RestStep::Field { wire, step: Box::new(step) })
    }
}
