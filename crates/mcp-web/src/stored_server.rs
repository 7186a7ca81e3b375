//! An added server as the store has it: its settings, its secrets, its accepted tools.
//!
//! Must hold: secrets are sealed for the name and the address of their server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use addresses::Reach;
use contract::{Digest, Secret};
use mcp::client::{Definition, Effect, ServerProgram};
use providers::Sealer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{BadName, Key, Prefix};

use crate::fault::McpWebFault;

/// The value below `mcp-servers/NAME`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredServer {
    pub endpoint: StoredEndpoint,
    #[serde(default)]
    pub login: LoginKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The headers or variables, and the secret of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// The names of the headers or variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_names: Vec<String>,
    /// The digests of all tools that the operator has seen, accepted or not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reviewed: BTreeMap<String, String>,
    /// The digests of tools that are new or have changed since.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pending: BTreeMap<String, String>,
}

fn near() -> Reach {
    Reach::Near
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StoredEndpoint {
    Address {
        url: String,
        /// Where the server was when it was added; those of an older program may be near.
        #[serde(default = "near")]
        reach: Reach,
    },
    Command(CommandLine),
}

/// A program that is started in the sandbox, and what it may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandLine {
    #[schemars(length(min = 1, max = 1000))]
    pub program: String,
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub args: Vec<String>,
    /// Whether it may connect to the internet.
    #[serde(default)]
    pub network: bool,
    /// Files and folders that it may read, besides its own package.
    #[serde(default)]
    #[schemars(length(max = 16))]
    pub read: Vec<String>,
    /// Files and folders that it may write.
    #[serde(default)]
    #[schemars(length(max = 16))]
    pub write: Vec<String>,
}

/// Makes a program of a command, with the sandbox of this machine.
pub type ResolveCommand = dyn Fn(&CommandLine) -> Result<ServerProgram, String> + Send + Sync;

/// Who logs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LoginKind {
    /// Nobody.
    #[default]
    None,
    /// The operator, once for everybody.
    Shared,
    /// Each person, for their own calls.
    Each,
}

/// What the store has of an accepted tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AcceptedTool {
    pub definition: Definition,
    /// Whether the operator said that it only reads.
    pub reads: bool,
}

impl AcceptedTool {
    /// A tool writes unless the operator says otherwise; its own claims do not count.
    pub(crate) fn effect(&self) -> Effect {
        if self.reads { Effect::Reads } else { Effect::Writes }
    }
}

/// What is sealed.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerSecrets {
    /// Headers of an address, variables of a command.
    pub values: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

impl fmt::Debug for ServerSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerSecrets")
    }
}

impl ServerSecrets {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.client_secret.is_none()
    }

    pub(crate) fn seal(
        &self,
        sealer: &Sealer,
        name: &str,
        endpoint: &StoredEndpoint,
    ) -> Result<Option<String>, McpWebFault> {
        if self.is_empty() {
            return Ok(None);
        }
        let text = serde_json::to_string(self).map_err(|_| McpWebFault::Damaged)?;
        Ok(Some(sealer.seal(&Secret::new(text), &place(name, endpoint))?))
    }
}

impl StoredServer {
    pub(crate) fn secrets(
        &self,
        sealer: &Sealer,
        name: &str,
    ) -> Result<ServerSecrets, McpWebFault> {
        let Some(sealed) = &self.sealed else { return Ok(ServerSecrets::default()) };
        let text = sealer.open(sealed, &place(name, &self.endpoint))?;
        serde_json::from_str(text.expose()).map_err(|_| McpWebFault::Damaged)
    }
}

impl StoredEndpoint {
    /// What a person reads.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Address { url, reach: _ } => url.clone(),
            Self::Command(CommandLine { program, args, .. }) => {
                std::iter::once(program).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
        }
    }

    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Address { url, reach: _ } => Some(url),
            Self::Command(_) => None,
        }
    }
}

/// What secrets are sealed for.
fn place(name: &str, endpoint: &StoredEndpoint) -> String {
    format!("mcp-server {name} {}", endpoint.shown())
}

pub(crate) const SERVERS: &str = "mcp-servers/";
const TOOLS: &str = "mcp-tools/";
const LOGINS: &str = "mcp-logins/";

pub(crate) fn server_key(name: &str) -> Result<Key, BadName> {
    format!("{SERVERS}{name}").parse()
}

/// Below it are the accepted tools of a server.
pub(crate) fn tools_prefix(name: &str) -> Result<Prefix, BadName> {
    format!("{TOOLS}{name}/").parse()
}

/// A server chooses the names of its tools, so the key has a digest.
pub(crate) fn tool_key(name: &str, tool: &str) -> Result<Key, BadName> {
    format!("{TOOLS}{name}/{}", Digest::of(tool.as_bytes()).hex(32)).parse()
}

/// Below it are the logins at a server.
pub(crate) fn logins_prefix(name: &str) -> Result<Prefix, BadName> {
    format!("{LOGINS}{name}/").parse()
}

pub(crate) fn login_key(name: &str, who: &str) -> Result<Key, BadName> {
    format!("{LOGINS}{name}/{who}").parse()
}

/// Runs commands on this machine, or none.
pub(crate) type Commands = Option<Arc<ResolveCommand>>;
