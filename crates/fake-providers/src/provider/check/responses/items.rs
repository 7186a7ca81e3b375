//! The input items of OpenAI Responses: fields, pairs, and reasoning that must come back unchanged.

use serde_json::Value;

use super::super::{Ask, Lines, fields};

/// The provider's own items, whose fields are not checked.
const FOREIGN: &[&str] = &[
    "file_search_call",
    "computer_call",
    "computer_call_output",
    "tool_search_call",
    "tool_search_output",
    "additional_tools",
    "configuration_update",
    "compaction",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "custom_tool_call",
    "custom_tool_call_output",
    "compaction_trigger",
    "item_reference",
    "program",
    "program_output",
];

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines) {
    let items = match ask.body.get("input") {
        None | Some(Value::String(_)) => return,
        Some(input) => fields::list(lines, "input", input),
    };
    for (index, item) in items.iter().enumerate() {
        check_item(ask, lines, &format!("input[{index}]"), item);
        let last = items.get(index + 1).is_none();
        if item["type"] == "reasoning" && last {
            let what = "of type `reasoning` was provided without its required following item";
            lines.say(&format!("input[{index}]"), what);
        }
    }
    check_pairs(ask, lines, items);
}

fn check_item(ask: &Ask<'_>, lines: &mut Lines, place: &str, item: &Value) {
    let (known, prefix): (&[&str], &str) = match item["type"].as_str() {
        None | Some("message") => {
            check_message(lines, place, item);
            return;
        }
        Some("function_call") => {
            let known = &[
                "type",
                "id",
                "call_id",
                "name",
                "arguments",
                "status",
                "namespace",
                "caller",
                "async",
            ];
            fields::text(lines, place, item, "call_id");
            fields::text(lines, place, item, "name");
            if !item["arguments"].is_string() {
                let what = "invalid type: expected a string with JSON in it";
                lines.say(&format!("{place}.arguments"), what);
            }
            (known, "fc")
        }
        Some("function_call_output") => {
            fields::text(lines, place, item, "call_id");
            if !item["output"].is_string() && !item["output"].is_array() {
                lines.say(&format!("{place}.output"), "must be a string or a list of parts");
            }
            let known =
                &["type", "id", "call_id", "output", "status", "caller", "name", "namespace"];
            (known, "fc")
        }
        Some("reasoning") => {
            check_reasoning(ask, lines, place, item);
            let known = &["type", "id", "summary", "content", "encrypted_content", "status"];
            (known, "rs")
        }
        Some("web_search_call") => (&["type", "id", "status", "action"], "ws"),
        Some("code_interpreter_call") => {
            (&["type", "id", "status", "code", "container_id", "outputs"], "ci")
        }
        Some(kind) if FOREIGN.contains(&kind) => return,
        Some(kind) => {
            lines.say(&format!("{place}.type"), &format!("`{kind}` is not an input item"));
            return;
        }
    };
    fields::known(lines, place, item, known);
    check_id(lines, place, item, prefix);
}

fn check_id(lines: &mut Lines, place: &str, item: &Value, prefix: &str) {
    if item["id"].as_str().is_some_and(|id| !id.starts_with(prefix)) {
        let what = format!("expected an id that begins with `{prefix}`");
        lines.say(&format!("{place}.id"), &what);
    }
}

fn check_message(lines: &mut Lines, place: &str, item: &Value) {
    let known = &["type", "id", "role", "content", "status", "phase"];
    fields::known(lines, place, item, known);
    check_id(lines, place, item, "msg");
    let parts: &[&str] = match item["role"].as_str() {
        Some("assistant") => &["output_text", "refusal"],
        Some("user" | "system" | "developer") => &["input_text", "input_image", "input_file"],
        _ => {
            lines.say(&format!("{place}.role"), "must be user, assistant, system or developer");
            return;
        }
    };
    let at = format!("{place}.content");
    if item["content"].is_string() {
        return;
    }
    for (index, part) in fields::list(lines, &at, &item["content"]).iter().enumerate() {
        if !part["type"].as_str().is_some_and(|kind| parts.contains(&kind)) {
            let what = format!("supported values are {}", parts.join(", "));
            lines.say(&format!("{at}[{index}].type"), &what);
        }
    }
}

/// Reasoning that the server did not store must come back encrypted and unchanged.
fn check_reasoning(ask: &Ask<'_>, lines: &mut Lines, place: &str, item: &Value) {
    fields::text(lines, place, item, "id");
    if !item["summary"].is_array() {
        lines.say(&format!("{place}.summary"), "must be a list");
    }
    match item["encrypted_content"].as_str() {
        Some(sealed) if ask.state.signatures.knows(sealed) || ask.is_compatible() => {}
        Some(_) => {
            let what = "the encrypted content could not be verified (invalid_encrypted_content)";
            lines.say(&format!("{place}.encrypted_content"), what);
        }
        None if ask.body["store"] == false => {
            let what = "not found: items are not persisted when `store` is false";
            lines.say(place, what);
        }
        None => {}
    }
}

fn check_pairs(ask: &Ask<'_>, lines: &mut Lines, items: &[Value]) {
    // The server has the earlier items.
    let continues = ["previous_response_id", "conversation"]
        .iter()
        .any(|key| ask.body.get(*key).is_some_and(|value| !value.is_null()));
    let ids = |kind: &str, items: &[Value]| -> Vec<String> {
        let of_kind = items.iter().filter(|item| item["type"] == kind);
        of_kind.filter_map(|item| item["call_id"].as_str()).map(str::to_owned).collect()
    };
    let outputs = ids("function_call_output", items);
    for (index, item) in items.iter().enumerate() {
        let id = item["call_id"].as_str().unwrap_or_default();
        let place = format!("input[{index}]");
        let before = items.get(..index).unwrap_or_default();
        match item["type"].as_str() {
            Some("function_call") if !outputs.iter().any(|output| output == id) => {
                lines.say(&place, &format!("no tool output found for function call {id}"));
            }
            Some("function_call_output") => {
                if !continues && !ids("function_call", before).iter().any(|call| call == id) {
                    let what = format!("no tool call found for function call output {id}");
                    lines.say(&place, &what);
                }
                if ids("function_call_output", before).iter().any(|output| output == id) {
                    lines.say(&place, &format!("function call {id} has two outputs"));
                }
            }
            _ => {}
        }
    }
}
