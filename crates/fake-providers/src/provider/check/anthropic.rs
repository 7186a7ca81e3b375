//! Anthropic Messages: fields, blocks, pairs, choices.

mod blocks;
mod pairs;

use serde_json::Value;

use super::{Ask, Lines, check_output, check_tools, fields, version};

const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "cache_control",
    "container",
    "diagnostics",
    "inference_geo",
    "metadata",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "thinking",
    "tool_choice",
    "tools",
    "user_profile_id",
    "workspace_id",
];

const BREAKPOINTS_MAX: usize = 4;

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines) {
    let body = ask.body;
    if let Some(line) = version(ask.head).filter(|_| !ask.is_compatible()) {
        let (place, what) = line.split_once(": ").unwrap_or(("anthropic-version", &line));
        lines.say(place, what);
    }
    fields::known(lines, "", body, FIELDS);
    for key in ["model", "max_tokens", "messages"] {
        if body.get(key).is_none() {
            lines.say(key, "field required");
        }
    }
    fields::count(lines, body, "", "max_tokens", 0);
    fields::flag(lines, body, "stream");
    check_system(lines, body);
    check_messages(ask, lines);
    check_tools(ask, lines);
    check_choice(ask, lines);
    check_thinking(ask, lines);
    if let Some(config) = body.get("output_config") {
        fields::known(lines, "output_config", config, &["effort", "format"]);
        let efforts = ["low", "medium", "high", "xhigh", "max"];
        fields::word(lines, config, "output_config.", "effort", &efforts);
        if let Some(format) = config.get("format").filter(|format| !format.is_null()) {
            fields::known(lines, "output_config.format", format, &["type", "schema"]);
            check_output(ask, lines, "output_config.format", format);
        }
    }
    check_breakpoints(lines, body);
}

fn check_system(lines: &mut Lines, body: &Value) {
    match body.get("system") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(blocks)) => {
            for (index, block) in blocks.iter().enumerate() {
                blocks::check_text(lines, &format!("system.{index}"), block);
            }
        }
        Some(_) => lines.say("system", "must be a string or a list of text blocks"),
    }
}

fn check_messages(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(messages) = ask.body.get("messages") else { return };
    let messages = fields::list(lines, "messages", messages);
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages.{index}");
        fields::known(lines, &place, message, &["role", "content"]);
        let role = message["role"].as_str().unwrap_or_default();
        if !matches!(role, "user" | "assistant" | "system") {
            lines.say(&format!("{place}.role"), "must be user, assistant or system");
        }
        check_content(ask, lines, &format!("{place}.content"), role, &message["content"]);
    }
    if messages.first().is_some_and(|first| first["role"] == "assistant") {
        lines.say("messages.0.role", "the first message must be the user's");
    }
    pairs::check(lines, messages);
    check_prefill(ask, lines, messages);
}

fn check_content(ask: &Ask<'_>, lines: &mut Lines, place: &str, role: &str, content: &Value) {
    if let Some(text) = content.as_str() {
        if text.is_empty() {
            lines.say(place, "must not be empty");
        }
        return;
    }
    for (index, block) in fields::list(lines, place, content).iter().enumerate() {
        blocks::check(ask, lines, &format!("{place}.{index}"), role, block);
    }
}

/// An answer that the client began. One that the provider paused may be sent back.
fn check_prefill(ask: &Ask<'_>, lines: &mut Lines, messages: &[Value]) {
    let Some(last) = messages.last().filter(|last| last["role"] == "assistant") else { return };
    let blocks = last["content"].as_array().into_iter().flatten();
    let mut kinds = blocks.filter_map(|block| block["type"].as_str());
    if !ask.family().prefill && !kinds.any(|kind| kind == "server_tool_use") {
        lines.say("messages", "this model does not support assistant message prefill");
    }
}

fn check_choice(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(choice) = ask.body.get("tool_choice") else { return };
    let kind = choice["type"].as_str().unwrap_or_default();
    let known: &[&str] = match kind {
        "auto" | "any" => &["type", "disable_parallel_tool_use"],
        "tool" => &["type", "name", "disable_parallel_tool_use"],
        "none" => &["type"],
        _ => {
            lines.say("tool_choice.type", "must be auto, any, tool or none");
            return;
        }
    };
    fields::known(lines, "tool_choice", choice, known);
    let tools = ask.body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    if tools.is_empty() {
        lines.say("tool_choice", "may only be specified while providing tools");
    }
    if kind == "tool" && !tools.iter().any(|tool| tool["name"] == choice["name"]) {
        let what = format!("tool {} is not among the tools", choice["name"]);
        lines.say("tool_choice.name", &what);
    }
    if !matches!(kind, "any" | "tool") {
        return;
    }
    if !ask.family().forced_choice {
        lines.say("tool_choice", "forced tool use is not supported by this model");
    }
    if ask.body["thinking"]["type"] == "enabled" {
        lines.say("tool_choice", "thinking may not be enabled when tool use is forced");
    }
}

fn check_thinking(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(thinking) = ask.body.get("thinking") else { return };
    let kind = thinking["type"].as_str().unwrap_or_default();
    let known: &[&str] = match kind {
        "adaptive" => &["type", "display"],
        "enabled" => &["type", "budget_tokens", "display"],
        _ => &["type"],
    };
    fields::known(lines, "thinking", thinking, known);
    if !ask.family().thinking.contains(&kind) {
        lines.say("thinking.type", &format!("`{kind}` is not supported by this model"));
    }
    if kind == "enabled" {
        fields::count(lines, thinking, "thinking.", "budget_tokens", 1024);
        if thinking["budget_tokens"].as_u64() >= ask.body["max_tokens"].as_u64() {
            lines.say("max_tokens", "must be greater than `thinking.budget_tokens`");
        }
    }
}

fn check_breakpoints(lines: &mut Lines, body: &Value) {
    let messages = body["messages"].as_array().into_iter().flatten();
    let blocks = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let system = body["system"].as_array().into_iter().flatten();
    let tools = body["tools"].as_array().into_iter().flatten();
    let marks: Vec<_> = [body]
        .into_iter()
        .chain(tools)
        .chain(system)
        .chain(blocks)
        .filter_map(|holder| holder.get("cache_control"))
        .filter(|mark| !mark.is_null())
        .collect();
    if marks.len() > BREAKPOINTS_MAX {
        let what = format!("at most {BREAKPOINTS_MAX} blocks, found {}", marks.len());
        lines.say("cache_control", &what);
    }
    for mark in marks {
        fields::known(lines, "cache_control", mark, &["type", "ttl"]);
        if mark["type"] != "ephemeral" {
            lines.say("cache_control.type", "must be ephemeral");
        }
        fields::word(lines, mark, "cache_control.", "ttl", &["5m", "1h"]);
    }
}
