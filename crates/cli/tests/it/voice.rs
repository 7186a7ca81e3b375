//! `ghosthand voice`: sessions over the real tools, policy and log of a project.

mod forms;
mod roads;
mod script;
mod talk;

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use testkit::tool_folder::write_tool;

use crate::support::program::{Run, copy_unlocked, repository, run};

/// The sample tools, and a tool that orders things after an approval.
fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["tools", "kb", "calendar"] {
        copy_unlocked(&repository().join(folder), &dir.path().join(folder));
    }
    write_order(&dir.path().join("tools/order"));
    dir
}

/// Writes what it ordered into the store, and so counts.
fn write_order(folder: &Path) {
    let schema = json!({
        "toolId": "order", "version": "1.0.0", "description": "Orders one thing.",
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": true, "allowedModes": ["voice"], "latencyBudgetMs": 800,
        "capabilities": { "kv": ["orders/"] },
        "parameters": {
            "type": "object", "additionalProperties": false, "required": ["thing"],
            "properties": { "thing": { "type": "string", "description": "What to order." } },
        },
    });
    let handler = "export async function execute({ args, context }) {\n\
        const before = await context.kv.get('orders/count');\n\
        const count = (before?.value ?? 0) + 1;\n\
        await context.kv.set('orders/count', count);\n\
        return { ok: true, data: { ordered: args.thing, count } };\n}\n";
    let example = r#"{"thing": "tea"}"#;
    write_tool(folder, &schema.to_string(), "Orders one thing.", example).unwrap();
    fs::write(folder.join("handler.js"), handler).unwrap();
}

/// Runs a script with further arguments.
fn play(dir: &Path, script: &str, args: &[&str]) -> Run {
    fs::write(dir.join("session.voice"), script).unwrap();
    run(dir, &[&["voice", "--script", "session.voice"], args].concat())
}
