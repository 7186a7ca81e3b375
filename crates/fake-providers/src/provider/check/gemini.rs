//! Gemini generateContent: fields, tools; the contents are in `contents`.

mod contents;

use serde_json::Value;

use super::{Ask, Lines, check_output, check_tools, fields};

const FIELDS: &[&str] = &[
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
    "serviceTier",
    "store",
];

const CONFIG: &[&str] = &[
    "candidateCount",
    "enableEnhancedCivicAnswers",
    "frequencyPenalty",
    "imageConfig",
    "logprobs",
    "maxOutputTokens",
    "mediaResolution",
    "presencePenalty",
    "responseJsonSchema",
    "responseLogprobs",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "seed",
    "speechConfig",
    "stopSequences",
    "temperature",
    "thinkingConfig",
    "topK",
    "topP",
];

const BUILT_IN: &[&str] =
    &["googleSearch", "codeExecution", "urlContext", "googleMaps", "fileSearch", "computerUse"];

pub(super) fn check(ask: &Ask<'_>, lines: &mut Lines) {
    let body = ask.body;
    fields::known(lines, "", body, FIELDS);
    let query = ask.head.and_then(|head| head.uri.query()).unwrap_or_default();
    if query.split('&').any(|pair| pair.starts_with("key=")) {
        lines.say("key", "a key in the address ends up in logs; send `x-goog-api-key`");
    }
    match body.get("contents") {
        Some(list) => contents::check(ask, lines, list),
        None => lines.say("contents", "is not specified"),
    }
    if let Some(system) = body.get("systemInstruction") {
        fields::known(lines, "systemInstruction", system, &["role", "parts"]);
        let parts = fields::list(lines, "systemInstruction.parts", &system["parts"]);
        if parts.iter().any(|part| !part["text"].is_string()) {
            lines.say("systemInstruction.parts", "only text is supported");
        }
    }
    check_tool_list(ask, lines);
    check_tool_config(ask, lines);
    check_config(ask, lines);
}

fn check_tool_list(ask: &Ask<'_>, lines: &mut Lines) {
    check_tools(ask, lines);
    let tools = ask.body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |key: &str| tools.iter().any(|tool| tool.get(key).is_some());
    for (index, tool) in tools.iter().enumerate() {
        let known: Vec<_> = BUILT_IN.iter().copied().chain(["functionDeclarations"]).collect();
        fields::known(lines, &format!("tools[{index}]"), tool, &known);
    }
    let mixed = has("functionDeclarations") && BUILT_IN.iter().any(|key| has(key));
    let allowed = ask.body.pointer("/toolConfig/includeServerSideToolInvocations");
    if mixed && allowed != Some(&true.into()) {
        let what = "built-in tools and functions mix only with `includeServerSideToolInvocations`";
        lines.say("tools", what);
    }
}

fn check_tool_config(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(config) = ask.body.get("toolConfig") else { return };
    let known = ["functionCallingConfig", "retrievalConfig", "includeServerSideToolInvocations"];
    fields::known(lines, "toolConfig", config, &known);
    let Some(calling) = config.get("functionCallingConfig") else { return };
    let place = "toolConfig.functionCallingConfig";
    fields::known(lines, place, calling, &["mode", "allowedFunctionNames"]);
    let modes = ["AUTO", "ANY", "NONE", "VALIDATED"];
    fields::word(lines, calling, &format!("{place}."), "mode", &modes);
    let tools = ask.body["tools"].as_array().into_iter().flatten();
    let declared: Vec<&Value> = tools
        .flat_map(|tool| tool["functionDeclarations"].as_array().into_iter().flatten())
        .map(|declaration| &declaration["name"])
        .collect();
    if declared.is_empty() {
        lines.say(place, "must not be set without function declarations");
    }
    let Some(names) = calling.get("allowedFunctionNames") else { return };
    if !matches!(calling["mode"].as_str(), Some("ANY" | "VALIDATED")) {
        let what = "should only be set when the mode is ANY or VALIDATED";
        lines.say(&format!("{place}.allowedFunctionNames"), what);
    }
    for name in names.as_array().into_iter().flatten().filter(|name| !declared.contains(name)) {
        let what = format!("{name} is not among the declarations");
        lines.say(&format!("{place}.allowedFunctionNames"), &what);
    }
}

fn check_config(ask: &Ask<'_>, lines: &mut Lines) {
    let Some(config) = ask.body.get("generationConfig") else { return };
    let place = "generationConfig";
    fields::known(lines, place, config, CONFIG);
    fields::count(lines, config, "generationConfig.", "maxOutputTokens", 1);
    if let Some(thinking) = config.get("thinkingConfig") {
        let known = ["includeThoughts", "thinkingBudget", "thinkingLevel"];
        fields::known(lines, "generationConfig.thinkingConfig", thinking, &known);
    }
    let shapes = ["responseSchema", "responseJsonSchema"];
    if shapes.iter().any(|key| config.get(*key).is_some()) {
        if config["responseMimeType"] != "application/json" {
            let what = "must be application/json when a schema is set";
            lines.say("generationConfig.responseMimeType", what);
        }
        let mut shape = serde_json::Map::new();
        for key in ["responseMimeType", "responseSchema", "responseJsonSchema"] {
            if let Some(value) = config.get(key) {
                shape.insert(key.to_owned(), value.clone());
            }
        }
        check_output(ask, lines, place, &shape.into());
    }
}
