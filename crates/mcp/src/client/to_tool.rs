//! Turns an approved definition into a tool of our registry: prefixed id, contract, limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{
    Capabilities, Category, Contract, Digest, Digester, Mode, Reuse, SideEffects, ToolId,
    canonical_bytes,
};
use dialect::{Arguments, formats_as_notes, normalise};
use registry::{Digests, Features, Handler, HandlerKind, Tool};
use semver::Version;
use serde_json::{Value, json};

use super::definition::Definition;
use super::mcp_lock::McpLock;
use super::sanitize::{has_hidden_chars, sanitize};
use super::server_config::{AskWhen, Effect, Formats, ServerConfig};

/// The imported tools of one server.
#[derive(Default)]
pub struct ImportedTools {
    pub tools: Vec<Tool>,
    /// For people: what was left out, and what looks suspicious.
    pub notes: Vec<String>,
}

/// The prefix of an imported tool's handler.
pub const MCP_HANDLER_PREFIX: &str = "mcp:";

/// Longer descriptions are truncated.
const DESCRIPTION_CHARS_MAX: usize = 2_000;
/// Slower calls are noted.
const LATENCY_BUDGET_MS: u32 = 60_000;
/// How many faults of a schema are reported.
const FAULTS_SHOWN_MAX: usize = 3;

/// The tools of a server that may be offered: allowed, well formed, each with a unique id that
/// starts with the server's name.
pub fn import_tools<'a>(
    config: &ServerConfig,
    definitions: impl IntoIterator<Item = &'a Definition>,
    lock: &McpLock,
) -> ImportedTools {
    let mut imported = ImportedTools::default();
    let mut taken = BTreeSet::new();
    for definition in definitions {
        let name = sanitize(&definition.name, 80);
        if !config.tools.allows(&definition.name) {
            continue;
        }
        let trust = match lock.trusts(config.name.as_str(), definition) {
            true => Trust::Given,
            false => Trust::NotYet,
        };
        match tool(config, definition, trust, &taken) {
            Ok(tool) => {
                taken.insert(tool.contract.tool_id.clone());
                imported.tools.push(tool);
            }
            Err(why) => imported.notes.push(format!("`{name}` is left out: {why}")),
        }
        if has_hidden_chars(&definition.description) || has_hidden_chars(&definition.name) {
            imported
                .notes
                .push(format!("`{name}` contains invisible characters; they are removed"));
        }
    }
    imported
}

fn tool(
    config: &ServerConfig,
    definition: &Definition,
    trust: Trust,
    taken: &BTreeSet<ToolId>,
) -> Result<Tool, String> {
    if definition.bytes() > Definition::BYTES_MAX {
        return Err(format!("its definition has more than {} bytes", Definition::BYTES_MAX));
    }
    let parameters = usable(&definition.input_schema, config.formats)
        .map_err(|why| format!("its schema cannot be used: {why}"))?;
    let returns = definition.output_schema.as_ref();
    let returns = returns.and_then(|schema| usable(schema, config.formats).ok());
    let id = id_of(config, &definition.name, taken)?;
    let effect = config.effect_of(&definition.name);
    let text = sanitize(&definition.description, DESCRIPTION_CHARS_MAX);
    let description = format!("From the MCP server `{}`: {text}", config.name);
    let total = u32::try_from(config.limits.total.as_millis()).unwrap_or(u32::MAX);
    let contract = Contract {
        tool_id: id,
        version: Version::new(1, 0, 0),
        description: description.clone(),
        category: Category::Action,
        side_effects: match effect {
            Some(Effect::Reads) => SideEffects::ReadOnly,
            Some(Effect::Writes) | None => SideEffects::Writes,
        },
        idempotent: effect == Some(Effect::Reads)
            || (trust == Trust::Given && definition.claims_idempotent()),
        requires_confirmation: asks(config.ask_when, effect, definition, trust),
        allowed_modes: vec![Mode::Text],
        latency_budget_ms: LATENCY_BUDGET_MS,
        parameters,
        returns,
        timeout_ms: Some(total.min(Contract::TIMEOUT_MS_MAX)),
        reuse: Reuse::default(),
        one_time: false,
        auto: false,
        capabilities: Capabilities::default(),
        asks: Vec::new(),
        ui: None,
    };
    let handler = Handler {
        kind: HandlerKind::Native,
        path: format!("{MCP_HANDLER_PREFIX}{}#{}", config.name, definition.name),
        environment: None,
    };
    Ok(Tool {
        digests: digests(config, definition, &contract),
        code: Arc::default(),
        summary: description,
        documentation: String::new(),
        examples: Vec::new(),
        handler,
        features: Features::default(),
        ui: None,
        ui_handlers: Vec::new(),
        order: 0,
        contract,
    })
}

