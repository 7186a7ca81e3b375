//! OpenAI Chat Completions: fields, messages, pairs, choices.

use serde_json::Value;

use super::{Ask, Lines, check_output, check_sampling, check_tools, fields};

const FIELDS: &[&str] = &[
    "messages",
    "model",
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "modalities",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines) {
    let body = ask.body;
    if !ask.is_compatible() {
        fields::known(lines, "", body, FIELDS);
    }
    for key in ["model", "messages"] {
        if body.get(key).is_none() {
            lines.say(key, "missing required parameter");
        }
    }
    fields::flag(lines, body, "stream");
    fields::count(lines, body, "", "max_completion_tokens", 1);
    fields::count(lines, body, "", "max_tokens", 1);
    let reasons = ask.family().sampling != super::Sampling::Accepted;
    if reasons && body.get("max_tokens").is_some() {
        let what = "unsupported parameter: use `max_completion_tokens` with this model";
        lines.say("max_tokens", what);
    }
    if body.get("stream_options").is_some_and(|options| !options.is_null())
        && body["stream"] != true
    {
        lines.say("stream_options", "only allowed when `stream` is enabled");
    }
    check_sampling(ask, lines, body.get("reasoning_effort"));
    check_messages(ask, lines);
    check_tools(ask, lines);
    check_choice(lines, body);
    if let Some(format) = body.get("response_format") {
        check_output(ask, lines, "response_format", format);
    }
}

fn check_messages(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(messages) = ask.body.get("messages") else { return };
    let messages = fields::list(lines, "messages", messages);
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let place = format!("messages[{index}]");
        let role = message["role"].as_str().unwrap_or_default();
        check_message(ask, lines, &place, role, message);
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            match open.iter().position(|open| *open == id) {
                Some(at) => drop(open.remove(at)),
                None => lines.say(
                    &format!("{place}.role"),
                    "messages with role `tool` must follow a message with that `tool_calls` id",
                ),
            }
            continue;
        }
        unanswered(lines, &place, &open);
        open = calls(message).filter_map(|call| call["id"].as_str()).collect();
    }
    unanswered(lines, "messages", &open);
}

fn unanswered(lines: &mut Lines, place: &str, open: &[&str]) {
    if !open.is_empty() {
        let what = format!(
            "`tool_calls` must be followed by tool messages for each `tool_call_id`; missing: {}",
            open.join(", ")
        );
        lines.say(place, &what);
    }
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}

fn check_message(ask: &Ask<'_>, lines: &mut Lines, place: &str, role: &str, message: &Value) {
    let (mut known, parts): (Vec<&str>, &[&str]) = match role {
        "system" | "developer" => (vec!["role", "content", "name"], &["text"]),
        "user" => (vec!["role", "content", "name"], &["text", "image_url", "input_audio", "file"]),
        "tool" => (vec!["role", "content", "tool_call_id"], &["text"]),
        "assistant" => {
            let known =
                vec!["role", "content", "name", "refusal", "tool_calls", "audio", "function_call"];
            (known, &["text", "refusal"])
        }
        _ => {
            let what = "must be developer, system, user, assistant or tool";
            lines.say(&format!("{place}.role"), what);
            return;
        }
    };
    if ask.is_compatible() && role == "assistant" {
        known.extend(["reasoning_content", "reasoning", "reasoning_details"]);
    }
    fields::known(lines, place, message, &known);
    if role == "tool" {
        fields::text(lines, place, message, "tool_call_id");
    }
    check_calls(lines, place, message);
    let at = format!("{place}.content");
    let content = &message["content"];
    let says = message["tool_calls"].is_array() || message["refusal"].is_string();
    if content.is_string() || content.is_null() && role == "assistant" && says {
        return;
    }
    for part in fields::list(lines, &at, content) {
        if !part["type"].as_str().is_some_and(|kind| parts.contains(&kind)) {
            lines.say(&at, &format!("parts must be one of {}", parts.join(", ")));
        }
    }
}

fn check_calls(lines: &mut Lines, place: &str, message: &Value) {
    if message.get("tool_calls").is_some_and(|calls| calls.as_array().is_none_or(Vec::is_empty)) {
        lines.say(&format!("{place}.tool_calls"), "must be a list with at least one call");
    }
    let mut seen = Vec::new();
    for (index, call) in calls(message).enumerate() {
        let place = format!("{place}.tool_calls[{index}]");
        fields::known(lines, &place, call, &["id", "type", "function"]);
        if call["type"] != "function" {
            lines.say(&format!("{place}.type"), "must be function");
        }
        let id = fields::text(lines, &place, call, "id");
        if seen.contains(&id) {
            lines.say(&format!("{place}.id"), "must be unique in its message");
        }
        seen.push(id);
        let function = &call["function"];
        let place = format!("{place}.function");
        fields::known(lines, &place, function, &["name", "arguments"]);
        fields::text(lines, &place, function, "name");
        if !function["arguments"].is_string() {
            let what = "invalid type: expected a string with JSON in it";
            lines.say(&format!("{place}.arguments"), what);
        }
    }
}

fn check_choice(lines: &mut Lines, body: &Value) {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    for key in ["tool_choice", "parallel_tool_calls"] {
        if body.get(key).is_some() && tools.is_empty() {
            lines.say(key, "only allowed when `tools` are specified");
        }
    }
    let named = |name: &Value| tools.iter().any(|tool| tool["function"]["name"] == *name);
    match body.get("tool_choice") {
        None => {}
        Some(Value::String(word)) if matches!(word.as_str(), "auto" | "none" | "required") => {}
        Some(choice) if choice["type"] == "function" => {
            fields::known(lines, "tool_choice", choice, &["type", "function"]);
            if !named(&choice["function"]["name"]) {
                lines.say("tool_choice.function.name", "this function is not among the tools");
            }
        }
        Some(choice) if choice["type"] == "allowed_tools" => {
            let wanted = choice["allowed_tools"]["tools"].as_array().into_iter().flatten();
            if wanted.into_iter().any(|tool| !named(&tool["function"]["name"])) {
                lines.say("tool_choice.allowed_tools", "a function is not among the tools");
            }
        }
        Some(_) => lines.say("tool_choice", "must be auto, none, required, or name a function"),
    }
}
