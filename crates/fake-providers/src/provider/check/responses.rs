//! OpenAI Responses: fields, choices; the items are in `items`.

mod items;

use serde_json::Value;

use super::{Ask, Lines, check_output, check_sampling, check_tools, fields};

const FIELDS: &[&str] = &[
    "access_programs",
    "background",
    "context_management",
    "conversation",
    "image",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "moderation",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

const OUTPUT_TOKENS_MIN: u64 = 16;

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines) {
    let body = ask.body;
    fields::known(lines, "", body, FIELDS);
    for key in ["model", "input"] {
        if body.get(key).is_none() {
            lines.say(key, "missing required parameter");
        }
    }
    fields::flag(lines, body, "stream");
    fields::flag(lines, body, "store");
    fields::count(lines, body, "", "max_output_tokens", OUTPUT_TOKENS_MIN);
    check_sampling(ask, lines, body.pointer("/reasoning/effort"));
    if let Some(reasoning) = body.get("reasoning").filter(|reasoning| !reasoning.is_null()) {
        let known = ["context", "effort", "generate_summary", "mode", "summary"];
        fields::known(lines, "reasoning", reasoning, &known);
    }
    items::check(ask, lines);
    check_tools(ask, lines);
    check_choice(lines, body);
    if let Some(text) = body.get("text") {
        fields::known(lines, "text", text, &["format", "verbosity"]);
        if let Some(format) = text.get("format") {
            check_output(ask, lines, "text.format", format);
        }
    }
}

fn check_choice(lines: &mut Lines, body: &Value) {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |name: &Value| tools.iter().any(|tool| tool["name"] == *name);
    match body.get("tool_choice") {
        None => {}
        Some(Value::String(word)) => {
            if !matches!(word.as_str(), "auto" | "none" | "required") {
                lines.say("tool_choice", "must be auto, none or required");
            }
            if word == "required" && tools.is_empty() {
                lines.say("tool_choice", "`required` is only allowed when `tools` are specified");
            }
        }
        Some(choice) if choice["type"] == "function" => {
            fields::known(lines, "tool_choice", choice, &["type", "name"]);
            if !named(&choice["name"]) {
                lines.say("tool_choice.name", "this function is not among the tools");
            }
        }
        Some(choice) if choice["type"] == "allowed_tools" => {
            fields::known(lines, "tool_choice", choice, &["type", "mode", "tools"]);
            let mut wanted = choice["tools"].as_array().into_iter().flatten();
            if wanted.any(|tool| tool["type"] == "function" && !named(&tool["name"])) {
                lines.say("tool_choice.tools", "a function is not among the tools");
            }
        }
        Some(choice) if choice["type"].is_string() => {}
        Some(_) => lines.say("tool_choice", "must be a word or an object with a type"),
    }
}
