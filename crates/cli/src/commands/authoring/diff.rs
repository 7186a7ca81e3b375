//! `ghosthand diff`: the changes since the lock, in plain words.

use clap::Args;
use mcp::client::DefinitionChange;
use registry::{LOCK_FILE, Lock, count_changes, diff};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::left_out;
use crate::render::lock_drift;
use crate::render::printer::{Printer, bold, count};
use crate::wiring::mcp_servers::{held_back, load_pins};
use crate::wiring::read_tools::{lock_failure, read};
use crate::wiring::tools_dir::{ToolsDir, refuse_single_tool};

/// Show in plain words how the tools differ from tools.lock
///
/// `+` marks a change that widens what a tool may do or removes an approval; `!` marks one that
/// may refuse calls that used to work. Exits with 1 if anything differs.
#[derive(Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    tools: ToolsDir,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl DiffArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let dir = &self.tools.find(&config)?;
        refuse_single_tool(dir, "diff")?;
        let build = read(dir, &config)?;
        let left_out = build.registry.excluded();
        left_out::print(left_out);
        let path = dir.join(LOCK_FILE);
        let lock = Lock::load(&path).map_err(lock_failure)?.ok_or_else(|| {
            Failure::message(
                format!("there is no `{}`", path.display()),
                "create it with `ghosthand lock`",
            )
        })?;
        let mut changes = diff(&lock, &build.registry);
        // A tool with faults is left out, not removed; its changes are unknown until it is fixed.
        changes.retain(|change| left_out.iter().all(|one| one.name != change.tool));
        if self.json {
            printer.json(&changes)?;
        } else {
            lock_drift::lines(&changes).iter().try_for_each(|line| printer.data(line))?;
        }
        let shifts = if self.json { Vec::new() } else { shifts()? };
        for DefinitionChange { server, tool, sentence } in &shifts {
            printer.data(bold(format!("{server}.{tool}")))?;
            printer.data(format!("  ! {sentence}"))?;
        }
        if let Some(DefinitionChange { server, .. }) = shifts.first() {
            let number = count(shifts.len(), "change");
            let accept = format!("`ghosthand mcp import {server}` accepts them");
            printer.message(format!("{number} of MCP servers held back; {accept}"))?;
        }
        match count_changes(&changes) {
            0 if left_out.is_empty() => {
                printer.message(format!("every tool matches {}", path.display()))?;
            }
            0 => printer.message(format!("every other tool matches {}", path.display()))?,
            1 => printer.message("1 change; `ghosthand lock` accepts it")?,
            number => printer
                .message(format!("{}; `ghosthand lock` accepts them", count(number, "change")))?,
        }
        let same = changes.is_empty() && shifts.is_empty() && left_out.is_empty();
        Ok(if same { ExitStatus::Success } else { ExitStatus::Faults })
    }
}

/// Changes of MCP servers since their approval, as last seen.
fn shifts() -> Result<Vec<DefinitionChange>, Failure> {
    let pins = load_pins()?;
    Ok(pins.servers().flat_map(|server| held_back(&pins, server)).collect())
}
