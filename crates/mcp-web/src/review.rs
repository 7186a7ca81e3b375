//! What the operator looks at before they accept tools: all that a model would read, and how
//! it differs from what was accepted.

use contract::{SideEffects, canonical};
use mcp::client::{
    Definition, Endpoint, ImportedTools, Listing, McpLock, import_tools, place_of, sanitize,
};
use registry::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::live_server::LiveServer;
use crate::stored_server::{AcceptedTool, LoginKind};

/// The tools of a server as it offers them now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Review {
    pub server: String,
    pub tools: Vec<ReviewedTool>,
    /// What was left out or changed, for people.
    pub notes: Vec<String>,
    pub reach: Reach,
}

/// One tool. Its text is the server's own, cleaned; it is never HTML.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewedTool {
    /// The server's name for it.
    pub name: String,
    /// Our name for it.
    pub id: String,
    pub title: Option<String>,
    pub description: String,
    pub input_schema: Value,
    pub output_schema: Option<Value>,
    /// Whether the operator said that it only reads.
    pub reads: bool,
    /// Whether a person is asked before each call.
    pub asks: bool,
    /// What the server claims of it; nobody checks that.
    pub claims: Vec<String>,
    /// Names the whole definition.
    pub digest: String,
    pub status: ToolStatus,
    pub accepted: bool,
    pub changes: Vec<Difference>,
}

/// A tool that a person accepts, exactly as it was shown.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolChoice {
    #[schemars(length(max = 100))]
    pub digest: String,
    /// Whether it only reads, and nobody is asked before a call.
    #[serde(default)]
    pub reads: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolStatus {
    New,
    Changed,
    Same,
    /// Accepted, but the server no longer has it.
    Gone,
}

/// A part of a definition before and after.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Difference {
    /// `title`, `description`, `arguments`, `result` or `claims`.
    pub what: &'static str,
    pub before: String,
    pub after: String,
}

/// What a server may reach, and what it is sent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reach {
    /// Whether it is a program that this machine runs, in the sandbox.
    pub program: bool,
    pub place: String,
    pub network: bool,
    pub read: Vec<String>,
    pub write: Vec<String>,
    /// The names of the headers or variables that it is given.
    pub secrets: Vec<String>,
    pub login: LoginKind,
}

const TEXT_CHARS_MAX: usize = 2_000;
const SCHEMA_CHARS_MAX: usize = 4_000;
/// A server chooses its names; longer ones are left out.
const NAME_BYTES_MAX: usize = 200;

/// The definitions that can be accepted at all.
pub(crate) fn usable(listing: &Listing) -> impl Iterator<Item = &Definition> {
    listing
        .tools
        .iter()
        .filter(|one| one.name.len() <= NAME_BYTES_MAX && one.bytes() <= Definition::BYTES_MAX)
}

pub(crate) fn review(live: &LiveServer, listing: &Listing) -> Review {
    let name = live.name.as_str();
    // As if all were accepted, to see them as a model would.
    let mut all = McpLock::default();
    all.pin(name, usable(listing).cloned());
    let ImportedTools { tools, notes } = import_tools(&live.config, all.of(name), &all);
    let found = |one: &Definition| tools.iter().find(|tool| is_tool(tool, live, one));
    let mut reviewed: Vec<_> =
        usable(listing).filter_map(|one| Some(reviewed_tool(live, one, found(one)?))).collect();
    let gone =
        live.lock.of(name).filter(|old| listing.tools.iter().all(|one| one.name != old.name));
    let shown = live.tools();
    for old in gone {
        if let Some(tool) = shown.tools.iter().find(|tool| is_tool(tool, live, old)) {
            reviewed
                .push(ReviewedTool { status: ToolStatus::Gone, ..reviewed_tool(live, old, tool) });
        }
    }
    let left_out = listing.tools.len() - usable(listing).count();
    let too_long = (left_out > 0).then(|| format!("{left_out} tools are too long and left out"));
    let notes = listing.left_out.iter().cloned().chain(notes).chain(too_long).collect();
    Review { server: name.to_owned(), tools: reviewed, notes, reach: reach(live) }
}

