//! Reads a tool's schema as the fields that a message can fill.
//!
//! In: the parameters of an offer. Out: [`Fields`], one per leaf, nested ones by their
//! dotted name, in the order of the contract. Must hold: references are followed only
//! inside the schema, and depth and number are limited.

use serde_json::{Map, Value};

use crate::arguments::check::Check;
use crate::plan::rank::words;
use crate::text::stem::stem;

pub(crate) struct Fields<'a> {
    pub root: &'a Value,
    pub check: Check,
    pub all: Vec<Field<'a>>,
}

pub(crate) struct Field<'a> {
    pub path: Vec<&'a str>,
    pub schema: &'a Value,
    pub need: Need,
    pub kind: Kind<'a>,
    /// The stems of the last part of its name.
    pub stems: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
    /// Only if another field of its object has a value.
    WithSiblings,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind<'a> {
    Text(Form),
    Number,
    Integer,
    Flag,
    Choice(&'a [Value]),
    List {
        of: Box<Kind<'a>>,
        item: &'a Value,
    },
    /// Can only be given as JSON.
    Json,
}

/// The form of a text, as far as the schema or its wording tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Free,
    Email,
    /// An address by the name of the field alone; it may be invalid on purpose.
    LooseEmail,
    Url,
    Uuid,
    Date,
    Time,
    DateTime,
    /// `HH:MM`.
    Clock,
    Duration,
    /// A pattern or another format: any word that fits.
    Fitting,
}

const DEPTH_MAX: usize = 5;
const FIELDS_MAX: usize = 128;
const REFERENCES_MAX: usize = 16;

impl<'a> Fields<'a> {
    pub(crate) fn read(root: &'a Value) -> Self {
        let mut fields = Self { root, check: Check::default(), all: Vec::new() };
        fields.add_object(resolve(root, root), &mut Vec::new(), Need::Required);
        fields
    }

    fn add_object(&mut self, schema: &'a Value, path: &mut Vec<&'a str>, need: Need) {
        let required: Vec<&str> = strings(schema, "required").collect();
        let Some(properties) = properties(schema) else { return };
        let mut ordered: Vec<(&'a String, &'a Value)> = properties.iter().collect();
        let rank = |name: &str| required.iter().position(|wanted| *wanted == name);
        ordered.sort_by_key(|(name, _)| rank(name).unwrap_or(required.len()));
        for (name, property) in ordered {
            if self.all.len() >= FIELDS_MAX {
                return;
            }
            let property = resolve(self.root, property);
            let need = match (need, required.contains(&name.as_str())) {
                _ if property.get("const").is_some() || property.get("default").is_some() => {
                    Need::Optional
                }
                (Need::Required, true) => Need::Required,
                (Need::Required, false) => Need::Optional,
                (Need::Optional | Need::WithSiblings, true) => Need::WithSiblings,
                (Need::Optional | Need::WithSiblings, false) => Need::Optional,
            };
            path.push(name);
            match properties_of_object(property) {
                true if path.len() < DEPTH_MAX => self.add_object(property, path, need),
                _ if property.get("const").is_some() => {}
                _ => self.all.push(Field::read(self.root, path, property, need)),
            }
            path.pop();
        }
    }

    /// The field of this name: its whole path, or its last part.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        let wanted = plain(name);
        if wanted.is_empty() {
            return None;
        }
        let whole = self.all.iter().position(|field| plain(&field.name()) == wanted);
        whole.or_else(|| {
            let last =
                |field: &Field<'_>| field.path.last().is_some_and(|part| plain(part) == wanted);
            let mut found = self.all.iter().enumerate().filter(|(_, field)| last(field));
            match (found.next(), found.next()) {
                (Some((index, _)), None) => Some(index),
                (Some(_), Some(_)) | (None, _) => None,
            }
        })
    }
}

