//! The root of a passed-through schema: an object, without keywords that the target forbids.

use serde_json::{Map, Value, json};

use super::{Carrier, add_notes};
use crate::graph::{Edge, Graph, Node, Presence, Rest};
use crate::loss::LossKind;
use crate::lower::{Overflow, RootRule, WRAPPER, free_name, wire_key};
use crate::plan::{Absence, FieldStep, RestStep, Step};
use crate::schema::json_types::Types;
use crate::schema::subschemas::push_segment;

/// Keywords of the root that come from the merged facts, not from the schema.
const MERGED: [&str; 15] = [
    "$defs",
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "enum",
    "const",
];
/// Keywords that refer to keys by name, and are wrong once a key is renamed.
const BY_NAME: [&str; 9] = [
    "patternProperties",
    "propertyNames",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "not",
    "unevaluatedProperties",
    "dependentRequired",
];

impl Carrier<'_> {
    pub(crate) fn root(
        &mut self,
        graph: Option<&Graph>,
        rule: RootRule,
    ) -> Result<(Map<String, Value>, Step), Overflow> {
        let normalised = self.normalised;
        let empty = Map::new();
        let root = normalised.schema.as_object().unwrap_or(&empty);
        if rule == RootRule::Any {
            let schema = self.keywords(root, "");
            return Ok((self.with_definitions(schema, root), Step::Same));
        }
        let strict = !self.rules.root_forbids.is_empty();
        let trouble = root.keys().any(|keyword| {
            self.rules.root_forbids.contains(&keyword.as_str()) || (strict && keyword == "$ref")
        });
        let rename = root
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|map| map.keys().any(|key| !self.rules.root_keys.takes(key)));
        if (trouble || rename) && refers_to_root(&normalised.schema) {
            let taken = |name: &str| root.get("$defs").is_some_and(|map| map.get(name).is_some());
            self.root_name = Some(free_name("root", taken));
        }
        let (mut schema, mut step) = if trouble {
            self.merged_root(graph.ok_or(Overflow)?, root)
        } else {
            (self.keywords(root, ""), Step::Same)
        };
        schema = typed(schema);
        if strict && !schema.contains_key("properties") {
            schema.insert("properties".to_owned(), json!({}));
        }
        if step.is_same() {
            step = self.renamed(&mut schema);
        }
        Ok((self.with_definitions(schema, root), step))
    }

    /// Adds the definitions, including the root if something refers to it.
    fn with_definitions(
        &mut self,
        mut schema: Map<String, Value>,
        root: &Map<String, Value>,
    ) -> Map<String, Value> {
        if self.widenings > 0 {
            self.wider.insert("#".to_owned());
        }
        let mut definitions = Map::new();
        for (name, definition) in root.get("$defs").and_then(Value::as_object).into_iter().flatten()
        {
            let mut place = "/$defs".to_owned();
            push_segment(&mut place, name);
            let before = self.widenings;
            definitions.insert(name.clone(), self.schema(definition, &place));
            if self.widenings > before {
                self.wider.insert(format!("#/$defs/{name}"));
            }
        }
        if let Some(name) = self.root_name.clone() {
            let body = self.keywords(root, "");
            definitions.insert(name, Value::Object(body));
        }
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        schema
    }

    /// A root without forbidden keywords: merged into one object, or wrapped.
    fn merged_root(
        &mut self,
        graph: &Graph,
        root: &Map<String, Value>,
    ) -> (Map<String, Value>, Step) {
        let node = graph.node(graph.root);
        if node.alternatives.is_some() || node.values.is_some() {
            return self.wrapped_root(root);
        }
        let mut out = Map::new();
        let mut notes = Vec::new();
        for (keyword, value) in root {
            let forbidden = self.rules.root_forbids.contains(&keyword.as_str());
            if !MERGED.contains(&keyword.as_str()) && !forbidden {
                let carried = self.inner(keyword, value, "");
                out.insert(keyword.clone(), carried);
            }
        }
        self.add_fields(graph, node, &mut out);
        for rule in &node.validator_only {
            if !out.contains_key(rule.keyword) || rule.pointer.matches('/').count() > 1 {
                notes.push(rule.note.clone());
                let what =
                    format!("`{}` is stated in the description and checked by us", rule.keyword);
                self.lose(LossKind::Noted, &rule.pointer, rule.keyword, &what);
            }
        }
        if let (None, Some(text)) = (out.get("description"), &node.description) {
            out.insert("description".to_owned(), json!(text));
        }
        add_notes(&mut out, &notes);
        (out, Step::Same)
    }

    fn add_fields(&mut self, graph: &Graph, node: &Node, out: &mut Map<String, Value>) {
        let object = &node.object;
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in &object.fields {
            properties.insert(field.name.clone(), self.edge(graph, &field.edge));
            if field.presence == Presence::Required {
                required.push(field.name.clone());
            }
        }
        out.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            out.insert("required".to_owned(), json!(required));
        }
        if !object.patterns.is_empty() {
            let mut patterns = Map::new();
            for (pattern, edge) in &object.patterns {
                patterns.insert(pattern.clone(), self.edge(graph, edge));
            }
            out.insert("patternProperties".to_owned(), Value::Object(patterns));
        }
        match &object.rest {
            Rest::Unspecified => {}
            Rest::Closed => {
                out.insert("additionalProperties".to_owned(), json!(false));
            }
            Rest::Open(edge) if graph.node(edge.to).types == Types::ANY => {}
            Rest::Open(edge) => {
                let rest = self.edge(graph, edge);
                out.insert("additionalProperties".to_owned(), rest);
            }
        }
        for (keyword, limit) in
            [("minProperties", object.min_properties), ("maxProperties", object.max_properties)]
        {
            if let Some(limit) = limit {
                out.insert(keyword.to_owned(), json!(limit));
            }
        }
    }

    /// The schemas of one field: a single one unchanged, several under `allOf`.
    fn edge(&mut self, graph: &Graph, edge: &Edge) -> Value {
        let sources = &graph.node(edge.to).sources;
        let mut parts: Vec<Value> = Vec::with_capacity(sources.len());
        for source in sources.iter().map(|source| &source.at) {
            let named = source.strip_prefix("/$defs/").filter(|name| !name.contains('/'));
            parts.push(match (named, source.is_empty()) {
                (Some(name), _) => json!({ "$ref": format!("#/$defs/{name}") }),
                (None, true) => json!({ "$ref": self.target("#") }),
                (None, false) => {
                    let schema = self.normalised.schema.pointer(source).unwrap_or(&Value::Null);
                    self.schema(schema, source)
                }
            });
        }
        let mut schema = match parts.as_slice() {
            [] => json!({}),
            [one] => one.clone(),
            several => json!({ "allOf": several }),
        };
        if let (Value::Object(map), Some(text)) = (&mut schema, &edge.description) {
            map.insert("description".to_owned(), json!(text));
        }
        schema
    }

    fn wrapped_root(&mut self, root: &Map<String, Value>) -> (Map<String, Value>, Step) {
        let what = format!("the arguments are sent inside `{WRAPPER}`, and decoded");
        self.lose(LossKind::Reencoded, "", "", &what);
        let inner = match &self.root_name {
            Some(name) => json!({ "$ref": format!("#/$defs/{name}") }),
            None => Value::Object(typed(self.keywords(root, ""))),
        };
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), json!({ WRAPPER: inner }));
        schema.insert("required".to_owned(), json!([WRAPPER]));
        schema.insert("additionalProperties".to_owned(), json!(false));
        (schema, Step::Wrapped { key: WRAPPER.to_owned(), inner: Box::new(Step::Same) })
    }

    /// Renames the keys that the target does not accept.
    fn renamed(&mut self, schema: &mut Map<String, Value>) -> Step {
        let Some(Value::Object(properties)) = schema.get("properties") else { return Step::Same };
        if properties.keys().all(|key| self.rules.root_keys.takes(key)) {
            return Step::Same;
        }
        let legal = |key: &str| self.rules.root_keys.takes(key) && properties.contains_key(key);
        let mut fields: Vec<FieldStep> = Vec::with_capacity(properties.len());
        for key in properties.keys() {
            let taken = |name: &str| legal(name) || fields.iter().any(|field| field.wire == name);
            let wire = wire_key(key, self.rules.root_keys, taken);
            fields.push(FieldStep {
                contract: key.clone(),
                wire,
                step: Step::Same,
                absence: Absence::Omitted,
            });
        }
        self.rewrite_keys(schema, &fields);
        Step::object(fields, RestStep::same())
    }

    fn rewrite_keys(&mut self, schema: &mut Map<String, Value>, fields: &[FieldStep]) {
        for field in fields.iter().filter(|field| field.wire != field.contract) {
            let mut place = "/properties".to_owned();
            push_segment(&mut place, &field.contract);
            let what = format!("the key is sent as `{}`, and decoded", field.wire);
            self.lose(LossKind::Reencoded, &place, "properties", &what);
        }
        let wire = |key: &str| {
            let field = fields.iter().find(|field| field.contract == key);
            field.map_or_else(|| key.to_owned(), |field| field.wire.clone())
        };
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let old = std::mem::take(properties);
            properties.extend(old.into_iter().map(|(key, value)| (wire(&key), value)));
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            for key in required.iter_mut() {
                *key = json!(wire(key.as_str().unwrap_or_default()));
            }
        }
        let mut notes = Vec::new();
        let patterned = schema.contains_key("patternProperties");
        for keyword in BY_NAME {
            if let Some(value) = schema.shift_remove(keyword) {
                let text = format!("{keyword} {value}");
                if text.chars().count() <= 160 {
                    notes.push(text);
                }
                self.noted("", keyword);
            }
        }
        if patterned {
            schema.shift_remove("additionalProperties");
        }
        add_notes(schema, &notes);
    }
}

/// The schema with `type: object` as its first keyword.
fn typed(schema: Map<String, Value>) -> Map<String, Value> {
    if schema.get("type") == Some(&json!("object")) {
        return schema;
    }
    let mut out = Map::with_capacity(schema.len() + 1);
    out.insert("type".to_owned(), json!("object"));
    out.extend(schema.into_iter().filter(|(keyword, _)| keyword != "type"));
    out
}

/// Whether some reference refers to the whole schema.
fn refers_to_root(schema: &Value) -> bool {
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        let Value::Object(map) = schema else { continue };
        if map.get("$ref") == Some(&json!("#")) {
            return true;
        }
        waiting.extend(
            crate::schema::subschemas::inner_schemas(map).into_iter().map(|inner| inner.schema),
        );
    }
    false
}
