//! A server as the operator configured it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use engine::ToolFilter;
use hosts::sandbox::Sandbox;

use super::oauth::OAuth;

/// One server whose tools are used here.
#[derive(Clone)]
pub struct Neighbour {
    pub name: NeighbourName,
    pub reach: Reach,
    /// Which of its tools may be imported, by their names there.
    pub tools: ToolFilter,
    /// What single tools do, whatever they say of themselves; `*` at the end is allowed.
    pub effects: BTreeMap<String, Effect>,
    pub asking: Asking,
    pub questions: Questions,
    pub formats: Formats,
    pub limits: Limits,
}

/// How a server is reached.
#[derive(Clone)]
pub enum Reach {
    Program(ServerProgram),
    /// Headers may hold secrets: they are never shown.
    Address {
        url: String,
        headers: BTreeMap<String, String>,
        oauth: Option<OAuth>,
    },
}

/// A server that is a child of ours, and what it may reach.
#[derive(Clone)]
pub struct ServerProgram {
    /// Our own program, which starts it behind a fence.
    pub launcher: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// All of its environment; may hold secrets.
    pub env: Vec<(String, String)>,
    pub dir: PathBuf,
    /// Beside its own package and the system.
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Never read nor written: our store and logins, the user's keys.
    pub private: Vec<PathBuf>,
    pub network: bool,
    pub sandbox: Sandbox,
}

/// What a tool of a server does to the world. The operator says so, not the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Writes,
}

/// When a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// Before every call that writes.
    Always,
    /// Before every call of a tool, unless it says that it only reads and a person trusts it.
    ByHints,
    /// Never by this server's settings; rules may still ask.
    Never,
}

/// What a server gets that asks a person something while its tool runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Questions {
    /// It is told that nobody answers.
    #[default]
    Declined,
    /// What its question proposes, if it proposes everything that must be said.
    Proposed,
}

/// What a `format` in a schema of a server means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Formats {
    /// It is told to the model, and the server decides: few servers hold to their own.
    #[default]
    Noted,
    /// What does not fit is refused before it goes out.
    Asserted,
}

/// What a server may cost. No `Default`: see [`Limits::usual`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Without a sign of life a call ends after this.
    pub idle: Duration,
    /// However lively, a call ends after this.
    pub total: Duration,
    pub result_bytes_max: usize,
    /// How long it may take to start and say what it has.
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

impl Neighbour {
    /// What the operator says a tool does; nothing if the operator is silent.
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

    /// Where it is, without secrets: what an approval of its tools is bound to.
    pub fn place(&self) -> String {
        match &self.reach {
            Reach::Program(ServerProgram { program, args, .. }) => {
                let args = args.iter().map(|arg| format!(" {arg}")).collect::<String>();
                format!("{}{args}", program.display())
            }
            Reach::Address { url, .. } => url.clone(),
        }
    }
}

impl fmt::Debug for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Neighbour({}, {})", self.name, self.place())
    }
}

/// The name of a server here, and the beginning of its tools' ids: `a-z 0-9 _`, from a
/// letter, at most 20.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeighbourName(Box<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid server name; use a-z, 0-9 and _, from a letter, at most 20 characters"
)]
pub struct BadNeighbour(String);

impl NeighbourName {
    pub const BYTES_MAX: usize = 20;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NeighbourName {
    type Err = BadNeighbour;
    fn from_str(text: &str) -> Result<Self, BadNeighbour> {
        let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_');
        let good = text.len() <= Self::BYTES_MAX
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(plain);
        if good {
            Ok(Self(text.into()))
        } else {
            Err(BadNeighbour(text.chars().take(80).collect()))
        }
    }
}

impl fmt::Display for NeighbourName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
pub(super) mod tests;