/// Converts a schema of any draft to 2020-12, including older forms with a single meaning
/// (`items: [...]`).
fn usable(schema: &Value, formats: Formats) -> Result<Value, String> {
    let read = normalise(schema).map(|read| read.schema);
    let schema = match &read {
        Ok(read) => read,
        // A schema that we cannot convert may still compile as is.
        Err(_) => schema,
    };
    let schema = match formats {
        Formats::Noted => formats_as_notes(schema),
        Formats::Asserted => schema.clone(),
    };
    match (Arguments::compile(&schema), read) {
        (Ok(_), _) => Ok(schema),
        (Err(_), Err(faults)) if !faults.is_empty() => {
            let faults: Vec<_> =
                faults.iter().take(FAULTS_SHOWN_MAX).map(ToString::to_string).collect();
            Err(faults.join("; "))
        }
        (Err(fault), _) => Err(fault.to_string()),
    }
}

/// Whether a person trusts the claims of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    NotYet,
}

/// The operator's declaration wins. The tool's own claims count only if a person trusts it.
fn asks(ask_when: AskWhen, effect: Option<Effect>, definition: &Definition, trust: Trust) -> bool {
    match (ask_when, effect) {
        (AskWhen::Never, _) | (_, Some(Effect::Reads)) => false,
        (AskWhen::Always, _) | (AskWhen::ByHints, Some(Effect::Writes)) => true,
        (AskWhen::ByHints, None) => trust == Trust::NotYet || !definition.claims_read_only(),
    }
}

/// `fs.read_file`. Replaces invalid characters and keeps ids unique.
fn id_of(config: &ServerConfig, name: &str, taken: &BTreeSet<ToolId>) -> Result<ToolId, String> {
    let letters = name.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9') => c,
        _ => '_',
    });
    let mut plain: String = letters.collect();
    if !plain.starts_with(|c: char| c.is_ascii_lowercase()) {
        plain.insert_str(0, "t_");
    }
    let whole = format!("{}.{plain}", config.name);
    let fits = |id: &str| id.parse().ok().filter(|id: &ToolId| !taken.contains(id));
    if let Some(id) = fits(&whole) {
        return Ok(id);
    }
    let mark = Digest::of(name.as_bytes()).short();
    let start = whole.floor_char_boundary(ToolId::BYTES_MAX - mark.len() - 1);
    let marked = format!("{}_{mark}", whole.get(..start).unwrap_or_default());
    fits(&marked).ok_or_else(|| "its name is already used by another tool".to_owned())
}

fn digests(config: &ServerConfig, definition: &Definition, contract: &Contract) -> Digests {
    let schemas: Value = json!([contract.parameters, contract.returns]);
    let mut handler = Digester::default();
    handler.part(config.place().as_bytes());
    handler.part(definition.digest().to_string().as_bytes());
    Digests {
        schema: Digest::of(&canonical_bytes(&schemas)),
        summary: Digest::of(contract.description.as_bytes()),
        doc: Digest::of(b""),
        handler: handler.finish(),
        shared: None,
    }
}

#[cfg(test)]
mod tests;
