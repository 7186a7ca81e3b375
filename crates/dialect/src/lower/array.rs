//! Lists and tuples.

use serde_json::{Map, Value, json};

use super::field::WireField;
use super::notes;
use super::rules::item_rules;
use super::{Lowered, Lowerer, Overflow};
use crate::graph::{ArrayRest, Edge, Node, Presence};
use crate::loss::LossKind;
use crate::plan::Step;
use crate::target::{FreeForm, Tuples};

impl Lowerer<'_> {
    pub(crate) fn array(&mut self, node: &Node) -> Result<Lowered, Overflow> {
        let facts = &node.array;
        let mut rest = match &facts.rest {
            ArrayRest::Each(edge) if self.graph.is_never(edge.to) => ArrayRest::Closed,
            ArrayRest::Each(_) | ArrayRest::Any | ArrayRest::Closed => facts.rest.clone(),
        };
        let mut prefix: &[Edge] = &facts.prefix;
        // Nothing follows an item that cannot exist, or the last item of the longest list.
        let end = prefix.iter().position(|edge| self.graph.is_never(edge.to));
        let longest = facts.max_items.and_then(|most| usize::try_from(most).ok());
        let end = [end, longest].into_iter().flatten().min();
        if let Some(shorter) = end.and_then(|end| prefix.get(..end)) {
            prefix = shorter;
            rest = ArrayRest::Closed;
        }
        if !prefix.is_empty() {
            return self.tuple(node, prefix, &rest);
        }
        let items = self.rest_items(node, &rest)?;
        let most = if matches!(rest, ArrayRest::Closed) { Some(0) } else { facts.max_items };
        Ok(self.list(node, items, facts.min_items, most))
    }

    fn rest_items(&mut self, node: &Node, rest: &ArrayRest) -> Result<Lowered, Overflow> {
        Ok(match (rest, self.rules.free) {
            (ArrayRest::Each(edge), _) => self.place(edge)?,
            (ArrayRest::Any, FreeForm::Native | FreeForm::Typed) => {
                Lowered::new(self.anything(), Step::Same)
            }
            (ArrayRest::Any, FreeForm::JsonText) => {
                let what = "each item is sent as a string with JSON, and decoded";
                self.lose(LossKind::Reencoded, node.pointer(), "items", what);
                self.json_text()
            }
            (ArrayRest::Closed, _) => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), json!("string"));
                Lowered::new(schema, Step::Same)
            }
        })
    }

    fn list(
        &mut self,
        node: &Node,
        items: Lowered,
        least: Option<u64>,
        most: Option<u64>,
    ) -> Lowered {
        let (items, step) = notes::written(items);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("array"));
        schema.insert("items".to_owned(), Value::Object(items));
        let mut lowered = Lowered::new(schema, Step::items(step));
        self.item_limits(node, least, most, &mut lowered);
        lowered
    }

    fn item_limits(
        &mut self,
        node: &Node,
        least: Option<u64>,
        most: Option<u64>,
        lowered: &mut Lowered,
    ) {
        for rule in item_rules(least, most) {
            // A smaller minimum is wider; a smaller maximum would be narrower.
            let (highest, sent) = match rule.keyword {
                "minItems" => (self.rules.min_items_max, true),
                _ => (self.rules.count_max, self.takes_count(&rule)),
            };
            let limit = rule.value.as_u64().unwrap_or(0);
            if self.takes_keyword(rule.keyword) && sent {
                lowered.schema.insert(rule.keyword.to_owned(), json!(limit.min(highest)));
            }
            if !self.takes_keyword(rule.keyword) || limit > highest {
                self.noted(lowered, node.pointer(), rule.keyword, rule.note());
            }
        }
    }

    fn tuple(
        &mut self,
        node: &Node,
        prefix: &[Edge],
        rest: &ArrayRest,
    ) -> Result<Lowered, Overflow> {
        let mut places = Vec::with_capacity(prefix.len());
        for edge in prefix {
            places.push(self.place(edge)?);
        }
        let more = match rest {
            ArrayRest::Closed => None,
            ArrayRest::Any | ArrayRest::Each(_) => Some(self.rest_items(node, rest)?),
        };
        let same = places.iter().chain(&more).all(|place| place.step.is_same());
        if self.rules.tuples == Tuples::Prefix && same {
            return Ok(self.prefix_tuple(node, places, more));
        }
        let most = match more {
            Some(_) => node.array.max_items,
            None => Some(prefix.len() as u64),
        };
        if let Some(item) = alike(&places, more.as_ref()) {
            return Ok(self.list(node, item, node.array.min_items, most));
        }
        if self.rules.tuples == Tuples::Items {
            return Ok(self.loose_tuple(node, places, more, most));
        }
        Ok(self.object_tuple(node, places, more))
    }

    fn prefix_tuple(
        &mut self,
        node: &Node,
        places: Vec<Lowered>,
        more: Option<Lowered>,
    ) -> Lowered {
        let count = places.len() as u64;
        let prefix: Vec<Value> =
            places.into_iter().map(|place| Value::Object(notes::written(place).0)).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("array"));
        schema.insert("prefixItems".to_owned(), Value::Array(prefix));
        let most = match more {
            Some(item) => {
                schema.insert("items".to_owned(), Value::Object(notes::written(item).0));
                node.array.max_items
            }
            None => Some(count),
        };
        let mut lowered = Lowered::new(schema, Step::Same);
        self.item_limits(node, node.array.min_items, most, &mut lowered);
        lowered
    }

    /// A list whose items fit any of the positions, if nothing better is possible.
    fn loose_tuple(
        &mut self,
        node: &Node,
        places: Vec<Lowered>,
        more: Option<Lowered>,
        most: Option<u64>,
    ) -> Lowered {
        let mut forms: Vec<Value> = Vec::new();
        let exact = places.iter().chain(&more).all(|place| place.step.is_same());
        for place in places.into_iter().chain(more) {
            let schema = Value::Object(notes::written(place).0);
            if !forms.contains(&schema) {
                forms.push(schema);
            }
        }
        let order = clipped(&forms);
        let mut schema = if exact { Map::new() } else { self.anything() };
        if exact {
            schema.insert("anyOf".to_owned(), Value::Array(forms));
        }
        let mut lowered =
            self.list(node, Lowered::new(schema, Step::Same), node.array.min_items, most);
        lowered.step = Step::Same;
        self.noted(&mut lowered, node.pointer(), "prefixItems", format!("items in order: {order}"));
        lowered
    }

    fn object_tuple(
        &mut self,
        node: &Node,
        places: Vec<Lowered>,
        more: Option<Lowered>,
    ) -> Lowered {
        let least = node.array.min_items.unwrap_or(0);
        let fields = places
            .into_iter()
            .zip(&node.array.prefix)
            .enumerate()
            .map(|(index, (lowered, edge))| WireField {
                types: self.graph.node(edge.to).types,
                contract: index.to_string(),
                wire: format!("item_{index}"),
                presence: if (index as u64) < least {
                    Presence::Required
                } else {
                    Presence::Optional
                },
                lowered,
            })
            .collect();
        let (mut schema, steps) = self.wire_object(node.pointer(), fields);
        let mut rest = None;
        if let Some(item) = more {
            let list = self.list(node, item, None, None);
            let (list, step) = notes::written(list);
            super::field::add_required(&mut schema, "rest", list);
            rest = Some(("rest".to_owned(), Box::new(step)));
        }
        let what = "the tuple is sent as an object with a field per position, and decoded";
        self.lose(LossKind::Reencoded, node.pointer(), "prefixItems", what);
        let mut lowered = Lowered::new(schema, Step::Tuple { fields: steps, rest });
        let limit = node
            .array
            .max_items
            .filter(|_| matches!(node.array.rest, ArrayRest::Any | ArrayRest::Each(_)));
        let places = node.array.prefix.len() as u64;
        let least = node.array.min_items.filter(|least| *least > places);
        for rule in item_rules(least, limit) {
            self.noted(&mut lowered, node.pointer(), rule.keyword, rule.note());
        }
        lowered
    }
}

/// The common form of all positions.
fn alike(places: &[Lowered], more: Option<&Lowered>) -> Option<Lowered> {
    let first = places.first()?;
    let same = |place: &Lowered| {
        place.schema == first.schema && place.step == first.step && place.notes == first.notes
    };
    if !places.iter().chain(more).all(same) {
        return None;
    }
    let mut item = first.clone();
    // Only their descriptions distinguish the positions; they are kept in order.
    let texts: Vec<&str> = places.iter().filter_map(|place| place.description.as_deref()).collect();
    if !texts.is_empty() {
        item.description = Some(texts.join("; "));
    }
    Some(item)
}

fn clipped(forms: &[Value]) -> String {
    let text = forms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if text.chars().count() <= 160 { text } else { "see each form".to_owned() }
}
