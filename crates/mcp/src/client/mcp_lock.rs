//! `mcp.lock`: the approved tool definitions of each server.

use std::collections::BTreeMap;
use std::path::Path;

use contract::canonical;
use serde::{Deserialize, Serialize};

use super::definition::Definition;

pub const MCP_LOCK_FILE: &str = "mcp.lock";
const FORMAT: u32 = 1;
const FILE_BYTES_MAX: u64 = 32 << 20;

/// The approved definitions. Kept under version control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpLock {
    format: u32,
    /// By server, then by the server's name for the tool.
    servers: BTreeMap<String, BTreeMap<String, Definition>>,
    /// The digests of definitions whose claims a person trusts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    trusted: BTreeMap<String, BTreeMap<String, String>>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum McpLockFault {
    #[error("`{path}` cannot be read")]
    Unreadable { path: String, source: std::io::Error },
    #[error("`{path}` is damaged: {because}")]
    Damaged { path: String, because: String },
}

/// A difference between a server's tools and the approved ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DefinitionChange {
    pub server: String,
    pub tool: String,
    pub sentence: String,
}

impl Default for McpLock {
    fn default() -> Self {
        Self { format: FORMAT, servers: BTreeMap::new(), trusted: BTreeMap::new() }
    }
}

impl McpLock {
    /// Reads the file. Without a file nothing is approved.
    pub fn load(path: &Path) -> Result<Self, McpLockFault> {
        let shown = || path.display().to_string();
        let unreadable = |source| McpLockFault::Unreadable { path: shown(), source };
        let damaged = |because: String| McpLockFault::Damaged { path: shown(), because };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(unreadable(error)),
            Ok(file) if file.len() > FILE_BYTES_MAX => {
                return Err(damaged(format!("it has more than {FILE_BYTES_MAX} bytes")));
            }
            Ok(_) => {}
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let lock: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        match lock.format {
            FORMAT => Ok(lock),
            other => Err(damaged(format!("its format is {other}, not {FORMAT}"))),
        }
    }

    /// The content of the file; deterministic.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The approved tools of a server, by name.
    pub fn of(&self, server: &str) -> impl Iterator<Item = &Definition> {
        self.servers.get(server).into_iter().flat_map(BTreeMap::values)
    }

    pub fn get(&self, server: &str, tool: &str) -> Option<&Definition> {
        self.servers.get(server)?.get(tool)
    }

    /// Approves exactly these tools of a server.
    pub fn pin(&mut self, server: &str, tools: impl IntoIterator<Item = Definition>) {
        let tools: BTreeMap<_, _> =
            tools.into_iter().map(|tool| (tool.name.clone(), tool)).collect();
        if let Some(trusted) = self.trusted.get_mut(server) {
            trusted.retain(|name, digest| {
                tools.get(name).is_some_and(|tool| tool.digest().to_string() == *digest)
            });
        }
        self.trusted.retain(|_, tools| !tools.is_empty());
        self.servers.insert(server.to_owned(), tools);
    }

    /// Trusts the claims of an approved tool. Returns whether it is approved.
    pub fn trust(&mut self, server: &str, tool: &str) -> bool {
        let Some(digest) = self.get(server, tool).map(|pinned| pinned.digest().to_string()) else {
            return false;
        };
        self.trusted.entry(server.to_owned()).or_default().insert(tool.to_owned(), digest);
        true
    }

    /// Whether a person trusts the claims of exactly this definition.
    pub fn trusts(&self, server: &str, tool: &Definition) -> bool {
        let digest = self.trusted.get(server).and_then(|tools| tools.get(&tool.name));
        digest.is_some_and(|digest| *digest == tool.digest().to_string())
            && self.get(server, &tool.name) == Some(tool)
    }

    pub fn remove(&mut self, server: &str) -> bool {
        self.trusted.remove(server);
        self.servers.remove(server).is_some()
    }

    /// Describes how a server's tools differ from the approved ones.
    pub fn changes(&self, server: &str, now: &[Definition]) -> Vec<DefinitionChange> {
        let mut changes = Vec::new();
        let mut say = |tool: &str, sentence: String| {
            let (server, tool) = (server.to_owned(), tool.to_owned());
            changes.push(DefinitionChange { server, tool, sentence });
        };
        for tool in now {
            match self.get(server, &tool.name) {
                None => say(&tool.name, "is new and not approved".to_owned()),
                Some(pinned) => {
                    describe_changes(pinned, tool).into_iter().for_each(|one| say(&tool.name, one));
                }
            }
        }
        for pinned in self.of(server) {
            if now.iter().all(|tool| tool.name != pinned.name) {
                say(&pinned.name, "is no longer there".to_owned());
            }
        }
        changes
    }
}

fn describe_changes(pinned: &Definition, now: &Definition) -> Vec<String> {
    let Definition { name: _, title, description, input_schema, output_schema, annotations } = now;
    let mut changes = Vec::new();
    let quoted = |text: &str| format!("{:?}", super::sanitize::sanitize(text, 300));
    if pinned.description != *description {
        let (was, is) = (quoted(&pinned.description), quoted(description));
        changes.push(format!("description was {was}, is now {is}"));
    }
    if pinned.title != *title {
        changes.push(format!("title is now {}", quoted(title.as_deref().unwrap_or_default())));
    }
    if pinned.input_schema != *input_schema {
        let (was, is) = (canonical(&pinned.input_schema), canonical(input_schema));
        changes.push(format!("arguments were {}, are now {}", clip(&was), clip(&is)));
    }
    if pinned.output_schema != *output_schema {
        changes.push("has another output schema".to_owned());
    }
    if pinned.annotations != *annotations {
        let (was, is) = (canonical(&pinned.annotations), canonical(annotations));
        changes.push(format!("annotations are now {}, were {}", clip(&is), clip(&was)));
    }
    changes
}

fn clip(text: &str) -> String {
    super::sanitize::sanitize(text, 500)
}

#[cfg(test)]
mod tests;
