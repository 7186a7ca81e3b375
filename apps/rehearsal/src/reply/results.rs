//! Reports the results of calls in a sentence or a short list.
//!
//! Must hold: nothing is added to the results; long ones are cut with an ellipsis.

use contract::CallResult;
use serde_json::{Map, Value};

use crate::reply::phrases::clip;
use crate::text::language::Language;

const ITEMS_MAX: usize = 5;
const LINES_MAX: usize = 10;
const LINE_CHARS_MAX: usize = 200;
const TEXT_CHARS_MAX: usize = 1_000;

pub(crate) fn read_back(language: Language, results: &[&CallResult]) -> String {
    let parts: Vec<String> = results
        .iter()
        .map(|result| {
            let text = match result.is_error {
                true => return failure(language, result),
                false => value(language, data_of(&result.content)),
            };
            match (results.len(), text.contains('\n') || text.starts_with("- ")) {
                (1, _) => text,
                (_, true) => format!("`{}`:\n{text}", result.tool),
                (_, false) => format!("`{}`: {text}", result.tool),
            }
        })
        .collect();
    parts.join("\n\n")
}

/// Fields that people have already seen: the tool's messages, and arguments that they changed.
const KNOWN: [&str; 4] = [
    "shown_to_user_in_your_answer",
    "shown_to_user_as_notice",
    "for_you_and_not_the_user",
    "arguments_changed_by_user",
];

/// The data of a tool, without its messages: people have seen theirs, and the rest is not for
/// them.
fn data_of(content: &Value) -> &Value {
    match content.as_object() {
        Some(map) if KNOWN.iter().any(|name| map.contains_key(*name)) => {
            map.get("result").unwrap_or(&Value::Null)
        }
        Some(_) | None => content,
    }
}

fn value(language: Language, content: &Value) -> String {
    match content {
        Value::Null => say(language, "Done.", "Готово.", "Готово."),
        Value::Bool(true) => say(language, "Yes.", "Так.", "Да."),
        Value::Bool(false) => say(language, "No.", "Ні.", "Нет."),
        Value::Number(number) => {
            say(language, "The result is ", "Результат: ", "Результат: ") + &format!("{number}.")
        }
        Value::String(text) if text.trim().is_empty() => {
            say(language, "The answer is empty.", "Відповідь порожня.", "Ответ пуст.")
        }
        Value::String(text) => clip(text.trim(), TEXT_CHARS_MAX),
        Value::Array(items) => list(language, items, ""),
        Value::Object(map) => object(language, map),
    }
}

fn list(language: Language, items: &[Value], indent: &str) -> String {
    if items.is_empty() {
        return say(language, "Nothing was found.", "Нічого не знайдено.", "Ничего не найдено.");
    }
    let mut lines: Vec<String> =
        items.iter().take(ITEMS_MAX).map(|item| format!("{indent}- {}", short(item))).collect();
    if items.len() > ITEMS_MAX {
        let more = items.len() - ITEMS_MAX;
        lines.push(match language {
            Language::English => format!("{indent}- and {more} more"),
            Language::Ukrainian => format!("{indent}- і ще {more}"),
            Language::Russian => format!("{indent}- и ещё {more}"),
        });
    }
    lines.join("\n")
}

/// An object of one value is that value; otherwise a line for each.
fn object(language: Language, map: &Map<String, Value>) -> String {
    let mut entries = map.iter();
    match (entries.next(), entries.next()) {
        (None, _) => return say(language, "Done.", "Готово.", "Готово."),
        (Some((_, only)), None) if !only.is_object() && !only.is_boolean() => {
            return value(language, only);
        }
        (Some(_), _) => {}
    }
    let mut lines = Vec::new();
    for (name, item) in map.iter().take(LINES_MAX) {
        match item {
            Value::Array(items) if items.is_empty() => lines.push(format!("{name}: –")),
            Value::Array(items) if items.iter().all(is_scalar) && items.len() <= ITEMS_MAX => {
                lines.push(format!("{name}: {}", short(item)));
            }
            Value::Array(items) => lines.push(format!("{name}:\n{}", list(language, items, "  "))),
            Value::String(text) if text.contains('\n') && map.len() > 1 => {
                lines.push(format!("{name}: {}", clip(&one_line(text), LINE_CHARS_MAX)));
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                lines.push(format!("{name}: {}", short(item)));
            }
        }
    }
    if map.len() > LINES_MAX {
        lines.push("…".to_owned());
    }
    lines.join("\n")
}

/// Fields that name a thing, best first.
const TITLES: [&str; 8] = ["title", "name", "label", "text", "email", "url", "number", "id"];
const PARTS_MAX: usize = 3;

/// A value on one line.
fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().take(ITEMS_MAX).map(short).collect();
            let more = if items.len() > ITEMS_MAX { ", …" } else { "" };
            parts.join(", ") + more
        }
        Value::Object(map) => short_object(map),
        Value::Null => "–".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    };
    clip(&text, LINE_CHARS_MAX)
}

fn short_object(map: &Map<String, Value>) -> String {
    let title = TITLES.iter().find_map(|name| Some((*name, map.get(*name)?.as_str()?)));
    if let Some((name, title)) = title {
        let id = map.get("id").and_then(Value::as_str).filter(|_| name != "id");
        let title = clip(&one_line(title), LINE_CHARS_MAX / 2);
        return id.map_or_else(|| title.clone(), |id| format!("{title} ({})", one_line(id)));
    }
    let scalars = map.iter().filter(|(_, value)| is_scalar(value)).take(PARTS_MAX);
    let parts: Vec<String> =
        scalars.map(|(name, value)| format!("{name}: {}", short(value))).collect();
    if parts.is_empty() { "…".to_owned() } else { parts.join(", ") }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

fn one_line(text: &str) -> String {
    let start: String = text.chars().take(LINE_CHARS_MAX * 2).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn failure(language: Language, result: &CallResult) -> String {
    let field = |name: &str| result.content.get(name);
    let message = match field("message").and_then(Value::as_str) {
        Some(message) => clip(message.trim(), TEXT_CHARS_MAX),
        None => short(&result.content),
    };
    let message = message.trim_end_matches('.');
    let failed = say(language, "failed", "не спрацював", "не сработал");
    // A call that may have happened must not be retried, and the message says what to do.
    let is_open = field("type").and_then(Value::as_str) == Some("CONFLICT");
    let again = match field("retryable").and_then(Value::as_bool) {
        Some(false) if is_open => String::new(),
        Some(true) => say(
            language,
            " Trying again may help.",
            " Можна спробувати ще раз.",
            " Можно попробовать ещё раз.",
        ),
        Some(false) => say(
            language,
            " Trying the same again will not help.",
            " Повторювати те саме не допоможе.",
            " Повторять то же самое не поможет.",
        ),
        None => String::new(),
    };
    format!("`{}` {failed}: {message}.{again}", result.tool)
}

fn say(language: Language, english: &str, ukrainian: &str, russian: &str) -> String {
    match language {
        Language::English => english,
        Language::Ukrainian => ukrainian,
        Language::Russian => russian,
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