impl<'a> Field<'a> {
    fn read(root: &'a Value, path: &[&'a str], schema: &'a Value, need: Need) -> Self {
        let mut stems = Vec::new();
        words(path.last().unwrap_or(&""), |word| stems.push(stem(word)));
        let kind = kind_of(root, schema, &stems, 0);
        Self { path: path.to_vec(), schema, need, kind, stems }
    }

    /// Its dotted name.
    pub(crate) fn name(&self) -> String {
        self.path.join(".")
    }

    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Required
    }

    pub(crate) fn form(&self) -> Option<Form> {
        if let Kind::Text(form) = &self.kind { Some(*form) } else { None }
    }

    pub(crate) fn description(&self) -> &'a str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn has_word(&self, words: &[&str]) -> bool {
        self.stems.iter().any(|own| words.contains(&own.as_str()))
    }
}

fn plain(name: &str) -> String {
    let is_kept = |c: &char| !matches!(c, '_' | '-' | ' ');
    name.chars().filter(is_kept).flat_map(char::to_lowercase).collect()
}

fn kind_of<'a>(root: &'a Value, schema: &'a Value, stems: &[String], depth: usize) -> Kind<'a> {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return Kind::Choice(choices);
    }
    match first_type(schema) {
        Some("string") => Kind::Text(form_of(schema, stems)),
        Some("number") => Kind::Number,
        Some("integer") => Kind::Integer,
        Some("boolean") => Kind::Flag,
        Some("array") if depth < DEPTH_MAX => match schema
            .get("items")
            .map(|item| resolve(root, item))
        {
            Some(item) => Kind::List { of: Box::new(kind_of(root, item, stems, depth + 1)), item },
            None => Kind::Json,
        },
        Some(_) => Kind::Json,
        None => branch(root, schema).map_or(Kind::Json, |branch| {
            if depth < DEPTH_MAX { kind_of(root, branch, stems, depth + 1) } else { Kind::Json }
        }),
    }
}

/// The first branch of a union that is not null.
fn branch<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let branches =
        ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema.get(*key)?.as_array())?;
    let real = |branch: &&'a Value| branch.get("type").and_then(Value::as_str) != Some("null");
    branches.iter().map(|branch| resolve(root, branch)).find(real)
}

fn first_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn form_of(schema: &Value, stems: &[String]) -> Form {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    match text("format") {
        Some("email" | "idn-email") => return Form::Email,
        Some("uri" | "url" | "iri") => return Form::Url,
        Some("uuid") => return Form::Uuid,
        Some("date") => return Form::Date,
        Some("time") => return Form::Time,
        Some("date-time") => return Form::DateTime,
        Some("duration") => return Form::Duration,
        Some(_) => return Form::Fitting,
        None => {}
    }
    if let Some(pattern) = text("pattern") {
        let clock = pattern.contains("2[0-3]") && pattern.contains(':');
        return if clock || description.contains("HH:MM") { Form::Clock } else { Form::Fitting };
    }
    let says = |word: &str| stems.iter().any(|own| own == word);
    match () {
        () if description.contains("YYYY-MM-DD") => Form::Date,
        () if description.contains("HH:MM") => Form::Clock,
        () if says("email") => Form::LooseEmail,
        () if says("url") || says("uri") => Form::Url,
        () if says("uuid") => Form::Uuid,
        () => Form::Free,
    }
}

/// Follows references inside the schema.
pub(crate) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut found = schema;
    for _ in 0..REFERENCES_MAX {
        let Some(pointer) = found.get("$ref").and_then(Value::as_str) else { return found };
        let Some(target) = pointer.strip_prefix('#').and_then(|path| root.pointer(path)) else {
            return found;
        };
        found = target;
    }
    found
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn properties_of_object(schema: &Value) -> bool {
    properties(schema).is_some_and(|map| !map.is_empty())
        && first_type(schema).is_none_or(|name| name == "object")
}

pub(crate) fn strings<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
