//! A tool's form as a spoken dialogue: questions, answers in a person's words, one read-back.
//!
//! In: the JSON Schema of a form (`contract::Ask::Person`) or the layout of an `ui.json`, and
//! final transcripts. Out: the same JSON that the page and the terminal give. Must hold: a value
//! is accepted only if `dialect::Arguments`, which every surface uses, accepts it.
//!
//! Start at [`Form`], then [`Dialogue`].

pub(crate) mod choice;
pub(crate) mod date;
pub(crate) mod dialogue;
pub(crate) mod number;
pub(crate) mod reading;
pub(crate) mod ui_json;

use dialect::{Arguments, UnknownArguments};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use date::Day;
pub use dialogue::Dialogue;
pub use reading::Locale;
pub(crate) use ui_json::is_button_choice;
pub use ui_json::{Submission, UiForm, form_targets};

/// A form whose fields can be asked one after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// What the tool says before it asks.
    pub message: String,
    pub fields: Vec<Field>,
    /// The whole schema; the last check.
    schema: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    /// What is asked for, in the author's words.
    pub title: String,
    pub description: Option<String>,
    pub kind: FieldKind,
    pub needed: Needed,
    schema: Value,
}

/// Whether a field may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needed {
    Required,
    Optional,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Text,
    /// An address with `@` or dots.
    Address,
    Date,
    DateTime,
    Number,
    Integer,
    YesNo,
    OneOf(Vec<Choice>),
    SeveralOf(Vec<Choice>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub value: String,
    pub title: String,
}

impl Form {
    /// Reads a form that `contract::Asks` has checked.
    pub fn from_schema(message: &str, schema: &Value) -> Self {
        let mut closed = schema.clone();
        if let Value::Object(closed) = &mut closed {
            closed.insert("additionalProperties".to_owned(), false.into());
        }
        let required = list(schema, "required");
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.map(|(name, field)| {
            let is_required = required.iter().any(|one| one.as_str() == Some(name));
            let needed = match is_required && field.get("default").is_none() {
                true => Needed::Required,
                false => Needed::Optional,
            };
            Field::from_schema(name, field, needed)
        });
        Self { message: message.to_owned(), fields: fields.collect(), schema: closed }
    }

    /// The filled form as a handler gets it, with defaults; or why it does not fit.
    pub fn check(&self, content: Value) -> Result<Value, String> {
        let form = Arguments::compile(&self.schema).map_err(|fault| fault.to_string())?;
        let checked = form.check(content, UnknownArguments::Strip);
        checked.map(|checked| checked.args).map_err(|rejection| rejection.to_string())
    }
}

impl Field {
    fn from_schema(name: &str, schema: &Value, needed: Needed) -> Self {
        let text = |part: &str| schema.get(part).and_then(Value::as_str).map(str::to_owned);
        let choices = choices(schema);
        let kind = match (text("type").as_deref(), text("format").as_deref()) {
            (Some("boolean"), _) => FieldKind::YesNo,
            (Some("integer"), _) => FieldKind::Integer,
            (Some("number"), _) => FieldKind::Number,
            (Some("array"), _) => FieldKind::SeveralOf(choices),
            _ if !choices.is_empty() => FieldKind::OneOf(choices),
            (_, Some("date")) => FieldKind::Date,
            (_, Some("date-time")) => FieldKind::DateTime,
            (_, Some("email" | "uri")) => FieldKind::Address,
            _ => FieldKind::Text,
        };
        Self {
            name: name.to_owned(),
            title: text("title").unwrap_or_else(|| name.replace(['_', '-'], " ")),
            description: text("description"),
            kind,
            needed,
            schema: schema.clone(),
        }
    }

    /// Whether the contract accepts this value in this field.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        let form = json!({ "type": "object", "properties": { &self.name: self.schema } });
        let content = json!({ &self.name: value });
        Arguments::compile(&form).is_ok_and(|form| form.complaints(&content).is_empty())
    }
}

/// Each option with the title that people see.
fn choices(field: &Value) -> Vec<Choice> {
    let place = field.get("items").unwrap_or(field);
    let text = |option: &Value, part: &str| option.get(part)?.as_str().map(str::to_owned);
    let titled = list(place, "oneOf").iter().chain(list(place, "anyOf"));
    let titled = titled
        .filter_map(|one| Some(Choice { value: text(one, "const")?, title: text(one, "title")? }));
    let names = list(place, "enumNames");
    let plain = list(place, "enum").iter().enumerate().filter_map(|(at, option)| {
        let value = option.as_str()?.to_owned();
        let title = names.get(at).and_then(Value::as_str).unwrap_or(&value).to_owned();
        Some(Choice { value, title })
    });
    titled.chain(plain).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests;
