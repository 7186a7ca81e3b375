//! The tools to call: each is trivial, so that only the overhead is measured.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

/// Adds two numbers, in Rust.
pub(crate) const ADD_NATIVE: &str = "add_native";
/// Adds two numbers, in JavaScript.
pub(crate) const ADD_SCRIPT: &str = "add_script";
/// Adds two numbers after 10 ms, in JavaScript.
pub(crate) const WAIT_SCRIPT: &str = "wait_script";
/// Writes a line, in Rust.
pub(crate) const NOTE_NATIVE: &str = "note_native";
/// Reports the time `a` times, `b` ms apart, in Rust.
pub(crate) const TICK_NATIVE: &str = "tick_native";

/// The JavaScript handlers, for other runners.
pub(crate) const ADD_HANDLER: &str = "add-script/handler.js";
pub(crate) const WAIT_HANDLER: &str = "wait-script/handler.js";

const ADD: &str = "export function execute({ args }) {\n\
    \x20 return { ok: true, data: { sum: args.a + args.b } };\n}\n";

const WAIT: &str = "export async function execute({ args }) {\n\
    \x20 await new Promise((resolve) => setTimeout(resolve, 10));\n\
    \x20 return { ok: true, data: { sum: args.a + args.b } };\n}\n";

pub(crate) fn write_all(dir: &Path) -> Result<()> {
    write(dir, ADD_NATIVE, "none", None)?;
    write(dir, ADD_SCRIPT, "none", Some(ADD))?;
    write(dir, WAIT_SCRIPT, "none", Some(WAIT))?;
    write(dir, NOTE_NATIVE, "writes", None)?;
    write(dir, TICK_NATIVE, "none", None)?;
    // Node reads the handlers too, and needs to be told that they are modules.
    fs::write(dir.join("package.json"), json!({"type": "module"}).to_string())?;
    Ok(())
}

fn write(dir: &Path, id: &str, side_effects: &str, handler: Option<&str>) -> Result<()> {
    let folder = dir.join(id.replace('_', "-"));
    fs::create_dir(&folder)?;
    let schema = schema(id, side_effects);
    fs::write(folder.join("schema.json"), serde_json::to_vec_pretty(&schema)?)?;
    fs::write(folder.join("doc_summary.md"), "Add two numbers.\n")?;
    fs::write(folder.join("doc.md"), DOCUMENT)?;
    if let Some(handler) = handler {
        fs::write(folder.join("handler.js"), handler)?;
    }
    Ok(())
}

fn schema(id: &str, side_effects: &str) -> Value {
    let number = json!({"type": "integer", "description": "A number.", "minimum": 0});
    let sum = json!({"type": "integer"});
    json!({
        "toolId": id,
        "version": "1.0.0",
        "description": "Add two numbers.",
        "category": if side_effects == "writes" { "action" } else { "utility" },
        "sideEffects": side_effects,
        "idempotent": side_effects != "writes",
        "requiresConfirmation": false,
        "allowedModes": ["text"],
        "latencyBudgetMs": 1_000,
        "parameters": {
            "type": "object", "additionalProperties": false, "required": ["a", "b"],
            "properties": {"a": number, "b": number}
        },
        "returns": {
            "type": "object", "additionalProperties": false, "required": ["sum"],
            "properties": {"sum": sum}
        }
    })
}

const DOCUMENT: &str = "# Sum\n\n## Summary\nAdds.\n\n## Preconditions\nNone.\n\n\
    ## Postconditions\nThe sum is right.\n\n## Invariants\nNone.\n\n## Failure Modes\nNone.\n\n\
    ## Examples\n```json\n{\"a\": 1, \"b\": 2}\n```\n\n## Common Mistakes\nNone.\n";
