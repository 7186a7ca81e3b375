//! Rewrites the schemas inside a schema: lists, maps, and the old `dependencies`.

use serde_json::{Map, Value, json};

use super::{Normaliser, Place};
use crate::schema::subschemas::{Reach, push_segment};

impl Normaliser<'_> {
    pub(super) fn list(
        &mut self,
        value: &Value,
        place: &Place<'_>,
        from: &str,
        to: &str,
        reach: Reach,
        out: &mut Map<String, Value>,
    ) {
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        if list.is_empty() {
            let harmless = value.is_array() && matches!(to, "allOf" | "prefixItems");
            if !harmless {
                self.fault(place, from, &format!("`{from}` must be a list of schemas"), {
                    "give at least one schema"
                });
            }
            return;
        }
        if from != to {
            let (from, to) = ([from], [to]);
            let moved = place.inner(&from, &to, reach);
            self.moved.push((moved.to(), moved.from()));
        }
        let schemas = list.iter().enumerate().map(|(index, schema)| {
            let index = index.to_string();
            let (from, to) = ([from, &index], [to, &index]);
            self.schema(schema, &place.inner(&from, &to, reach))
        });
        let schemas: Vec<Value> = schemas.collect();
        // A second reference beside the first one is already under `allOf`.
        match out.get_mut(to) {
            Some(Value::Array(present)) => present.extend(schemas),
            _ => {
                out.insert(to.to_owned(), Value::Array(schemas));
            }
        }
    }

    pub(super) fn map(
        &mut self,
        value: &Value,
        place: &Place<'_>,
        keyword: &str,
        reach: Reach,
        out: &mut Map<String, Value>,
    ) {
        let Value::Object(map) = value else {
            self.fault(place, keyword, &format!("`{keyword}` must be an object of schemas"), {
                "write `{\"name\": {\"type\": \"string\"}}`"
            });
            return;
        };
        let mut schemas = Map::new();
        for (name, schema) in map {
            if keyword == "patternProperties" {
                self.check_pattern(name, place, keyword);
            }
            let path = [keyword, name.as_str()];
            let inner = place.inner(&path, &path, reach);
            schemas.insert(name.clone(), self.schema(schema, &inner));
        }
        match out.get_mut(keyword) {
            Some(Value::Object(present)) => present.extend(schemas),
            _ => {
                out.insert(keyword.to_owned(), Value::Object(schemas));
            }
        }
    }

    /// `dependencies` became two keywords: lists of names, and schemas.
    pub(super) fn dependencies(
        &mut self,
        value: &Value,
        map: &Map<String, Value>,
        place: &Place<'_>,
        out: &mut Map<String, Value>,
    ) {
        let Value::Object(entries) = value else {
            self.fault(place, "dependencies", "`dependencies` must be an object", {
                "use `dependentRequired`"
            });
            return;
        };
        let mut lists = Map::new();
        for (name, entry) in entries {
            if entry.is_array() {
                lists.insert(name.clone(), entry.clone());
                continue;
            }
            let path = ["dependencies", name.as_str()];
            let to = ["dependentSchemas", name.as_str()];
            let inner = place.inner(&path, &to, Reach::SameValue);
            self.moved.push((inner.to(), inner.from()));
            let schema = self.schema(entry, &inner);
            let slot = out.entry("dependentSchemas").or_insert_with(|| json!({}));
            if let Value::Object(slot) = slot {
                slot.insert(name.clone(), schema);
            }
        }
        if !lists.is_empty() {
            if !map.contains_key("dependentRequired") {
                let mut moved = (place.to(), place.from());
                push_segment(&mut moved.0, "dependentRequired");
                push_segment(&mut moved.1, "dependencies");
                self.moved.push(moved);
            }
            self.dependent_required(&Value::Object(lists), place, out);
        }
    }
}
