//! The project that is served: two tools that write, a model, two owners.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::OWNERS;
use super::far_sides::FarSides;
use crate::tool_folder::write_tool;

/// The time limit of a tool; after it the outcome of a call is unknown.
const TIMEOUT_MS: u32 = 3_000;

/// The effect first, then the note in the store: an acknowledged call has both.
const HANDLER: &str = "export async function execute({ args, context }) {
  await context.fetch(`http://127.0.0.1:PORT/${args.id}`, { method: 'POST' });
  await context.kv.set(`marks/${args.id}`, 'kept');
  return { ok: true, data: { marked: args.id } };
}
";

pub(super) fn write(folder: &Path, far_sides: &FarSides) -> io::Result<()> {
    let FarSides { port, provider, .. } = far_sides;
    tool(folder, "mark", false, *port)?;
    tool(folder, "mark_asked", true, *port)?;
    let settings = format!(
        "model = \"far:any\"\n\n[net]\nallow = [\"127.0.0.1\"]\n\n[providers.far]\nwire = \"chat\"\n\
         base_url = \"{provider}/v1\"\nkey_env = \"FAR_KEY\"\n"
    );
    fs::write(folder.join("ghosthand.toml"), settings)?;
    let tokens = OWNERS.map(|owner| format!("{owner}={}\n", token(owner)));
    fs::write(folder.join("tokens.txt"), tokens.concat())
}

/// The token of an owner.
pub(super) fn token(owner: &str) -> String {
    format!("{owner}-0123456789abcdef")
}

fn tool(folder: &Path, id: &str, asks: bool, port: u16) -> io::Result<()> {
    let folder = folder.join("tools").join(id);
    let schema = json!({
        "toolId": id, "version": "1.0.0", "description": "Leave a mark in the world.",
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": asks, "allowedModes": ["text"], "latencyBudgetMs": 2_000,
        "timeoutMs": TIMEOUT_MS,
        "capabilities": { "net": [format!("127.0.0.1:{port}")], "kv": ["marks/"] },
        "parameters": { "type": "object", "additionalProperties": false, "required": ["id"],
            "properties": { "id": { "type": "string", "description": "Which mark.",
                "pattern": "^[a-z0-9-]{1,40}$" } } },
    });
    let summary = "Leave a mark.\nUse it to try kills.\n";
    write_tool(&folder, &schema.to_string(), summary, r#"{ "id": "a" }"#)?;
    fs::write(folder.join("handler.js"), HANDLER.replace("PORT", &port.to_string()))
}
