//! Rewrites one schema object, keyword by keyword, in the order of the author.
//!
//! Must hold: a renamed keyword keeps its position; an invalid one is a
//! fault that names it.

use serde_json::{Map, Value, json};

use super::nullable::{allow_null, openapi_nullable};
use super::resources::Missing;
use super::{Normaliser, Place};
use crate::schema::equality::as_integer;
use crate::schema::pattern;
use crate::schema::subschemas::{Position, Reach, describes, position};

const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl Normaliser<'_> {
    pub(super) fn keywords(
        &mut self,
        map: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Map<String, Value> {
        let place = &self.entered(map, place);
        let hides = place.draft.reference_hides_siblings() && map.contains_key("$ref");
        let nullable = openapi_nullable(map);
        let mut out = Map::new();
        for (keyword, value) in map {
            if hides && keyword != "$ref" && !describes(keyword) {
                continue;
            }
            self.keyword(keyword, value, map, place, &mut out);
        }
        if nullable
            && !hides
            && let Some(prefix) = allow_null(&mut out)
        {
            let mut wrapped = place.to();
            wrapped.push_str(prefix);
            self.moved.push((wrapped, place.from()));
        }
        out
    }

    /// The position with the draft and the resource that the schema itself declares.
    fn entered<'p>(&mut self, map: &Map<String, Value>, place: &Place<'p>) -> Place<'p> {
        let mut place = *place;
        if map.contains_key("$id") || map.contains_key("id") || map.contains_key("$schema") {
            let (resource, draft) = self.resources.around(&place.from());
            place.resource = resource;
            place.draft = draft;
            place.scope = self.scopes.enter(self.resources, resource, place.scope);
        }
        place
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        map: &Map<String, Value>,
        place: &Place<'_>,
        out: &mut Map<String, Value>,
    ) {
        let mut keep = |value: Value| {
            out.insert(keyword.to_owned(), value);
        };
        match keyword {
            "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
            | "$vocabulary" | "$comment" | "$defs" | "definitions" | "nullable"
            | "discriminator" | "xml" | "externalDocs" => {}
            "id" if value.is_string() => {}
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                if let Some(target) = self.target(keyword, value, place) {
                    add_reference(out, target);
                }
            }
            "type" => {
                if let Some(types) = self.types(value, place) {
                    keep(types);
                }
            }
            "example" if !map.contains_key("examples") => {
                out.insert("examples".to_owned(), json!([value]));
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                self.number(keyword, value, map, place, out);
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => match count(value) {
                Some(count) => keep(count.into()),
                None => self.fault(place, keyword, "the limit must be an integer of 0 or more", {
                    "write a number such as 1"
                }),
            },
            "enum" if value.is_array() => keep(value.clone()),
            "enum" => {
                self.fault(place, keyword, "`enum` must be a list", "list the allowed values");
            }
            "required" => self.required(value, place, out),
            "dependentRequired" => self.dependent_required(value, place, out),
            "pattern" => self.pattern(value, place, out),
            "items" if value.is_array() && !map.contains_key("prefixItems") => {
                self.list(value, place, keyword, "prefixItems", Reach::Part, out);
                if let Some(rest) = map.get("additionalItems") {
                    let inner = place.inner(&["additionalItems"], &["items"], Reach::Part);
                    self.moved.push((inner.to(), inner.from()));
                    let rest = self.schema(rest, &inner);
                    out.insert("items".to_owned(), rest);
                }
            }
            "additionalItems" => {}
            "dependencies" => self.dependencies(value, map, place, out),
            "then" | "else" if !map.contains_key("if") => {}
            "format" | "title" | "description" if !value.is_string() => {}
            "uniqueItems" if !value.is_boolean() => {}
            _ => match position(keyword) {
                Some((Position::Schema | Position::SchemaOrList, reach)) => {
                    let path = [keyword];
                    let inner = place.inner(&path, &path, reach);
                    keep(self.schema(value, &inner));
                }
                Some((Position::List, reach)) => {
                    self.list(value, place, keyword, keyword, reach, out);
                }
                Some((Position::Map | Position::Dependencies, reach)) => {
                    self.map(value, place, keyword, reach, out);
                }
                None => keep(value.clone()),
            },
        }
    }

    fn target(&mut self, keyword: &str, value: &Value, place: &Place<'_>) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.fault(place, keyword, "the reference must be a string", "write `#/$defs/NAME`");
            return None;
        };
        let resolved = if keyword == "$ref" {
            self.resources.resolve(text, place.resource)
        } else {
            let found = self.resources.resolve_dynamic(keyword, text, place.resource);
            found.map(|(found, anchor)| {
                let carrier = anchor.and_then(|anchor| self.scopes.carrier(place.scope, &anchor));
                carrier.cloned().unwrap_or(found)
            })
        };
        let found = resolved.and_then(|pointer| match self.original.pointer(&pointer) {
            Some(Value::Object(_) | Value::Bool(_)) => Ok(pointer),
            Some(_) | None => Err(Missing::Dangling),
        });
        let text: String = text.chars().take(120).collect();
        match found {
            Ok(pointer) => return Some(self.reference(&pointer, place)),
            Err(Missing::Remote) => {
                let what = format!("the reference `{text}` leads out of the schema");
                self.fault(place, keyword, &what, "copy what it names into `$defs`");
            }
            Err(Missing::Dangling) => {
                let what = format!("the reference `{text}` names nothing in the schema");
                self.fault(place, keyword, &what, "define it under `$defs`, or correct the name");
            }
        }
        None
    }

    fn types(&mut self, value: &Value, place: &Place<'_>) -> Option<Value> {
        let names: Vec<&str> = match value {
            Value::String(name) => vec![name],
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        let whole = value.as_array().is_none_or(|list| list.len() == names.len());
        let unknown = names.iter().find(|name| !TYPES.contains(name));
        if let Some(name) = unknown {
            let near = TYPES.iter().find(|known| known.starts_with(&name.to_lowercase()));
            let near = near.map_or(String::new(), |known| format!("did you mean `{known}`? "));
            let what = format!("`{name}` is not a JSON type");
            let fix = format!("{near}use one of {}", TYPES.join(", "));
            self.fault(place, "type", &what, &fix);
            return None;
        }
        if names.is_empty() || !whole {
            self.fault(place, "type", "`type` must name a type", "write a name or a list of names");
            return None;
        }
        let mut unique: Vec<&str> = Vec::new();
        for name in names {
            if !unique.contains(&name) {
                unique.push(name);
            }
        }
        Some(match unique.as_slice() {
            [one] => json!(one),
            several => json!(several),
        })
    }

    /// `minimum` with a boolean `exclusiveMinimum` becomes the newer exclusive bound.
    fn number(
        &mut self,
        keyword: &str,
        value: &Value,
        map: &Map<String, Value>,
        place: &Place<'_>,
        out: &mut Map<String, Value>,
    ) {
        let exclusive = match keyword {
            "minimum" => "exclusiveMinimum",
            "maximum" => "exclusiveMaximum",
            "multipleOf" => keyword,
            _ if value.is_boolean() => return,
            _ => keyword,
        };
        if !value.is_number() || (keyword == "multipleOf" && !positive(value)) {
            self.fault(place, keyword, "the bound must be a number", "write a number");
            return;
        }
        let opened = map.get(exclusive) == Some(&Value::Bool(true));
        let name = if opened { exclusive } else { keyword };
        out.insert(name.to_owned(), value.clone());
    }

    fn required(&mut self, value: &Value, place: &Place<'_>, out: &mut Map<String, Value>) {
        match names(value) {
            Some(list) => {
                out.insert("required".to_owned(), json!(list));
            }
            None => self.fault(place, "required", "`required` must be a list of names", {
                "name the property in the `required` list of the object around it"
            }),
        }
    }

    pub(super) fn dependent_required(
        &mut self,
        value: &Value,
        place: &Place<'_>,
        out: &mut Map<String, Value>,
    ) {
        let entries = value.as_object().map(|map| {
            map.iter().map(|(key, list)| Some((key.clone(), json!(names(list)?)))).collect()
        });
        match entries {
            Some(Some(map)) => {
                let slot = out.entry("dependentRequired").or_insert_with(|| json!({}));
                let map: Map<String, Value> = map;
                if let Value::Object(slot) = slot {
                    slot.extend(map);
                }
            }
            Some(None) | None => {
                self.fault(place, "dependentRequired", "each entry must be a list of names", {
                    "write `{\"card\": [\"billing\"]}`"
                });
            }
        }
    }

    fn pattern(&mut self, value: &Value, place: &Place<'_>, out: &mut Map<String, Value>) {
        let Some(text) = value.as_str() else {
            self.fault(
                place,
                "pattern",
                "`pattern` must be a string",
                "write a regular expression",
            );
            return;
        };
        self.check_pattern(text, place, "pattern");
        out.insert("pattern".to_owned(), value.clone());
    }

    pub(super) fn check_pattern(&mut self, text: &str, place: &Place<'_>, keyword: &str) {
        if let Err(why) = pattern::scan(text) {
            let what = format!("the pattern is invalid: {why}");
            self.fault(place, keyword, &what, "correct the regular expression");
        }
    }
}

/// A schema can have `$ref` and `$dynamicRef`; both must hold.
fn add_reference(out: &mut Map<String, Value>, target: String) {
    if out.contains_key("$ref") {
        let list = out.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(json!({ "$ref": target }));
        }
    } else {
        out.insert("$ref".to_owned(), target.into());
    }
}

fn names(value: &Value) -> Option<Vec<&str>> {
    let mut unique: Vec<&str> = Vec::new();
    for name in value.as_array()? {
        let name = name.as_str()?;
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    Some(unique)
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => as_integer(number).and_then(|count| count.try_into().ok()),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

fn positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}
