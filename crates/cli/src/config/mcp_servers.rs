//! `[mcp.NAME]`: an MCP server whose tools we use; `[mcp_tokens.NAME]`: a program that may use ours.

mod login;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::ToolFilter;
use hosts::sandbox::SandboxPolicy;
use mcp::client::{
    AskWhen, Effect, ElicitationPolicy, Endpoint, Formats, Limits, ServerConfig, ServerProgram,
};
use mcp::server::{Approvals, Principal};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use self::login::AuthWord;
use super::Environment;
use super::file::TextSection;
use crate::exit::Failure;

/// A server section, as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpServerText {
    pub command: Option<PathBuf>,
    #[serde(default)]
    pub args: Vec<String>,
    /// `$NAME` is replaced by a variable of our environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub dir: Option<PathBuf>,
    #[serde(default)]
    pub read: Vec<PathBuf>,
    #[serde(default)]
    pub write: Vec<PathBuf>,
    #[serde(default)]
    pub network: bool,
    #[serde(default)]
    pub sandbox: SandboxWord,
    pub url: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub auth: Option<AuthWord>,
    pub client_id: Option<String>,
    /// The environment variable with the client secret.
    pub client_secret_env: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    pub redirect_port: Option<u16>,
    #[serde(default)]
    pub private_network: bool,
    pub tools: Option<Vec<String>>,
    #[serde(default)]
    pub effects: BTreeMap<String, EffectWord>,
    #[serde(default)]
    pub ask: AskWord,
    #[serde(default)]
    pub questions: QuestionsWord,
    #[serde(default)]
    pub formats: FormatsWord,
    pub idle_ms: Option<u64>,
    pub total_ms: Option<u64>,
    pub result_bytes: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxWord {
    #[default]
    Required,
    Off,
}

