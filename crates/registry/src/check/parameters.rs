//! The JSON Schemas of a contract: `parameters` and `returns`.
//!
//! The walk goes by keyword position, never by key name: a property called `$ref` or `title`
//! is a property. Specific checks come before the meta-schema, so that each fault has its own
//! message.

mod bounds;
mod keywords;
mod references;

use contract::Pointer;
use dialect::{Arguments, SubSchemas, schema_complaints};

use crate::check::Compiled;
use crate::fault::{Faults, Severity};
use crate::schema_order::KeywordValue;
use crate::source::json::{Kind, Member, Node, Span};
use crate::source::text::Text;
use contract::nearest;

pub(crate) use keywords::is_known as is_known_keyword;

/// The formats that are checked here and supported by every target with formats.
const FORMATS: [&str; 6] = ["email", "date-time", "uri", "uuid", "ipv4", "ipv6"];
/// How deep and how large a schema may be.
const DEPTH_MAX: usize = 32;
const NODES_MAX: usize = 10_000;

/// Checks both schemas of a contract, and returns the valid ones compiled.
pub(crate) fn check(text: &Text, root: &Node, faults: &mut Faults) -> Compiled {
    let mut compiled = Compiled::default();
    if let Some(schema) = root.get("parameters") {
        if let Kind::Object(_) = schema.kind {
            check_root(text, schema, faults);
        } else {
            faults.wrong_type(text, "parameters", schema, "an object");
            return compiled;
        }
        compiled.parameters = check_schema(text, schema, faults);
    }
    if let Some(schema) = root.get("returns") {
        compiled.returns = check_schema(text, schema, faults);
    }
    compiled
}

fn check_root(text: &Text, schema: &Node, faults: &mut Faults) {
    match schema.entry("type") {
        Some(entry) if entry.value.as_text() == Some("object") => {}
        Some(entry) => faults.root_not_object(text, entry.value.span.clone()),
        None => faults.root_not_object(text, schema.span.start..schema.span.start + 1),
    }
    if !is_closed(schema) {
        let place = schema.entry("additionalProperties").map(|entry| entry.value.span.clone());
        let start = schema.span.start;
        faults.root_open(text, place.unwrap_or(start..start + 1));
    }
}

fn is_closed(schema: &Node) -> bool {
    ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| matches!(schema.get(key).map(|node| &node.kind), Some(Kind::Bool(false))))
}

fn check_schema(text: &Text, schema: &Node, faults: &mut Faults) -> Option<Arguments> {
    let mut found = Faults::default();
    let mut walk = Walk { text, root: schema, faults: &mut found, nodes: 0, defaults: Vec::new() };
    let ended = walk.schema(schema, &Pointer::root(), Position::Root, 0);
    let defaults = std::mem::take(&mut walk.defaults);
    if let Err(TooLarge) = ended {
        faults.append(found);
        return None;
    }
    let value = schema.to_value();
    let reported = |span: &Span| found.iter().any(|fault| fault.place == text.place(span.clone()));
    let mut meta = Vec::new();
    for complaint in schema_complaints(&value) {
        let pointer: Pointer = complaint.pointer.parse().unwrap_or_default();
        let span = schema.nearest(&pointer).span.clone();
        if !reported(&span) {
            meta.push((span, complaint.message));
        }
    }
    for (span, message) in meta {
        found.bad_schema(text, span, &message);
    }
    let sound = found.count(Severity::Error) == 0;
    faults.append(found);
    if !sound {
        return None;
    }
    match Arguments::compile(&value) {
        Ok(arguments) => {
            check_defaults(text, schema, &value, &defaults, faults);
            Some(arguments)
        }
        Err(fault) => {
            let pointer = fault.pointer.parse().unwrap_or_default();
            faults.bad_schema(text, schema.nearest(&pointer).span.clone(), &fault.message);
            None
        }
    }
}

fn check_defaults(
    text: &Text,
    schema: &Node,
    value: &serde_json::Value,
    defaults: &[Pointer],
    faults: &mut Faults,
) {
    if defaults.is_empty() {
        return;
    }
    let sub_schemas = SubSchemas::new(value);
    for pointer in defaults {
        let node = schema.nearest(pointer);
        let Some(default) = node.get("default") else { continue };
        for complaint in sub_schemas.complaints(pointer, &default.to_value()).into_iter().take(1) {
            let place = complaint.pointer.parse().unwrap_or_default();
            let span = default.nearest(&place).span.clone();
            faults.bad_default(text, span, &complaint.message);
        }
    }
}

/// The position of a schema, as far as closing an object is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    Nested,
    /// Part of an `allOf` or a condition: closing it would break the whole.
    Part,
}

struct TooLarge;

