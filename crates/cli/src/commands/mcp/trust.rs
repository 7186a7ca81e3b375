//! `ghosthand mcp trust`: accepts the hints of approved tools.

use clap::Args;
use files::write_atomically;
use mcp::client::MCP_LOCK_FILE;

use crate::exit::{CommandResult, ExitStatus, Failure, not_written};
use crate::render::printer::{Printer, count};
use crate::wiring::mcp_servers::{load_pins, pin_file};

use super::import::{agreed, print_tool};

/// Trust a server's hints about its tools
///
/// Until a tool is trusted, its claim to be read-only is ignored and its calls need approval. Trust
/// is recorded in mcp.lock and lasts until the definition changes.
#[derive(Args)]
pub(super) struct TrustArgs {
    /// The server's name in ghosthand.toml
    server: String,
    /// The tools, as the server names them
    #[arg(value_name = "TOOL", required = true)]
    tools: Vec<String>,
    /// Trust without prompting
    #[arg(long)]
    yes: bool,
}

impl TrustArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let Self { server, tools, yes } = self;
        let mut pins = load_pins()?;
        for name in &tools {
            let Some(tool) = pins.get(&server, name) else {
                let near = contract::nearest(name, pins.of(&server).map(|tool| tool.name.as_str()));
                let fix = near.map_or_else(
                    || format!("approve it first, with `ghosthand mcp import {server}`"),
                    |near| format!("did you mean `{near}`?"),
                );
                let what = format!("no tool `{name}` of `{server}` is approved");
                return Err(Failure::message(what, fix));
            };
            print_tool(tool, printer)?;
        }
        let many = count(tools.len(), "tool");
        if !yes && !agreed(&format!("trust the hints of {many} of `{server}`?"), printer)? {
            printer.message("nothing was changed")?;
            return Ok(ExitStatus::Faults);
        }
        for name in &tools {
            pins.trust(&server, name);
        }
        let path = pin_file();
        write_atomically(&path, &pins.bytes()?).map_err(|error| not_written(&path, error))?;
        printer.message(format!("{many} trusted → {MCP_LOCK_FILE}"))?;
        Ok(ExitStatus::Success)
    }
}