impl SandboxWord {
    pub(super) fn is_off(self) -> bool {
        match self {
            SandboxWord::Required => false,
            SandboxWord::Off => true,
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EffectWord {
    Reads,
    Writes,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AskWord {
    Always,
    #[default]
    Hints,
    Never,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum QuestionsWord {
    #[default]
    Decline,
    Defaults,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatsWord {
    #[default]
    Note,
    Assert,
}

/// A token section, as written. The token itself is not in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenText {
    /// The environment variable with the token.
    pub token_env: String,
    /// The tools of this token; all by default.
    pub tools: Option<Vec<String>>,
    /// Whose data tools see; the token's name by default.
    pub client: Option<String>,
    /// Does a person use this client and answer approvals there? Otherwise they wait on the page
    /// and in the terminal.
    #[serde(default)]
    pub asks_a_person: bool,
}

/// Parses the sections of a table.
pub(super) fn sections<T: DeserializeOwned>(
    found: &[TextSection],
    table: &str,
    text: &str,
) -> Result<Vec<(String, T)>, Failure> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let whole: toml::Table = toml::from_str(text).map_err(|error| {
        Failure::message(error.message().to_owned(), "correct the settings file")
    })?;
    let read = |TextSection { name, at }: &TextSection| {
        let section = whole.get(table).and_then(|table| table.get(name)).cloned();
        let section = section.unwrap_or(toml::Value::Boolean(false));
        section.try_into().map(|read| (name.clone(), read)).map_err(|error: toml::de::Error| {
            let what = format!("{at}: [{table}.{name}]: {}", error.message().trim());
            Failure::message(what, "docs/guide/mcp.md lists the settings")
        })
    };
    found.iter().map(read).collect()
}

/// The variables that a server inherits.
const PASSED_ON: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];

impl McpServerText {
    /// Resolves the section for a project.
    pub(crate) fn resolve(
        &self,
        name: &str,
        project: &Path,
        variable: Environment<'_>,
    ) -> Result<ServerConfig, Failure> {
        let at = format!("[mcp.{name}]");
        let wrong = |what: String, fix: &str| Failure::message(format!("{at}: {what}"), fix);
        let name_read = name.parse().map_err(|bad| Failure::user(bad, "choose another name"))?;
        let filled = |text: &String| {
            fill(text, variable).map_err(|what| wrong(what, "set the variable, or remove it"))
        };
        let endpoint = match (&self.command, &self.url) {
            (Some(command), None) => {
                let mut env: Vec<_> = PASSED_ON
                    .iter()
                    .filter_map(|name| Some(((*name).to_owned(), variable(name)?)))
                    .collect();
                for (name, value) in &self.env {
                    env.push((name.clone(), filled(value)?));
                }
                let inside = |path: &PathBuf| match (path.strip_prefix("~"), variable("HOME")) {
                    (Ok(below), Some(home)) => Path::new(&home).join(below),
                    _ => project.join(path),
                };
                // It may write to its working folder only if that is configured.
                let read = self.read.iter().chain(&self.dir).map(inside).collect();
                let private = private(project, variable);
                Endpoint::Program(ServerProgram {
                    launcher: std::env::current_exe()?,
                    program: command.clone(),
                    args: self.args.clone(),
                    env,
                    dir: self.dir.as_ref().map_or_else(|| project.to_owned(), inside),
                    read,
                    write: self.write.iter().map(inside).collect(),
                    private,
                    network: self.network,
                    sandbox: match self.sandbox {
                        SandboxWord::Required => SandboxPolicy::Required,
                        SandboxWord::Off => SandboxPolicy::BestEffort,
                    },
                })
            }
            (None, Some(url)) => {
                let headers =
                    self.headers.iter().map(|(name, value)| Ok((name.clone(), filled(value)?)));
                Endpoint::Http {
                    url: url.clone(),
                    headers: headers.collect::<Result<_, Failure>>()?,
                    oauth: self.oauth(name, url, variable)?,
                    guard: None,
                }
            }
            (Some(_), Some(_)) => {
                let what = "it has both `command` and `url`".to_owned();
                return Err(wrong(what, "keep one of them"));
            }
            (None, None) => {
                let what = "it has neither `command` nor `url`".to_owned();
                return Err(wrong(what, "add one of them"));
            }
        };
        Ok(ServerConfig {
            name: name_read,
            endpoint,
            tools: allowed(self.tools.as_ref()),
            effects: self
                .effects
                .iter()
                .map(|(tool, word)| (tool.clone(), effect(*word)))
                .collect(),
            ask_when: match self.ask {
                AskWord::Always => AskWhen::Always,
                AskWord::Hints => AskWhen::ByHints,
                AskWord::Never => AskWhen::Never,
            },
            elicitation: match self.questions {
                QuestionsWord::Decline => ElicitationPolicy::Decline,
                QuestionsWord::Defaults => ElicitationPolicy::AcceptDefaults,
            },
            formats: match self.formats {
                FormatsWord::Note => Formats::Noted,
                FormatsWord::Assert => Formats::Asserted,
            },
            limits: self.limits(),
        })
    }

    fn limits(&self) -> Limits {
        let usual = Limits::usual();
        Limits {
            idle: self.idle_ms.map_or(usual.idle, Duration::from_millis),
            total: self.total_ms.map_or(usual.total, Duration::from_millis),
            result_bytes_max: self.result_bytes.unwrap_or(usual.result_bytes_max),
            ..usual
        }
    }
}

impl TokenText {
    /// The token and its principal.
    pub(crate) fn resolve(
        &self,
        name: &str,
        variable: Environment<'_>,
    ) -> Result<(String, Principal), Failure> {
        let variable_name = &self.token_env;
        let token = variable(variable_name).ok_or_else(|| {
            let what = format!("[mcp_tokens.{name}]: ${variable_name} is not set");
            Failure::message(what, "set it to the token, or remove the section")
        })?;
        if token.len() < TOKEN_BYTES_MIN {
            let what =
                format!("[mcp_tokens.{name}]: the token is shorter than {TOKEN_BYTES_MIN} bytes");
            return Err(Failure::message(what, "use a long random one"));
        }
        let client = self.client.clone().unwrap_or_else(|| name.to_owned());
        let tools = allowed(self.tools.as_ref());
        let approvals = match self.asks_a_person {
            true => Approvals::AtClient,
            false => Approvals::Elsewhere,
        };
        Ok((token, Principal { name: name.to_owned(), client, tools, approvals }))
    }
}

const TOKEN_BYTES_MIN: usize = 16;

fn allowed(tools: Option<&Vec<String>>) -> ToolFilter {
    tools.map_or(ToolFilter::All, |tools| ToolFilter::Only(tools.clone()))
}

/// Paths that no server may access: our store and logins, and common key folders.
fn private(project: &Path, variable: Environment<'_>) -> Vec<PathBuf> {
    const KEYS: [&str; 20] = [
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".config/gcloud",
        ".kube",
        ".docker",
        ".netrc",
        ".git-credentials",
        ".local/share/keyrings",
        ".local/share/uv/credentials",
        ".npmrc",
        ".yarnrc.yml",
        ".pypirc",
        ".cargo/credentials.toml",
        ".config/gh",
        ".config/git/credentials",
        ".config/rclone",
        ".password-store",
        ".pgpass",
    ];
    let home = variable("HOME").map(PathBuf::from);
    let keys = home.iter().flat_map(|home| KEYS.map(|key| home.join(key)));
    let ours = [Some(project.join(".ghosthand")), super::user_folder(variable)];
    keys.chain(ours.into_iter().flatten()).collect()
}

fn effect(word: EffectWord) -> Effect {
    match word {
        EffectWord::Reads => Effect::Reads,
        EffectWord::Writes => Effect::Writes,
    }
}

/// Expands variables: `Bearer $NAME`, `${NAME}`.
fn fill(text: &str, variable: Environment<'_>) -> Result<String, String> {
    let mut parts = text.split('$');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let braced = part.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            part.split_at(end.unwrap_or(part.len()))
        });
        let value = variable(name).ok_or_else(|| format!("${name} is not set"))?;
        filled.push_str(&value);
        filled.push_str(rest);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests;
