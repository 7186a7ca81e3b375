//! `ghosthand mcp install`: registers this project in the configuration of an MCP host.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use files::write_atomically;
use serde_json::{Map, Value, json};

use crate::exit::{CommandResult, ExitStatus, Failure, make_folder_of};
use crate::render::printer::Printer;

/// Register the tools of this project in an MCP host
///
/// Prints the configuration to add; `--write` adds it and keeps the rest of the file. For hosts
/// without a writable configuration file, `--write` is refused.
#[derive(Args)]
pub(super) struct InstallArgs {
    /// The MCP host
    host: Host,
    /// The name of this project in the host
    #[arg(long, default_value = "ghosthand")]
    name: String,
    /// Offer three tools that find, describe and call the others
    #[arg(long)]
    facade: bool,
    /// Write to the host's configuration file
    #[arg(long)]
    write: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Host {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    Vscode,
    Windsurf,
    Goose,
    Codex,
    OpenWebui,
}

/// Where and how a host configures its servers.
enum Place {
    /// A JSON file, and the key above the servers.
    Json { path: PathBuf, key: &'static str },
    /// Another file: the text to append, and the text that must not be in it yet.
    End { path: PathBuf, text: String, taken: String },
    /// Instructions to print.
    Said(String),
}

impl InstallArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let program = std::env::current_exe()?.display().to_string();
        let project = std::env::current_dir()?.join(crate::config::project::root());
        let project = project.canonicalize().unwrap_or(project).display().to_string();
        let mut args = vec!["mcp".to_owned(), "--project".to_owned(), project];
        if self.facade {
            args.push("--facade".to_owned());
        }
        let place = self.place(&program, &args)?;
        let (path, key) = match place {
            Place::Json { path, key } => (path, key),
            Place::End { path, text, taken } if self.write => {
                append(&path, &text, &taken)?;
                printer.message(format!("wrote {}; restart the host", path.display()))?;
                return Ok(ExitStatus::Success);
            }
            Place::End { path, text, .. } => {
                printer.message(format!("add this to {}, or pass `--write`:", path.display()))?;
                printer.data(text)?;
                return Ok(ExitStatus::Success);
            }
            Place::Said(text) if self.write => {
                printer.data(text)?;
                let what = "this host has no configuration file that can be written";
                return Err(Failure::usage(what, "omit `--write` and follow the instructions"));
            }
            Place::Said(text) => {
                printer.data(text)?;
                return Ok(ExitStatus::Success);
            }
        };
        let mut server = json!({ "command": program, "args": args });
        if self.host == Host::Vscode {
            server["type"] = "stdio".into();
        }
        if !self.write {
            let whole = json!({ key: { self.name.as_str(): server } });
            printer.message(format!("add this to {}, or pass `--write`:", path.display()))?;
            printer.data(serde_json::to_string_pretty(&whole)?)?;
            return Ok(ExitStatus::Success);
        }
        write(&path, key, &self.name, server)?;
        printer.message(format!("wrote {}; restart the host", path.display()))?;
        Ok(ExitStatus::Success)
    }

    fn place(&self, program: &str, args: &[String]) -> Result<Place, Failure> {
        let json = |path: PathBuf, key: &'static str| Place::Json { path, key };
        let quoted: Vec<_> = args.iter().map(|arg| format!("{arg:?}")).collect();
        let (name, list) = (&self.name, quoted.join(", "));
        Ok(match self.host {
            Host::ClaudeDesktop => json(claude_desktop()?, "mcpServers"),
            Host::Cursor => json(home()?.join(".cursor/mcp.json"), "mcpServers"),
            Host::Windsurf => json(home()?.join(".codeium/windsurf/mcp_config.json"), "mcpServers"),
            Host::Vscode => json(PathBuf::from(".vscode/mcp.json"), "servers"),
            Host::ClaudeCode => {
                let args: Vec<_> = args.iter().map(|arg| shell(arg)).collect();
                let line =
                    format!("claude mcp add {name} -- {} {}", shell(program), args.join(" "));
                Place::Said(line)
            }
            Host::Codex => Place::End {
                path: home()?.join(".codex/config.toml"),
                text: format!("[mcp_servers.{name}]\ncommand = {program:?}\nargs = [{list}]"),
                taken: format!("[mcp_servers.{name}]"),
            },
            // A YAML key must be unique, so a person has to merge it.
            Host::Goose => Place::Said(format!(
                "# ~/.config/goose/config.yaml\nextensions:\n  {name}:\n    type: stdio\n    \
                 enabled: true\n    name: {name}\n    cmd: {program:?}\n    args: [{list}]\n    \
                 timeout: 300"
            )),
            Host::OpenWebui => Place::Said(
                "Start `ghosthand serve` here.\nIn Open WebUI: Admin Settings, External Tools, \
                 add: type MCP (Streamable HTTP), URL http://127.0.0.1:7777/mcp"
                    .to_owned(),
            ),
        })
    }
}

/// Sets one server in a JSON file; the rest of the file stays.
fn write(path: &Path, key: &str, name: &str, server: Value) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "{}".to_owned(),
        Err(error) => return Err(anyhow::Error::new(error).context(shown).into()),
    };
    let text = if text.trim().is_empty() { "{}" } else { text.as_str() };
    let read = serde_json::from_str::<Map<String, Value>>(text);
    let mut settings = read.map_err(|error| {
        let what = format!("`{shown}` is not a plain JSON object: {error}");
        Failure::message(what, "omit `--write` and add it by hand")
    })?;
    let servers = settings.entry(key).or_insert_with(|| json!({}));
    let Some(servers) = servers.as_object_mut() else {
        let what = format!("`{key}` in `{shown}` must be an object");
        return Err(Failure::message(what, "add it by hand"));
    };
    servers.insert(name.to_owned(), server);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| shown.clone())?;
    }
    let mut bytes = serde_json::to_vec_pretty(&settings)?;
    bytes.push(b'\n');
    write_atomically(path, &bytes).with_context(|| format!("`{shown}` cannot be written"))?;
    Ok(())
}

/// Appends a text to a file, once.
fn append(path: &Path, text: &str, taken: &str) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let before = match std::fs::read_to_string(path) {
        Ok(before) => before,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(anyhow::Error::new(error).context(shown).into()),
    };
    if before.lines().any(|line| line.trim() == taken) {
        let what = format!("`{shown}` already has `{taken}`");
        return Err(Failure::message(what, "change it there, or give --name another name"));
    }
    make_folder_of(path)?;
    let gap = if before.trim().is_empty() { "" } else { "\n" };
    let whole = format!("{}{gap}{text}\n", with_line_end(before));
    write_atomically(path, whole.as_bytes())
        .with_context(|| format!("`{shown}` cannot be written"))?;
    Ok(())
}

fn with_line_end(text: String) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text,
        false => text + "\n",
    }
}

fn claude_desktop() -> Result<PathBuf, Failure> {
    let file = "Claude/claude_desktop_config.json";
    Ok(match std::env::consts::OS {
        "macos" => home()?.join("Library/Application Support").join(file),
        _ => home()?.join(".config").join(file),
    })
}

fn home() -> Result<PathBuf, Failure> {
    #[expect(clippy::disallowed_methods, reason = "this is the edge where the environment is read")]
    let home = std::env::var("HOME").ok().filter(|home| !home.is_empty());
    home.map(PathBuf::from).ok_or_else(|| Failure::message("$HOME is not set", "set it"))
}

/// A word quoted for a shell.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':');
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
