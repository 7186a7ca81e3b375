//! The content blocks of Anthropic: their fields and roles, and what must come back unchanged.

use serde_json::Value;

use super::super::{Ask, Lines, fields};

/// The fields of a block, and whether it belongs to the user or the assistant.
fn kind_of(kind: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    const USER: &[&str] = &["user"];
    const ASSISTANT: &[&str] = &["assistant"];
    const BOTH: &[&str] = &["user", "assistant"];
    Some(match kind {
        "text" => {
            (&["type", "text", "cache_control", "citations"], &["user", "assistant", "system"])
        }
        "image" => (&["type", "source", "cache_control", "transformations"], USER),
        "document" => (&["type", "source", "cache_control", "citations", "context", "title"], USER),
        "search_result" => {
            (&["type", "source", "title", "content", "cache_control", "citations"], USER)
        }
        "container_upload" => (&["type", "file_id", "cache_control"], BOTH),
        "thinking" => (&["type", "thinking", "signature"], ASSISTANT),
        "redacted_thinking" => (&["type", "data"], ASSISTANT),
        "tool_use" => {
            (&["type", "id", "name", "input", "cache_control", "caller", "toolset_name"], ASSISTANT)
        }
        "server_tool_use" => {
            (&["type", "id", "name", "input", "cache_control", "caller"], ASSISTANT)
        }
        "tool_result" => {
            let known =
                &["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"];
            (known, USER)
        }
        "web_search_tool_result" | "web_fetch_tool_result" => {
            (&["type", "tool_use_id", "content", "cache_control", "caller"], ASSISTANT)
        }
        "code_execution_tool_result"
        | "bash_code_execution_tool_result"
        | "text_editor_code_execution_tool_result"
        | "tool_search_tool_result" => {
            (&["type", "tool_use_id", "content", "cache_control"], ASSISTANT)
        }
        _ => return None,
    })
}

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines, place: &str, role: &str, block: &Value) {
    let kind = block["type"].as_str().unwrap_or_default();
    let Some((known, roles)) = kind_of(kind) else {
        lines.say(&format!("{place}.type"), &format!("`{kind}` is not a content block"));
        return;
    };
    fields::known(lines, place, block, known);
    if !roles.contains(&role) {
        lines.say(place, &format!("`{kind}` blocks are not permitted in {role} messages"));
    }
    match kind {
        "text" => check_text(lines, place, block),
        "thinking" | "redacted_thinking" => check_seal(ask, lines, place, block),
        "tool_use" | "server_tool_use" => check_use(lines, place, block),
        "tool_result" => check_result(lines, place, block),
        _ => {}
    }
    if kind == "text"
        && role == "user"
        && block["citations"].as_array().is_some_and(|c| !c.is_empty())
    {
        lines.say(&format!("{place}.citations"), "must be empty on text of the user");
    }
}

pub(super) fn check_text(lines: &mut Lines, place: &str, block: &Value) {
    if block["type"] != "text" {
        lines.say(&format!("{place}.type"), "must be text");
    }
    fields::text(lines, place, block, "text");
}

/// Thinking comes back exactly as it was sent, or not at all.
fn check_seal(ask: &Ask<'_>, lines: &mut Lines, place: &str, block: &Value) {
    let (field, text) = match block["type"].as_str() {
        Some("thinking") => ("signature", block["thinking"].as_str().unwrap_or_default()),
        _ => ("data", ""),
    };
    let seal = fields::text(lines, place, block, field);
    if block["type"] == "thinking" && !block["thinking"].is_string() {
        lines.say(&format!("{place}.thinking"), "must be a string");
    }
    let intact = ask.state.signatures.text(seal).is_some_and(|sealed| sealed == text);
    if !seal.is_empty() && !intact && !ask.is_compatible() {
        let what = format!("invalid `{field}`: the block cannot be modified or made up");
        lines.say(place, &what);
    }
}

fn check_use(lines: &mut Lines, place: &str, block: &Value) {
    let id = fields::text(lines, place, block, "id");
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !id.chars().all(fits) {
        lines.say(&format!("{place}.id"), "must match ^[a-zA-Z0-9_-]+$");
    }
    fields::text(lines, place, block, "name");
    if !block["input"].is_object() {
        lines.say(&format!("{place}.input"), "must be an object");
    }
}

fn check_result(lines: &mut Lines, place: &str, block: &Value) {
    fields::text(lines, place, block, "tool_use_id");
    if block.get("is_error").is_some_and(|flag| !flag.is_boolean()) {
        lines.say(&format!("{place}.is_error"), "must be true or false");
    }
    match block.get("content") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(parts)) => {
            let kinds =
                ["text", "image", "document", "search_result", "tool_reference", "browser_state"];
            for (index, part) in parts.iter().enumerate() {
                let place = format!("{place}.content.{index}");
                if !part["type"].as_str().is_some_and(|kind| kinds.contains(&kind)) {
                    let what = format!("must be one of {}", kinds.join(", "));
                    lines.say(&format!("{place}.type"), &what);
                }
                if part["type"] == "text" {
                    fields::text(lines, &place, part, "text");
                }
            }
        }
        Some(_) => lines.say(&format!("{place}.content"), "must be a string or a list of blocks"),
    }
}
