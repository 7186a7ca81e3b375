//! The settings, in ordered layers, each value with its source.
//!
//! Defaults, the user's file, the project's `ghosthand.toml`, the environment, flags: later layers
//! win. API keys are not settings: they come from the environment, from the project's `.env`, or
//! from a file that only its owner can read.
//!
//! Start at [`Config::load`].

mod dot_env;
mod file;
mod mcp_servers;
pub(crate) mod project;
mod providers;
mod settings;
pub(crate) mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use contract::Secret;
use hosts::sandbox::SandboxPolicy;
use services::NetworkAccess;

use self::dot_env::{DOT_ENV, DotEnv};
use crate::exit::Failure;

pub(crate) use mcp_servers::{McpServerText, TokenText};
pub(crate) use providers::{Configured, REHEARSAL, model_of, provider_of};
pub(crate) use settings::{SETTINGS, Setting};

/// All settings, by name.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The project folder relative to the current one; empty if it is the current one.
    root: PathBuf,
    /// The settings file of the project, as sources name it.
    project_file: String,
    values: BTreeMap<&'static str, Sourced>,
    pub providers: Vec<Configured>,
    pub telemetry_headers: Option<Secret>,
    /// The configured MCP servers, by name.
    pub mcp_servers: BTreeMap<String, McpServerText>,
    /// The programs that may call our tools over HTTP, by name.
    pub tokens: BTreeMap<String, TokenText>,
    dot_env: DotEnv,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced {
    pub value: String,
    pub source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    BuiltIn,
    File { path: String, line: usize },
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::BuiltIn => f.write_str("built in"),
            Source::File { path, line } => write!(f, "{path}:{line}"),
            Source::Environment(name) => write!(f, "${name}"),
            Source::Flag(name) => f.write_str(name),
        }
    }
}

/// The settings file of a project.
pub(crate) const CONFIG_FILE: &str = "ghosthand.toml";

/// Headers for the collector; they may contain a key, so they are not a setting.
pub(crate) const TELEMETRY_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Reads environment variables.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Config {
    /// The settings for the current folder, user and environment.
    pub(crate) fn load() -> Result<Self, Failure> {
        Self::of_project(&project::root())
    }

    /// The settings of the project in this folder.
    pub(crate) fn of_project(root: &Path) -> Result<Self, Failure> {
        #[expect(clippy::disallowed_methods, reason = "settings are read here")]
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let user = user_file(&variable);
        let dot_env = DotEnv::read(&root.join(DOT_ENV));
        let project = root.join(CONFIG_FILE);
        let config = Self::layered(user.as_deref(), &project, &variable, dot_env)?;
        Ok(Self { root: root.to_owned(), ..config })
    }

    /// A key or an id: the environment's, else that of the project's `.env`.
    pub(crate) fn key(&self, name: &str) -> Option<String> {
        #[expect(clippy::disallowed_methods, reason = "keys are read here")]
        let set = std::env::var(name).ok().filter(|value| !value.is_empty());
        set.or_else(|| self.dot_env.get(name))
    }

    pub(crate) fn layered(
        user: Option<&Path>,
        project: &Path,
        variable: Environment<'_>,
        dot_env: DotEnv,
    ) -> Result<Self, Failure> {
        // Only keys come from `.env`; settings and folders never do.
        let key = |name: &str| variable(name).or_else(|| dot_env.get(name));
        let built_in = |setting: &'static Setting| {
            let value = setting.built_in?.to_owned();
            Some((setting.name, Sourced { value, source: Source::BuiltIn }))
        };
        let mut values: BTreeMap<_, _> = SETTINGS.iter().filter_map(built_in).collect();
        let mut providers = providers::built_in(&key);
        let (mut mcp_servers, mut tokens) = (BTreeMap::new(), BTreeMap::new());
        for path in user.into_iter().chain([project]) {
            let read = file::read(path)?;
            let servers = mcp_servers::sections(&read.servers, "mcp", &read.text)?;
            tokens.extend(mcp_servers::sections(&read.tokens, "mcp_tokens", &read.text)?);
            if path == project {
                check_project(&read, &servers)?;
                providers::merge_project(&mut providers, read.providers, (&key, variable))?;
            } else {
                providers::merge(&mut providers, read.providers, &key)?;
            }
            values.extend(read.values);
            mcp_servers.extend(servers);
        }
        for setting in SETTINGS {
            let name = setting.variable();
            if let Some(value) = variable(&name) {
                setting.check(&value).map_err(|fix| {
                    let shown = setting.shown(&value);
                    Failure::message(format!("${name} is {shown}, which is not valid"), fix)
                })?;
                values.insert(setting.name, Sourced { value, source: Source::Environment(name) });
            }
        }
        if let Some(Sourced { value, source }) = values.get("model") {
            model_of(&providers, value).map_err(|failure| failure.at(&source.to_string()))?;
        }
        let telemetry_headers = variable(TELEMETRY_HEADERS).map(Secret::new);
        let (root, project_file) = (PathBuf::new(), project.display().to_string());
        Ok(Self {
            root,
            project_file,
            values,
            providers,
            telemetry_headers,
            mcp_servers,
            tokens,
            dot_env,
        })
    }

    /// A flag wins over everything.
    pub(crate) fn flag(&mut self, name: &'static str, flag: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.values.insert(name, Sourced { value, source: Source::Flag(flag) });
        }
    }

    /// The project folder, relative to the current one.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|sourced| sourced.value.as_str())
    }

    /// The project's file and line, if the setting comes from there. A program that would run
    /// with the user's rights must not: somebody else may have written the project.
    pub(crate) fn in_project(&self, name: &str) -> Option<String> {
        match &self.values.get(name)?.source {
            source @ Source::File { path, .. } if *path == self.project_file => {
                Some(source.to_string())
            }
            Source::File { .. } | Source::BuiltIn | Source::Environment(_) | Source::Flag(_) => {
                None
            }
        }
    }

    /// A path setting. Paths of files and defaults are relative to the project; paths of flags and
    /// variables to the current folder.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let Sourced { value, source } = self.values.get(name)?;
        Some(match source {
            Source::BuiltIn | Source::File { .. } => self.root.join(value),
            Source::Environment(_) | Source::Flag(_) => PathBuf::from(value),
        })
    }

    /// A program setting: a path as above, or a name to look up.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        match self.get(name)? {
            path if path.contains('/') => self.path(name),
            name => Some(PathBuf::from(name)),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        // Checked when it was read.
        self.get(name)?.parse().ok()
    }

    /// The network access of tools, from `[net] allow`.
    pub(crate) fn reach(&self) -> NetworkAccess {
        let entries = self.get("net.allow").unwrap_or_default();
        // Checked when it was read; an invalid value opens nothing.
        match settings::openings(entries) {
            Ok(openings) if !openings.is_empty() => NetworkAccess::PublicAnd(openings),
            Ok(_) | Err(_) => NetworkAccess::Public,
        }
    }

    /// The names of a list setting.
    pub(crate) fn names(&self, name: &str) -> Vec<&str> {
        self.get(name).map(|value| settings::names(value).collect()).unwrap_or_default()
    }

    /// The accepted gaps of the sandbox, from `[sandbox] accept`.
    pub(crate) fn sandbox(&self) -> SandboxPolicy {
        let entries = self.get("sandbox.accept").unwrap_or_default();
        // Checked when it was read; an invalid value accepts nothing.
        settings::gaps(entries).map_or(SandboxPolicy::Required, SandboxPolicy::Accepting)
    }

    /// Every setting, in the order of the table.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static Setting, Option<&Sourced>)> {
        SETTINGS.iter().map(|setting| (setting, self.values.get(setting.name)))
    }
}

