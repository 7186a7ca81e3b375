//! Reads cards in our format and in the three earlier ones.
//!
//! | shape | a context |
//! | --- | --- |
//! | first | `{lv, ru, sid?, sig?}`; forms stand beside the contexts |
//! | second | `{latvian, russian, forms}` |
//! | third | `{sid, latvian, translation, forms}`; `russian` is read too |
//! | ours | `{sid?, index?, sig?, text, translation, forms}` |
//!
//! Must hold: what is missing and not needed is filled in; what is needed and missing is a
//! fault that names its place; nothing is guessed.

use serde_json::{Map, Value};

use super::{Card, Context, Form, Unit};
use crate::text::language::Language;

/// The names of a text in a context; the first one present counts.
const TEXT: [&str; 4] = ["text", "latvian", "lv", "sentence"];
const TRANSLATION: [&str; 3] = ["translation", "russian", "ru"];
/// One text of a card: longer ones are not words.
const TEXT_CHARS_MAX: usize = 4_000;
const LIST_MAX: usize = 1_000;

/// Reads one card. The languages apply where the card names none.
pub(crate) fn card(value: &Value, from: &Language, to: &Language) -> Result<Card, String> {
    let map = value.as_object().ok_or("a card must be an object")?;
    let language = |name: &str, otherwise: &Language| match map.get(name) {
        Some(Value::String(code)) => code.parse().map_err(|bad| format!("`{name}`: {bad}")),
        Some(Value::Null) | None => Ok(otherwise.clone()),
        Some(_) => Err(format!("`{name}` must be a text")),
    };
    let unit = match map.get("unit") {
        Some(Value::String(unit)) => unit.parse()?,
        Some(Value::Null) | None => Unit::Word,
        Some(_) => return Err("`unit` must be `word` or `phrase`".to_owned()),
    };
    let base_form = text(map, &["base_form"])?.filter(|text| !text.trim().is_empty());
    Ok(Card {
        language: language("language", from)?,
        target: language("target", to)?,
        unit,
        base_form: base_form.ok_or("`base_form` is missing")?.trim().to_owned(),
        base_translation: text(map, &["base_translation"])?.filter(|text| !text.trim().is_empty()),
        forms: list(map, "forms", form)?,
        contexts: list(map, "contexts", context)?,
        visible: match map.get("visible") {
            Some(Value::Bool(visible)) => *visible,
            Some(Value::Null) | None => true,
            Some(_) => return Err("`visible` must be true or false".to_owned()),
        },
    })
}

fn form(value: &Value) -> Result<Form, String> {
    let map = value.as_object().ok_or("a form must be an object")?;
    Ok(Form {
        form: text(map, &["form"])?.ok_or("`form` is missing")?,
        translation: text(map, &["translation"])?.unwrap_or_default(),
        kind: text(map, &["type"])?.filter(|text| !text.is_empty()),
    })
}

fn context(value: &Value) -> Result<Context, String> {
    let map = value.as_object().ok_or("a context must be an object")?;
    // A number is an index into the text; a string is a name.
    let (sid, numbered) = match map.get("sid") {
        Some(Value::String(sid)) => (Some(sid.clone()), None),
        Some(Value::Number(number)) => (None, number.as_u64()),
        Some(Value::Null) | None => (None, None),
        Some(_) => return Err("`sid` must be a text or a number".to_owned()),
    };
    let index = map.get("index").and_then(Value::as_u64).or(numbered);
    Ok(Context {
        sid,
        index: index.and_then(|index| usize::try_from(index).ok()),
        sig: text(map, &["sig"])?,
        text: text(map, &TEXT)?.unwrap_or_default(),
        translation: text(map, &TRANSLATION)?.unwrap_or_default(),
        document: text(map, &["document"])?.filter(|name| !name.is_empty()),
        forms: list(map, "forms", form)?,
    })
}

/// The first of these fields that is present.
fn text(map: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, String> {
    for name in names {
        match map.get(*name) {
            Some(Value::String(text)) if text.chars().count() > TEXT_CHARS_MAX => {
                return Err(format!("`{name}` has more than {TEXT_CHARS_MAX} characters"));
            }
            Some(Value::String(text)) => return Ok(Some(text.clone())),
            Some(Value::Null) | None => {}
            Some(_) => return Err(format!("`{name}` must be a text")),
        }
    }
    Ok(None)
}

fn list<T>(
    map: &Map<String, Value>,
    name: &str,
    read: fn(&Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let items = match map.get(name) {
        Some(Value::Array(items)) => items,
        Some(Value::Null) | None => return Ok(Vec::new()),
        Some(_) => return Err(format!("`{name}` must be a list")),
    };
    if items.len() > LIST_MAX {
        return Err(format!("`{name}` has more than {LIST_MAX} entries"));
    }
    let read = |(at, item)| read(item).map_err(|why| format!("`{name}/{at}`: {why}"));
    items.iter().enumerate().map(read).collect()
}
