//! Random schemas, and random values that have a good chance to fit them.
//!
//! All choices come from one list of numbers, so that failing cases shrink:
//! an empty list gives the simplest schema.

use serde_json::{Map, Value, json};

pub(super) struct Dice<'l> {
    list: &'l [u16],
    at: usize,
}

const KEYS: [&str; 12] = [
    "a",
    "b",
    "kind",
    "$ref",
    "properties",
    "title",
    "with space",
    "__proto__",
    "x/y~z",
    "$top",
    "a_very_long_key_that_goes_on_and_on_until_it_is_longer_than_sixty_four_bytes",
    "a b",
];
const TEXTS: [&str; 8] = ["", "a", "A", "word", "ab-12", "1", "null", "{\"a\":1}"];

impl<'l> Dice<'l> {
    pub(super) fn new(list: &'l [u16]) -> Self {
        Self { list, at: 0 }
    }

    pub(super) fn roll(&mut self, sides: usize) -> usize {
        let found = self.list.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(found) % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == sides - 1
    }

    fn key(&mut self) -> &'static str {
        KEYS[self.roll(KEYS.len())]
    }

    fn number(&mut self) -> Value {
        match self.roll(8) {
            0..=4 => json!(self.roll(12) as i64 - 3),
            5 => json!(2.5),
            6 => json!(-0.5),
            _ => json!(9_007_199_254_740_993_i64),
        }
    }

    /// Any JSON, mostly small.
    pub(super) fn junk(&mut self, depth: usize) -> Value {
        match self.roll(if depth > 2 { 5 } else { 7 }) {
            0 => json!(TEXTS[self.roll(TEXTS.len())]),
            1 => self.number(),
            2 => json!(self.one_in(2)),
            3 => Value::Null,
            4 => json!(self.roll(5)),
            5 => (0..self.roll(3)).map(|_| self.junk(depth + 1)).collect(),
            _ => {
                let mut map = Map::new();
                for _ in 0..self.roll(3) {
                    map.insert(self.key().to_owned(), self.junk(depth + 1));
                }
                Value::Object(map)
            }
        }
    }

    /// A whole contract: mostly an object, with definitions to refer to.
    pub(super) fn contract(&mut self) -> Value {
        let mut root = match self.roll(8) {
            0..=5 => self.object(0),
            6 => json!({ "oneOf": [self.object(1), self.object(1)] }),
            _ => json!({ "type": "object", "allOf": [self.object(1), self.object(1)] }),
        };
        if let Value::Object(map) = &mut root {
            let first = self.schema(1);
            let second = self.schema(1);
            map.insert("$defs".to_owned(), json!({ "N": first, "M": second }));
        }
        root
    }

    fn schema(&mut self, depth: usize) -> Value {
        let mut schema = match self.roll(if depth > 3 { 7 } else { 17 }) {
            0 => self.text(),
            1 => self.numeric(),
            2 => json!({ "type": "boolean" }),
            3 => {
                let values: Vec<Value> = (0..=self.roll(4)).map(|_| self.junk(1)).collect();
                json!({ "enum": values })
            }
            4 => json!({ "type": ["string", "null"] }),
            5 => json!({ "const": self.junk(2) }),
            6 => [json!({}), json!(true), json!({ "type": "object" }), json!({ "type": "array" })]
                [self.roll(4)]
            .clone(),
            7 | 8 => self.object(depth),
            9 | 10 => self.array(depth),
            11 => self.union(depth, "anyOf"),
            12 => self.union(depth, "oneOf"),
            13 => json!({ "allOf": [self.schema(depth + 1), self.schema(depth + 1)] }),
            14 => json!({ "$ref": (["#/$defs/N", "#/$defs/M"][self.roll(2)]) }),
            15 => {
                json!({ "type": ["string", "integer", "object"], "minLength": 1, "properties": { "a": self.schema(depth + 1) } })
            }
            _ => json!({ "properties": { "next": { "$ref": "#/$defs/N" } } }),
        };
        if let Value::Object(map) = &mut schema {
            if self.one_in(6) {
                map.insert("description".to_owned(), json!("Says what it is."));
            }
            if self.one_in(9) {
                map.insert("nullable".to_owned(), json!(true));
            }
            if self.one_in(12) {
                map.insert("not".to_owned(), json!({ "type": "boolean" }));
            }
        }
        schema
    }

    /// Gives every second property a default, which may fit or not.
    pub(super) fn sprinkle_defaults(&mut self, schema: &mut Value) {
        match schema {
            Value::Object(map) => {
                for (keyword, inner) in map {
                    if let ("properties", Value::Object(properties)) =
                        (keyword.as_str(), &mut *inner)
                    {
                        for property in properties.values_mut().filter_map(Value::as_object_mut) {
                            if self.one_in(2) {
                                property.insert("default".to_owned(), self.junk(1));
                            }
                        }
                    }
                    self.sprinkle_defaults(inner);
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| self.sprinkle_defaults(inner)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn text(&mut self) -> Value {
        let mut schema = json!({ "type": "string" });
        match self.roll(7) {
            1 => schema["minLength"] = json!(self.roll(3)),
            2 => schema["maxLength"] = json!(self.roll(6)),
            3 => schema["pattern"] = json!(["^[a-z]*$", "^(?!x)", "\\bword\\b"][self.roll(3)]),
            4 => schema["format"] = json!(["date", "uri", "color"][self.roll(3)]),
            5 => schema["enum"] = json!(["a", "A", "word"]),
            _ => {}
        }
        schema
    }

    fn numeric(&mut self) -> Value {
        let mut schema = json!({ "type": (["integer", "number"][self.roll(2)]) });
        if self.one_in(3) {
            let bound = ["minimum", "exclusiveMinimum"][self.roll(2)];
            schema[bound] = json!(self.roll(6) as i64 - 3);
        }
        if self.one_in(3) {
            let bound = ["maximum", "exclusiveMaximum"][self.roll(2)];
            schema[bound] = json!(self.roll(9));
        }
        if self.one_in(6) {
            schema["multipleOf"] = json!(self.roll(3) + 1);
        }
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..=self.roll(4) {
            properties.insert(self.key().to_owned(), self.schema(depth + 1));
        }
        let names: Vec<String> = properties.keys().cloned().collect();
        let required: Vec<&String> = names.iter().filter(|_| self.one_in(2)).collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        match self.roll(7) {
            1 | 2 => schema["additionalProperties"] = json!(false),
            3 => schema["additionalProperties"] = self.schema(depth + 1),
            4 => schema["additionalProperties"] = json!(true),
            5 => {
                schema["patternProperties"] = json!({ "^b": self.schema(depth + 1) });
                schema["additionalProperties"] = json!(false);
            }
            _ => {}
        }
        match self.roll(12) {
            1 => schema["dependentRequired"] = json!({ "a": ["b"] }),
            2 => schema["minProperties"] = json!(1),
            3 => schema["anyOf"] = json!([{ "required": ["a"] }, { "required": ["b"] }]),
            4 => {
                schema["if"] = json!({ "required": ["a"] });
                schema["then"] = json!({ "properties": { "b": self.schema(depth + 1) } });
            }
            5 => schema["oneOf"] = json!([self.object_part(depth), self.object_part(depth)]),
            6 => schema["unevaluatedProperties"] = json!(false),
            7 => schema["propertyNames"] = json!({ "maxLength": 40 }),
            _ => {}
        }
        if self.one_in(10)
            && let Value::Object(map) = &mut schema
        {
            map.remove("type");
        }
        schema
    }

    fn object_part(&mut self, depth: usize) -> Value {
        let key = self.key();
        json!({ "properties": { key: self.schema(depth + 2) }, "required": [key] })
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "array", "items": self.schema(depth + 1) });
        match self.roll(8) {
            1 => schema["minItems"] = json!(self.roll(3)),
            2 => schema["maxItems"] = json!(self.roll(4)),
            3 | 4 => {
                let prefix: Vec<Value> =
                    (0..=self.roll(3)).map(|_| self.schema(depth + 1)).collect();
                schema["prefixItems"] = json!(prefix);
                if self.one_in(2) {
                    schema["items"] = json!(false);
                }
                schema["minItems"] = json!(self.roll(3));
            }
            5 => schema["uniqueItems"] = json!(true),
            6 => schema["contains"] = json!({ "type": "string" }),
            _ => {}
        }
        schema
    }

    fn union(&mut self, depth: usize, keyword: &str) -> Value {
        let tagged = self.one_in(3);
        let branches: Vec<Value> = (0..=self.roll(3))
            .map(|index| {
                if !tagged {
                    return self.schema(depth + 1);
                }
                let mut branch = self.object(depth + 1);
                branch["properties"]["kind"] = json!({ "const": format!("k{index}") });
                branch["required"] = json!(["kind"]);
                branch
            })
            .collect();
        json!({ keyword: branches })
    }

    /// A value that fits the schema as far as that is easy.
    pub(super) fn value(&mut self, root: &Value, schema: &Value, depth: usize) -> Value {
        let Value::Object(map) = schema else { return self.junk(depth) };
        if self.one_in(25) || depth > 8 {
            return self.junk(depth);
        }
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            return values[self.roll(values.len())].clone();
        }
        if let Some(value) = map.get("const") {
            return value.clone();
        }
        if map.get("nullable").is_some() && self.one_in(4) {
            return Value::Null;
        }
        if let Some(name) = map.get("$ref").and_then(Value::as_str) {
            let target = root.pointer(&name[1..]).cloned().unwrap_or(Value::Bool(true));
            return self.value(root, &target, depth + 1);
        }
        let mut own = self.own_value(root, map, depth);
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let Some(Value::Array(parts)) = map.get(keyword) else { continue };
            let all = keyword == "allOf" || (keyword == "anyOf" && self.one_in(4));
            let first = self.roll(parts.len());
            for (index, part) in parts.iter().enumerate() {
                if all || index == first {
                    let more = self.value(root, part, depth + 1);
                    own = merged(own, more, map.contains_key("type"));
                }
            }
        }
        if let Some(then) = map.get("then")
            && self.one_in(2)
        {
            let more = self.value(root, then, depth + 1);
            own = merged(own, more, true);
        }
        own
    }

    fn own_value(&mut self, root: &Value, map: &Map<String, Value>, depth: usize) -> Value {
        let kind = match map.get("type") {
            Some(Value::String(name)) => name.as_str(),
            Some(Value::Array(names)) => names[self.roll(names.len())].as_str().unwrap_or("null"),
            _ if map.contains_key("properties") || map.contains_key("required") => "object",
            _ if map.contains_key("items") => "array",
            _ => return self.junk(depth),
        };
        match kind {
            "string" => match map.get("format").and_then(Value::as_str) {
                Some("date") => json!("2026-11-15"),
                Some("uri") => json!("http://a.example/b"),
                _ => json!(TEXTS[self.roll(TEXTS.len())]),
            },
            "integer" => json!(self.roll(12) as i64 - 3),
            "number" => self.number(),
            "boolean" => json!(self.one_in(2)),
            "null" => Value::Null,
            "array" => self.items(root, map, depth),
            _ => self.fields(root, map, depth),
        }
    }

    fn items(&mut self, root: &Value, map: &Map<String, Value>, depth: usize) -> Value {
        let empty = Vec::new();
        let prefix = map.get("prefixItems").and_then(Value::as_array).unwrap_or(&empty);
        let open = map.get("items") != Some(&json!(false));
        let any = json!(true);
        let count = self.roll(prefix.len() + if open { 4 } else { 1 });
        (0..count)
            .map(|index| {
                let schema = prefix.get(index).or(map.get("items")).unwrap_or(&any);
                self.value(root, schema, depth + 1)
            })
            .collect()
    }

    fn fields(&mut self, root: &Value, map: &Map<String, Value>, depth: usize) -> Value {
        let mut out = Map::new();
        let required: Vec<&str> = map
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            if required.contains(&name.as_str()) || self.one_in(2) {
                out.insert(name.clone(), self.value(root, schema, depth + 1));
            }
        }
        for (pattern, schema) in
            map.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            if pattern == "^b" && self.one_in(2) {
                out.insert("bb".to_owned(), self.value(root, schema, depth + 1));
            }
        }
        match map.get("additionalProperties") {
            Some(schema @ (Value::Object(_) | Value::Bool(true))) if self.one_in(2) => {
                out.insert("more".to_owned(), self.value(root, schema, depth + 1));
                out.insert("a.b".to_owned(), self.value(root, schema, depth + 1));
            }
            None if !map.contains_key("properties") && self.one_in(2) => {
                out.insert("free".to_owned(), self.junk(depth + 1));
            }
            _ => {}
        }
        Value::Object(out)
    }
}

fn merged(own: Value, more: Value, typed: bool) -> Value {
    match (own, more) {
        (Value::Object(mut own), Value::Object(more)) => {
            for (key, value) in more {
                own.entry(key).or_insert(value);
            }
            Value::Object(own)
        }
        (own, _) if typed => own,
        (_, more) => more,
    }
}