/// Refuses what a project must not set, because somebody else may have written its file: nothing
/// in it may weaken the sandbox.
fn check_project(read: &file::Read, servers: &[(String, McpServerText)]) -> Result<(), Failure> {
    for name in ["python.sandbox", "sandbox.accept"] {
        if let Some(Sourced { value, source }) = read.values.get(name)
            && !["required", ""].contains(&value.as_str())
        {
            let what = format!("`{name}` weakens the sandbox");
            return Err(own_file_only(&source.to_string(), &what, &format!("`{name}`")));
        }
    }
    for name in ["store.url", "store.password_env"] {
        if let Some(Sourced { source, .. }) = read.values.get(name) {
            let what = format!("`{name}` decides where your data and your password go");
            return Err(own_file_only(&source.to_string(), &what, &format!("`{name}`")));
        }
    }
    if let Some(Sourced { value, source }) = read.values.get("serve.mcp_commands")
        && value != "off"
    {
        let what = "`serve.mcp_commands` lets the page start programs";
        return Err(own_file_only(&source.to_string(), what, "`serve.mcp_commands`"));
    }
    for (name, server) in servers {
        if server.sandbox.is_off() {
            let section = read.servers.iter().find(|section| section.name == *name);
            let at = section.map(|section| section.at.as_str()).unwrap_or_default();
            let what = format!("`mcp.{name}` runs a program outside the sandbox");
            return Err(own_file_only(at, &what, &format!("[mcp.{name}]")));
        }
    }
    Ok(())
}

fn own_file_only(at: &str, what: &str, subject: &str) -> Failure {
    Failure::message(
        format!("{at}: {what}, which a project must not choose"),
        format!("move {subject} to your own ~/.config/ghosthand/config.toml"),
    )
}

/// `~/.config/ghosthand/config.toml`, or below `$XDG_CONFIG_HOME`.
fn user_file(variable: Environment<'_>) -> Option<PathBuf> {
    Some(user_folder(variable)?.join("config.toml"))
}

fn user_folder(variable: Environment<'_>) -> Option<PathBuf> {
    let home = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = home.or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(home.join("ghosthand"))
}

#[cfg(test)]
mod tests;
