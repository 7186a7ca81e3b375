//! The folder of a tool, for tests that are not about its documents.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

/// The sections of a `doc.md` before its examples.
const SECTIONS: [&str; 5] =
    ["Summary", "Preconditions", "Postconditions", "Invariants", "Failure Modes"];

/// The contract of a pure tool with one optional argument `text`, changed by `fields`.
pub fn contract(id: &str, fields: &Value) -> Value {
    let mut contract = json!({"toolId": id, "version": "1.0.0", "description": "Does it.",
        "category": "utility", "sideEffects": "none", "idempotent": true,
        "requiresConfirmation": false, "allowedModes": ["text"], "latencyBudgetMs": 500,
        "parameters": {"type": "object", "additionalProperties": false,
            "properties": {"text": {"type": "string"}}}});
    for (name, value) in fields.as_object().into_iter().flatten() {
        contract[name.as_str()] = value.clone();
    }
    contract
}

/// Writes `schema.json`, `doc_summary.md` and a `doc.md` with one example call. The caller adds
/// the handler, unless it is a native one.
pub fn write_tool(folder: &Path, schema: &str, summary: &str, example: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("schema.json"), schema)?;
    fs::write(folder.join("doc_summary.md"), summary)?;
    fs::write(folder.join("doc.md"), documentation(&format!("```json\n{example}\n```")))
}

/// The text of a `doc.md` that passes every check, with these blocks as its examples.
pub fn documentation(examples: &str) -> String {
    let sections: String = SECTIONS.iter().map(|name| format!("## {name}\nYes.\n")).collect();
    format!("{sections}## Examples\n{examples}\n## Common Mistakes\nNone.\n")
}