struct Walk<'a> {
    text: &'a Text,
    root: &'a Node,
    faults: &'a mut Faults,
    nodes: usize,
    /// The schemas with a default; checked once everything compiles.
    defaults: Vec<Pointer>,
}

impl Walk<'_> {
    fn schema(
        &mut self,
        schema: &Node,
        pointer: &Pointer,
        position: Position,
        depth: usize,
    ) -> Result<(), TooLarge> {
        self.nodes += 1;
        if depth > DEPTH_MAX || self.nodes > NODES_MAX {
            let why = match depth > DEPTH_MAX {
                true => format!("it is nested more than {DEPTH_MAX} deep here"),
                false => format!("it has more than {NODES_MAX} parts"),
            };
            let start = schema.span.start;
            self.faults.schema_too_large(self.text, start..start + 1, &why);
            return Err(TooLarge);
        }
        let open = position == Position::Nested && schema.get("properties").is_some();
        if open && !is_closed(schema) {
            let start = schema.span.start;
            self.faults.nested_open(self.text, start..start + 1, &pointer.to_string());
        }
        if schema.get("default").is_some() {
            self.defaults.push(pointer.clone());
        }
        self.required(schema);
        bounds::check(self.text, schema, self.faults);
        for entry in schema.entries() {
            self.keyword(entry, pointer, depth)?;
        }
        Ok(())
    }

    fn keyword(&mut self, entry: &Member, at: &Pointer, depth: usize) -> Result<(), TooLarge> {
        let value = &entry.value;
        match entry.key.as_str() {
            "$ref" | "$dynamicRef" => references::check(self.text, self.root, value, self.faults),
            "$schema" => self.draft(value),
            "format" => self.format(value),
            "pattern" => self.pattern(value),
            key if keywords::is_known(key) => {}
            key => {
                let fix = keywords::fix_for(key);
                self.faults.unknown_keyword(self.text, entry.key_span.clone(), key, fix);
            }
        }
        let inner = match entry.key.as_str() {
            "allOf" | "if" | "then" | "else" | "not" | "dependentSchemas" => Position::Part,
            _ => Position::Nested,
        };
        let at = at.join(&entry.key);
        match KeywordValue::of(&entry.key) {
            KeywordValue::Schema => self.schema(value, &at, inner, depth + 1),
            KeywordValue::Schemas => {
                value.items().iter().enumerate().try_for_each(|(index, item)| {
                    self.schema(item, &at.join(index), inner, depth + 1)
                })
            }
            KeywordValue::NamedSchemas => value.entries().iter().try_for_each(|named| {
                self.named(&entry.key, named);
                self.schema(&named.value, &at.join(&named.key), inner, depth + 1)
            }),
            KeywordValue::Data => Ok(()),
        }
    }

    /// A property's name is also a key on the wire.
    fn named(&mut self, keyword: &str, named: &Member) {
        let name = named.key.as_str();
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let fits = (1..=64).contains(&name.len())
            && name.chars().all(letter)
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if keyword == "properties" && !fits {
            self.faults.awkward_property(self.text, named.key_span.clone(), name);
        }
        if keyword == "patternProperties" && !dialect::is_pattern(name) {
            self.faults.bad_pattern(self.text, named.key_span.clone(), name);
        }
    }

    fn required(&mut self, schema: &Node) {
        let (Some(required), Some(properties)) = (schema.get("required"), schema.get("properties"))
        else {
            return;
        };
        // An open object may require what it does not describe.
        if !is_closed(schema) || schema.get("patternProperties").is_some() {
            return;
        }
        for item in required.items() {
            let Some(name) = item.as_text() else { continue };
            if properties.get(name).is_none() {
                let known = properties.entries().iter().map(|entry| entry.key.as_str());
                let near = nearest(name, known);
                self.faults.ghost_required(self.text, item.span.clone(), name, near);
            }
        }
    }

    fn draft(&mut self, value: &Node) {
        let known = "https://json-schema.org/draft/2020-12/schema";
        if let Some(found) = value.as_text().filter(|found| found.trim_end_matches('#') != known) {
            self.faults.other_draft(self.text, value.span.clone(), found);
        }
    }

    fn format(&mut self, value: &Node) {
        if let Some(format) = value.as_text().filter(|format| !FORMATS.contains(format)) {
            let near = nearest(format, FORMATS);
            let span = value.span.clone();
            self.faults.unsupported_format(self.text, span, format, near, &FORMATS);
        }
    }

    fn pattern(&mut self, value: &Node) {
        if let Some(pattern) = value.as_text().filter(|pattern| !dialect::is_pattern(pattern)) {
            self.faults.bad_pattern(self.text, value.span.clone(), pattern);
        }
    }
}