fn is_tool(tool: &Tool, live: &LiveServer, one: &Definition) -> bool {
    place_of(&tool.handler.path) == Some((live.name.as_str(), one.name.as_str()))
}

fn reviewed_tool(live: &LiveServer, one: &Definition, tool: &Tool) -> ReviewedTool {
    let pinned = live.lock.get(live.name.as_str(), &one.name);
    let status = match pinned {
        None => ToolStatus::New,
        Some(pinned) if pinned == one => ToolStatus::Same,
        Some(_) => ToolStatus::Changed,
    };
    let claims = one.annotations.as_object().into_iter().flatten();
    let claims = claims.filter(|(_, value)| **value == Value::Bool(true));
    ReviewedTool {
        name: sanitize(&one.name, NAME_BYTES_MAX),
        id: tool.contract.tool_id.to_string(),
        title: one.title.as_deref().map(|title| sanitize(title, NAME_BYTES_MAX)),
        description: sanitize(&one.description, TEXT_CHARS_MAX),
        input_schema: tool.contract.parameters.clone(),
        output_schema: tool.contract.returns.clone(),
        reads: tool.contract.side_effects == SideEffects::ReadOnly || live.reads(&one.name),
        asks: tool.contract.requires_confirmation,
        claims: claims.map(|(name, _)| sanitize(name.trim_end_matches("Hint"), 40)).collect(),
        digest: one.digest().to_string(),
        status,
        accepted: pinned.is_some(),
        changes: pinned.map(|pinned| differences(pinned, one)).unwrap_or_default(),
    }
}

fn differences(was: &Definition, is: &Definition) -> Vec<Difference> {
    let text = |text: &str| sanitize(text, TEXT_CHARS_MAX);
    let json = |value: &Value| sanitize(&canonical(value), SCHEMA_CHARS_MAX);
    let schema = |value: &Option<Value>| value.as_ref().map(json).unwrap_or_default();
    let title = |one: &Definition| text(one.title.as_deref().unwrap_or_default());
    let all = [
        ("title", title(was), title(is)),
        ("description", text(&was.description), text(&is.description)),
        ("arguments", json(&was.input_schema), json(&is.input_schema)),
        ("result", schema(&was.output_schema), schema(&is.output_schema)),
        ("claims", json(&was.annotations), json(&is.annotations)),
    ];
    let differs = |(what, before, after): (&'static str, String, String)| {
        (before != after).then_some(Difference { what, before, after })
    };
    let mut found: Vec<_> = all.into_iter().filter_map(differs).collect();
    if found.is_empty() && was != is {
        // What differs is invisible, or behind what is shown.
        let (before, after) = (was.digest().to_string(), is.digest().to_string());
        found.push(Difference { what: "description", before, after });
    }
    found
}

fn reach(live: &LiveServer) -> Reach {
    let paths = |paths: &[std::path::PathBuf]| {
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
    };
    let (program, network, read, write) = match &live.config.endpoint {
        Endpoint::Http { .. } => (false, true, Vec::new(), Vec::new()),
        Endpoint::Program(one) => (true, one.network, paths(&one.read), paths(&one.write)),
    };
    Reach {
        program,
        place: live.stored.endpoint.shown(),
        network,
        read,
        write,
        secrets: live.stored.secret_names.clone(),
        login: live.stored.login,
    }
}

/// The tools of a listing that a person accepted, by their digests; none if one is not there.
pub(crate) fn chosen(listing: &Listing, wanted: &[ToolChoice]) -> Option<Vec<AcceptedTool>> {
    let one = |ToolChoice { digest, reads }: &ToolChoice| {
        let found = usable(listing).find(|one| one.digest().to_string() == *digest)?;
        Some(AcceptedTool { definition: found.clone(), reads: *reads })
    };
    wanted.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
