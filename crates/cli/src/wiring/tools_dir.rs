//! Where the tools are: the argument or flag that names the directory, else the settings.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use files::write_atomically;
use registry::Registry;

use crate::config::{CONFIG_FILE, Config, project};
use crate::exit::Failure;
use crate::render::printer::{Printer, count, cyan};

/// The tools directory as a positional argument.
#[derive(Args)]
pub(crate) struct ToolsDir {
    /// The tools directory, a single tool's directory, or a project [default: tools]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The tools directory as a flag, for commands whose argument is something else.
#[derive(Args)]
pub(crate) struct ToolsFlag {
    /// The tools directory [default: tools]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ToolsDir {
    pub(crate) fn find(&self, config: &Config) -> Result<PathBuf, Failure> {
        tools_dir(self.dir.as_deref(), config)
    }

    /// The argument to repeat in a suggested command: empty, or a space and the path.
    pub(crate) fn argument(&self) -> String {
        self.dir.as_deref().map(|dir| format!(" {}", dir.display())).unwrap_or_default()
    }
}

impl ToolsFlag {
    pub(crate) fn find(&self, config: &Config) -> Result<PathBuf, Failure> {
        tools_dir(self.dir.as_deref(), config)
    }
}

/// The given path; if it is a project, that project's `tools.dir`; if absent, ours.
fn tools_dir(given: Option<&Path>, config: &Config) -> Result<PathBuf, Failure> {
    match given {
        Some(root) if root.join(CONFIG_FILE).is_file() && !root.join("schema.json").exists() => {
            Ok(Config::of_project(root)?.path("tools.dir").unwrap_or_default())
        }
        Some(path) => Ok(project::tools_in(path)),
        None => Ok(config.path("tools.dir").unwrap_or_default()),
    }
}

/// Commands that write beside the tools need the directory of all tools.
pub(crate) fn refuse_single_tool(dir: &Path, command: &str) -> Result<(), Failure> {
    match dir.join("schema.json").exists() {
        true => Err(Failure::message(
            format!("`{}` is a single tool", dir.display()),
            format!("give `ghosthand {command}` the directory that contains it"),
        )),
        false => Ok(()),
    }
}

/// Writes a file beside the tools atomically, and prints what it holds.
pub(crate) fn write_beside(
    dir: &Path,
    name: &str,
    bytes: &[u8],
    registry: &Registry,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let path = dir.join(name);
    write_atomically(&path, bytes)
        .with_context(|| format!("`{}` cannot be written", path.display()))?;
    let tools = count(registry.len(), "tool");
    printer.data(format!("{tools} {} → {}", cyan(registry.version()), path.display()))?;
    Ok(())
}
