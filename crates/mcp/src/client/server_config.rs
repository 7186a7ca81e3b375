//! The configuration of one MCP server.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use addresses::AddressGuard;
use engine::ToolFilter;
use hosts::sandbox::SandboxPolicy;

use super::connection::error_text::shown;
use super::oauth::OAuth;

/// A server whose tools are imported.
#[derive(Clone)]
pub struct ServerConfig {
    pub name: ServerName,
    pub endpoint: Endpoint,
    /// Which of its tools may be imported, by the server's names.
    pub tools: ToolFilter,
    /// The effects of single tools, overriding their own claims; a name may end with `*`.
    pub effects: BTreeMap<String, Effect>,
    pub ask_when: AskWhen,
    pub elicitation: ElicitationPolicy,
    pub formats: Formats,
    pub limits: Limits,
}

/// How to reach a server.
#[derive(Clone)]
pub enum Endpoint {
    Program(ServerProgram),
    /// Headers may contain secrets and are never shown.
    Http {
        url: String,
        headers: BTreeMap<String, String>,
        oauth: Option<OAuth>,
        /// Checks where the name leads on every connection; none for a server of the settings.
        guard: Option<AddressGuard>,
    },
}

/// A server that runs as our child, and what it may reach.
#[derive(Clone)]
pub struct ServerProgram {
    /// Our own program, which starts the server in a sandbox.
    pub launcher: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its whole environment; may contain secrets.
    pub env: Vec<(String, String)>,
    pub dir: PathBuf,
    /// In addition to its package and the system.
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Never readable or writable: our store and logins, the user's keys.
    pub private: Vec<PathBuf>,
    pub network: bool,
    pub sandbox: SandboxPolicy,
}

/// The effect of a server's tool, as the operator declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Writes,
}

/// When to ask for an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskWhen {
    /// Before every call that writes.
    Always,
    /// Before every call, unless the tool claims to only read and a person trusts it.
    ByHints,
    /// Not because of this server; rules may still ask.
    Never,
}

/// How to answer a server that asks the user something while its tool runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ElicitationPolicy {
    /// Decline.
    #[default]
    Decline,
    /// Answer with the defaults of the question, if they cover every required field.
    AcceptDefaults,
}

/// How to treat `format` in a server's schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Formats {
    /// As a note to the model; the server validates. Few servers follow their own formats.
    #[default]
    Noted,
    /// As an assertion, checked before the call is sent.
    Asserted,
}

/// Limits for a server. No `Default`: see [`Limits::usual`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long a call may go without progress.
    pub idle: Duration,
    /// How long a call may take in total.
    pub total: Duration,
    pub result_bytes_max: usize,
    /// How long the server may take to start and list its tools.
    pub start: Duration,
}

impl Limits {
    pub fn usual() -> Self {
        Self {
            idle: Duration::from_secs(60),
            total: Duration::from_secs(600),
            result_bytes_max: 1 << 20,
            start: Duration::from_secs(30),
        }
    }
}

impl ServerConfig {
    /// The effect that the operator declares for a tool, if any.
    pub fn effect_of(&self, tool: &str) -> Option<Effect> {
        let exact = self.effects.get(tool);
        let fits = |pattern: &String| {
            pattern.strip_suffix('*').is_some_and(|start| tool.starts_with(start))
        };
        let longest = || {
            let fitting = self.effects.iter().filter(|(pattern, _)| fits(pattern));
            fitting.max_by_key(|(pattern, _)| pattern.len()).map(|(_, effect)| effect)
        };
        exact.or_else(longest).copied()
    }

    /// The address without secrets; approvals of its tools are bound to it.
    pub fn place(&self) -> String {
        match &self.endpoint {
            Endpoint::Program(ServerProgram { program, args, .. }) => {
                let args = args.iter().map(|arg| format!(" {arg}")).collect::<String>();
                format!("{}{args}", program.display())
            }
            Endpoint::Http { url, .. } => url.clone(),
        }
    }
}

impl ServerConfig {
    /// The address or command for people; an address without the parts that may hold secrets.
    pub fn shown_place(&self) -> String {
        match &self.endpoint {
            Endpoint::Program(_) => self.place(),
            Endpoint::Http { url, .. } => shown(url),
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerConfig({}, {})", self.name, self.place())
    }
}

/// The local name of a server, which prefixes the ids of its tools: `a-z 0-9 _`, starting with a
/// letter, at most 20 characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Box<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid server name; use a-z, 0-9 and _, starting with a letter, at most 20 characters"
)]
pub struct BadServerName(String);

impl ServerName {
    pub const BYTES_MAX: usize = 20;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServerName {
    type Err = BadServerName;
    fn from_str(text: &str) -> Result<Self, BadServerName> {
        let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
        let good = text.len() <= Self::BYTES_MAX
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(plain);
        if good {
            Ok(Self(text.into()))
        } else {
            Err(BadServerName(text.chars().take(80).collect()))
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
pub(crate) mod tests;
