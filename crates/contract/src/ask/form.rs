//! Which forms a handler may show a person: an object of plain fields, as MCP's elicitation
//! allows. Every surface that shows forms can show these.

use serde_json::{Map, Value};

const BYTES_MAX: usize = 16 << 10;
const FIELDS_MAX: usize = 16;
const OPTIONS_MAX: usize = 64;
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Checks the schema of a form.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    let form = schema.as_object().ok_or("must be an object")?;
    if schema.to_string().len() > BYTES_MAX {
        return Err(format!("has more than {BYTES_MAX} bytes"));
    }
    only(form, &["type", "title", "description", "properties", "required"], "it")?;
    if form.get("type").and_then(Value::as_str) != Some("object") {
        return Err("must have the type `object`".to_owned());
    }
    let fields = form.get("properties").and_then(Value::as_object);
    let fields = fields.filter(|fields| (1..=FIELDS_MAX).contains(&fields.len()));
    let fields = fields.ok_or_else(|| format!("must have 1 to {FIELDS_MAX} `properties`"))?;
    for (name, field) in fields {
        let field = field
            .as_object()
            .ok_or_else(|| format!("has a field `{name}` that is not an object"))?;
        check_field(name, field)?;
    }
    match form.get("required") {
        None => Ok(()),
        Some(Value::Array(names)) => {
            let known = |name: &Value| name.as_str().is_some_and(|name| fields.contains_key(name));
            let all = names.iter().all(known);
            all.then_some(())
                .ok_or_else(|| "has a `required` field that is not declared".to_owned())
        }
        Some(_) => Err("has a `required` that is not a list".to_owned()),
    }
}

fn check_field(name: &str, field: &Map<String, Value>) -> Result<(), String> {
    let extra: &[&str] = match field.get("type").and_then(Value::as_str) {
        Some("string") => &["minLength", "maxLength", "format", "enum", "enumNames", "oneOf"],
        Some("number" | "integer") => &["minimum", "maximum"],
        Some("boolean") => &[],
        Some("array") => &["minItems", "maxItems", "items"],
        _ => {
            return Err(format!(
                "has a field `{name}` that is not a string, number, integer, boolean, or a \
                 list of options"
            ));
        }
    };
    let known = [&["type", "title", "description", "default"], extra].concat();
    only(field, &known, &format!("its field `{name}`"))?;
    match field.get("format").map(Value::as_str) {
        None => {}
        Some(Some(format)) if FORMATS.contains(&format) => {}
        Some(_) => return Err(format!("has a field `{name}` whose format is unknown")),
    }
    match field.get("type").and_then(Value::as_str) {
        Some("array") => {
            let items = field.get("items").and_then(Value::as_object);
            let items = items.ok_or_else(|| format!("has a list `{name}` without `items`"))?;
            only(items, &["type", "enum", "anyOf"], &format!("the list `{name}`"))?;
            match check_options(name, items, "anyOf")? {
                true => Ok(()),
                false => Err(format!("has a list `{name}` without options to choose from")),
            }
        }
        _ => check_options(name, field, "oneOf").map(|_| ()),
    }
}

/// Whether there are valid options to choose from.
fn check_options(name: &str, field: &Map<String, Value>, titled: &str) -> Result<bool, String> {
    let wrong = || format!("has a field `{name}` whose options cannot be shown");
    let fits = |options: &&Vec<Value>| (1..=OPTIONS_MAX).contains(&options.len());
    let options = |list: &str| match field.get(list) {
        None => Ok(None),
        Some(options) => options.as_array().filter(fits).map(Some).ok_or_else(wrong),
    };
    let (plain, names, titled) = (options("enum")?, options("enumNames")?, options(titled)?);
    let texts = |options: &Vec<Value>| options.iter().all(Value::is_string);
    let is_titled = |option: &Value| {
        let text = |part: &str| option.get(part).is_some_and(Value::is_string);
        option.as_object().is_some_and(|option| option.len() == 2) && text("const") && text("title")
    };
    let right = match (plain, names, titled) {
        (None, None, None) => return Ok(false),
        (Some(plain), None, None) => texts(plain),
        (Some(plain), Some(names), None) => {
            texts(plain) && texts(names) && plain.len() == names.len()
        }
        (None, None, Some(titled)) => titled.iter().all(is_titled),
        _ => false,
    };
    if right { Ok(true) } else { Err(wrong()) }
}

fn only(map: &Map<String, Value>, known: &[&str], what: &str) -> Result<(), String> {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let key: String = key.chars().take(64).collect();
            Err(format!("is more than a form: {what} has `{key}`, which cannot be shown"))
        }
        None => Ok(()),
    }
}
