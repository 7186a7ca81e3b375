//! Makes a pinned definition into a tool of ours: a prefix, a contract, our limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{
    Capabilities, Category, Contract, Digest, Digester, Mode, SideEffects, ToolId, canonical_bytes,
};
use dialect::{Arguments, formats_as_notes, normalise};
use registry::{Digests, Features, Handler, HandlerKind, Tool};
use semver::Version;
use serde_json::{Value, json};

use super::clean::{clean, hides};
use super::definition::Definition;
use super::neighbour::{Asking, Effect, Formats, Neighbour};
use super::pins::Pins;

/// What became of the definitions of one server.
#[derive(Default)]
pub struct Adopted {
    pub tools: Vec<Tool>,
    /// For people: what was left out, and what looks odd.
    pub notes: Vec<String>,
}

/// How the handler of a tool of another server begins.
pub const IMPORTED: &str = "mcp:";

/// How much of a description a model reads.
const DESCRIPTION_CHARS_MAX: usize = 2_000;
/// A call that takes longer is worth a note.
const LATENCY_BUDGET_MS: u32 = 60_000;
/// How many faults of one schema are said.
const FAULTS_SHOWN_MAX: usize = 3;

/// The tools of a server that may be offered: allowed, well formed, each under an id of
/// its own that begins with the server's name.
pub fn adopt<'a>(
    neighbour: &Neighbour,
    definitions: impl IntoIterator<Item = &'a Definition>,
    pins: &Pins,
) -> Adopted {
    let mut adopted = Adopted::default();
    let mut taken = BTreeSet::new();
    for definition in definitions {
        let name = clean(&definition.name, 80);
        if !neighbour.tools.allows(&definition.name) {
            continue;
        }
        let trust = match pins.trusts(neighbour.name.as_str(), definition) {
            true => Trust::Given,
            false => Trust::NotYet,
        };
        match tool(neighbour, definition, trust, &taken) {
            Ok(tool) => {
                taken.insert(tool.contract.tool_id.clone());
                adopted.tools.push(tool);
            }
            Err(why) => adopted.notes.push(format!("`{name}` is left out: {why}")),
        }
        if hides(&definition.description) || hides(&definition.name) {
            adopted
                .notes
                .push(format!("`{name}` hides characters in its text; they are taken out"));
        }
    }
    adopted
}

fn tool(
    neighbour: &Neighbour,
    definition: &Definition,
    trust: Trust,
    taken: &BTreeSet<ToolId>,
) -> Result<Tool, String> {
    if definition.bytes() > Definition::BYTES_MAX {
        return Err(format!("its definition has more than {} bytes", Definition::BYTES_MAX));
    }
    let parameters = usable(&definition.input_schema, neighbour.formats)
        .map_err(|why| format!("its schema cannot be used: {why}"))?;
    let returns = definition.output_schema.as_ref();
    let returns = returns.and_then(|schema| usable(schema, neighbour.formats).ok());
    let id = id_of(neighbour, &definition.name, taken)?;
    let effect = neighbour.effect_of(&definition.name);
    let said = clean(&definition.description, DESCRIPTION_CHARS_MAX);
    let description = format!("From the MCP server `{}`: {said}", neighbour.name);
    let total = u32::try_from(neighbour.limits.total.as_millis()).unwrap_or(u32::MAX);
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
            || (trust == Trust::Given && definition.says_it_may_be_repeated()),
        requires_confirmation: asks(neighbour.asking, effect, definition, trust),
        allowed_modes: vec![Mode::Text],
        latency_budget_ms: LATENCY_BUDGET_MS,
        parameters,
        returns,
        timeout_ms: Some(total.min(Contract::TIMEOUT_MS_MAX)),
        one_time: false,
        auto: false,
        capabilities: Capabilities::default(),
        asks: Vec::new(),
        ui: None,
    };
    let handler = Handler {
        kind: HandlerKind::Native,
        path: format!("{IMPORTED}{}#{}", neighbour.name, definition.name),
        environment: None,
    };
    Ok(Tool {
        digests: digests(neighbour, definition, &contract),
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

/// A schema of any draft as the 2020-12 that everything here reads: the draft that it names,
/// and older spellings that have only one meaning (`items: [...]`).
fn usable(schema: &Value, formats: Formats) -> Result<Value, String> {
    let read = normalise(schema).map(|read| read.schema);
    let schema = match &read {
        Ok(read) => read,
        // What only we cannot rewrite may still be checked as it stands.
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

/// Whether a person believes what a tool says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Given,
    NotYet,
}

/// The operator's word counts. What a tool says of itself counts once a person trusts it.
fn asks(asking: Asking, effect: Option<Effect>, definition: &Definition, trust: Trust) -> bool {
    match (asking, effect) {
        (Asking::Never, _) | (_, Some(Effect::Reads)) => false,
        (Asking::Always, _) | (Asking::ByHints, Some(Effect::Writes)) => true,
        (Asking::ByHints, None) => trust == Trust::NotYet || !definition.says_it_only_reads(),
    }
}

/// `fs.read_file`; a name that does not fit is made to, and two never become one.
fn id_of(neighbour: &Neighbour, name: &str, taken: &BTreeSet<ToolId>) -> Result<ToolId, String> {
    let letters = name.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9') => c,
        _ => '_',
    });
    let mut plain: String = letters.collect();
    if !plain.starts_with(|c: char| c.is_ascii_lowercase()) {
        plain.insert_str(0, "t_");
    }
    let whole = format!("{}.{plain}", neighbour.name);
    let fits = |id: &str| id.parse().ok().filter(|id: &ToolId| !taken.contains(id));
    if let Some(id) = fits(&whole) {
        return Ok(id);
    }
    let mark = Digest::of(name.as_bytes()).short();
    let start = whole.floor_char_boundary(ToolId::BYTES_MAX - mark.len() - 1);
    let marked = format!("{}_{mark}", whole.get(..start).unwrap_or_default());
    fits(&marked).ok_or_else(|| "its name is another tool's name too".to_owned())
}

fn digests(neighbour: &Neighbour, definition: &Definition, contract: &Contract) -> Digests {
    let schemas: Value = json!([contract.parameters, contract.returns]);
    let mut handler = Digester::default();
    handler.part(neighbour.place().as_bytes());
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
