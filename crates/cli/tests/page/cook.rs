//! A tool whose handler asks a person about a meal, wherever they are.

use serde_json::{Value, json};

use crate::browser::Tab;
use crate::pad::Pad;

/// What a person answers, and the handler gets, by voice as by hand.
pub(crate) fn meal() -> Value {
    json!({ "dish": "soup", "portions": 4, "size": "l", "with": ["salt"] })
}

/// Chooses an option as a person does.
pub(crate) fn chooses(tab: &Tab, select: &str, value: &str) {
    tab.eval(&format!(
        "((one) => ((one.value = '{value}'), one.dispatchEvent(new Event('change', \
         {{ bubbles: true }}))))(find('{select}'))"
    ));
}

/// A tool whose handler asks before it does anything.
pub(crate) fn cook() -> Vec<(String, String)> {
    let schema = json!({
        "toolId": "cook", "version": "1.0.0", "description": "Cooks.", "category": "utility",
        "sideEffects": "none", "idempotent": true, "requiresConfirmation": false,
        "allowedModes": ["voice", "text"], "latencyBudgetMs": 800, "asks": ["person"],
        "parameters": { "type": "object", "additionalProperties": false, "properties": {} },
    });
    let form = json!({ "type": "object", "required": ["dish", "size"], "properties": {
        "dish": { "type": "string", "title": "What dish" },
        "portions": { "type": "integer", "minimum": 1, "maximum": 20, "title": "How many" },
        "size": { "type": "string", "title": "Which size", "oneOf": [
            { "const": "s", "title": "Small" }, { "const": "l", "title": "Large" } ] },
        "with": { "type": "array", "title": "What with", "items": { "type": "string",
            "enum": ["bread", "salt"] } },
    } });
    let handler = format!(
        "export async function execute({{ context }}) {{\n\
         const {{ meal }} = context.answers;\n\
         if (!meal) return context.ask({{ meal: {{ message: 'About the meal.', schema: {form} }} }});\n\
         return {{ ok: true, data: {{ got: meal.content }} }};\n}}\n"
    );
    let sections = ["Summary", "Preconditions", "Postconditions", "Invariants", "Failure Modes"];
    let doc: String = sections.iter().map(|name| format!("## {name}\nYes.\n")).collect();
    let doc = format!("{doc}## Examples\n```json\n{{}}\n```\n## Common Mistakes\nNone.\n");
    let files = [
        ("schema.json", schema.to_string()),
        ("doc_summary.md", "Cooks.".to_owned()),
        ("doc.md", doc),
        ("handler.js", handler),
    ];
    files.map(|(file, text)| (format!("cook/{file}"), text)).into()
}

/// What the model read as the result of its last call.
pub(crate) fn got(pad: &Pad) -> Value {
    let body = pad.model.requests().last().unwrap().body.clone();
    let messages = body["messages"].as_array().unwrap();
    let result = messages.iter().rev().find(|one| one["role"] == "tool").unwrap();
    serde_json::from_str::<Value>(result["content"].as_str().unwrap()).unwrap()["got"].clone()
}
