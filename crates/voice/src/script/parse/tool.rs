//! `tool NAME [reads|writes] [retrieval] [repeatable] [asks] [outward] [text-only] [budget 2s]
//! [parameters {…}] [after 300ms returns {…}]`; in a project, `tool NAME [takes 300ms] [after 300ms
//! returns {…}]`.

use serde_json::{Value, json};

use super::cursor::Cursor;
use super::{ScriptTool, tool_end};

/// Reads the declaration of a tool. Without a word it computes, and is for voice and text.
pub(super) fn declaration(cursor: &mut Cursor<'_>, line: usize) -> Result<ScriptTool, String> {
    let name = cursor.word()?.to_owned();
    let mut schema = json!({
        "toolId": name, "version": "1.0.0", "description": format!("The tool {name}."),
        "category": "utility", "sideEffects": "none", "idempotent": true,
        "requiresConfirmation": false, "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 800, "parameters": { "type": "object" },
    });
    let (mut returns, mut takes_ms, mut contract_word) = (None, None, None);
    while let Some(word) = cursor.next_word() {
        let (field, value) = match word {
            "reads" => ("sideEffects", json!("read_only")),
            "writes" => {
                schema["idempotent"] = json!(false);
                schema["category"] = json!("action");
                ("sideEffects", json!("writes"))
            }
            "retrieval" => {
                schema["sideEffects"] = json!("read_only");
                ("category", json!("retrieval"))
            }
            "repeatable" => ("idempotent", json!(true)),
            "asks" => ("requiresConfirmation", json!(true)),
            "outward" => ("capabilities", json!({ "net": ["api.example.com"] })),
            "text-only" => ("allowedModes", json!(["text"])),
            "budget" => ("latencyBudgetMs", json!(cursor.duration()?)),
            "parameters" => ("parameters", cursor.json()?),
            "after" => {
                let ms = cursor.duration()?;
                returns = Some((ms, tool_end(cursor)?));
                continue;
            }
            "takes" => {
                takes_ms = Some(cursor.duration()?);
                continue;
            }
            other => return Err(format!("a tool cannot be `{other}`")),
        };
        schema[field] = value;
        contract_word.get_or_insert_with(|| word.to_owned());
    }
    let contract = read(schema)?;
    Ok(ScriptTool { contract, returns, takes_ms, contract_word, line })
}

fn read(schema: Value) -> Result<contract::Contract, String> {
    serde_json::from_value(schema).map_err(|fault| format!("the tool is not valid: {fault}"))
}
