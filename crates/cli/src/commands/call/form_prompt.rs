//! Asks a handler's questions at the terminal, field by field.

use std::collections::BTreeMap;
use std::io::BufRead;

use contract::{Action, Ask, Asks, HandlerAnswer};
use policy::{PlainAnswer, plain_answer};
use serde_json::{Map, Value};

use crate::exit::Failure;
use crate::render::printer::Printer;

/// Attempts at a required or invalid field.
const TRIES_MAX: usize = 5;

/// A person's next line; none at the end of the input, which cancels a question.
pub(in crate::commands) type NextLine<'a> = &'a mut dyn FnMut() -> Result<Option<String>, Failure>;

/// Asks every question that a person can answer. The end of the input cancels the current question
/// and all that follow.
pub(super) fn put(
    asks: &Asks,
    input: &mut dyn BufRead,
    printer: &mut Printer,
) -> Result<BTreeMap<String, HandlerAnswer>, Failure> {
    let mut given = BTreeMap::new();
    let mut next = || {
        let mut line = String::new();
        Ok(if input.read_line(&mut line)? == 0 { None } else { Some(line) })
    };
    for (name, wanted) in asks.iter() {
        let Ask::Person { message, schema } = wanted else { continue };
        given.insert(name.to_owned(), ask(message, schema, &mut next, printer)?);
    }
    Ok(given)
}

/// Asks one question.
pub(in crate::commands) fn ask(
    message: &str,
    schema: &Value,
    next: NextLine<'_>,
    printer: &mut Printer,
) -> Result<HandlerAnswer, Failure> {
    printer.message(message)?;
    printer.message("(a line for each field; Ctrl-D leaves the question, `!no` declines it)")?;
    let required: Vec<_> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let fields = schema.get("properties").and_then(Value::as_object);
    let mut content = Map::new();
    for (name, field) in fields.into_iter().flatten() {
        let is_required = required.contains(&name.as_str()) && field.get("default").is_none();
        let mut tries = 0;
        loop {
            printer.message(prompt(name, field, is_required))?;
            let Some(line) = next()? else {
                return Ok(HandlerAnswer { action: Action::Cancel, content: Value::Null });
            };
            let line = line.trim();
            if line == "!no" {
                return Ok(HandlerAnswer { action: Action::Decline, content: Value::Null });
            }
            match (line.is_empty(), read(field, line)) {
                (true, _) if !is_required => break,
                (false, Some(value)) => {
                    content.insert(name.clone(), value);
                    break;
                }
                (true, _) => printer.message("a value is required")?,
                (false, None) => printer.message("this value does not fit")?,
            }
            tries += 1;
            if tries == TRIES_MAX {
                return Ok(HandlerAnswer { action: Action::Cancel, content: Value::Null });
            }
        }
    }
    Ok(HandlerAnswer { action: Action::Accept, content: Value::Object(content) })
}

fn prompt(name: &str, field: &Value, is_required: bool) -> String {
    let text = |part: &str| field.get(part).and_then(Value::as_str);
    let mut line = text("title").unwrap_or(name).to_owned();
    if let Some(description) = text("description") {
        line.push_str(&format!(" ({description})"));
    }
    let options = options(field);
    let shown: Vec<_> =
        options.iter().enumerate().map(|(at, (_, title))| format!("{}={title}", at + 1)).collect();
    match (text("type"), shown.is_empty()) {
        (Some("boolean"), _) => line.push_str(" [y/n]"),
        (Some("array"), _) => {
            line.push_str(&format!(" [{}; separate several with commas]", shown.join(" ")));
        }
        (_, false) => line.push_str(&format!(" [{}]", shown.join(" "))),
        (Some(kind), true) => line.push_str(&format!(" [{kind}]")),
        (None, true) => {}
    }
    match (field.get("default"), is_required) {
        (Some(default), _) => line.push_str(&format!(" (Enter: {default})")),
        (None, false) => line.push_str(" (Enter: none)"),
        (None, true) => {}
    }
    line + ":"
}

/// Each option with its display title.
fn options(field: &Value) -> Vec<(String, String)> {
    let place = field.get("items").unwrap_or(field);
    let titled = list(place, "oneOf").iter().chain(list(place, "anyOf"));
    let part = |option: &Value, part: &str| option.get(part)?.as_str().map(str::to_owned);
    let titled = titled.filter_map(|one| Some((part(one, "const")?, part(one, "title")?)));
    let names = list(place, "enumNames");
    let plain = list(place, "enum").iter().enumerate().filter_map(|(at, option)| {
        let option = option.as_str()?;
        let title = names.get(at).and_then(Value::as_str).unwrap_or(option);
        Some((option.to_owned(), title.to_owned()))
    });
    titled.chain(plain).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Parses a line as the type of the field.
fn read(field: &Value, line: &str) -> Option<Value> {
    let options = options(field);
    let choice = |word: &str| {
        let word = word.trim();
        let numbered = word.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
        let named = || options.iter().find(|(option, title)| option == word || title == word);
        named().or(numbered).map(|(option, _)| Value::String(option.clone()))
    };
    match field.get("type").and_then(Value::as_str)? {
        "boolean" => {
            let answer = plain_answer(line).map(|answer| answer == PlainAnswer::Yes);
            answer.or_else(|| line.to_lowercase().parse().ok()).map(Value::Bool)
        }
        "integer" => line.parse::<i64>().ok().map(Value::from),
        "number" => line.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        "array" => line.split(',').map(choice).collect::<Option<Vec<_>>>().map(Value::Array),
        _ if options.is_empty() => Some(Value::String(line.to_owned())),
        _ => choice(line),
    }
}

#[cfg(test)]
mod tests;
