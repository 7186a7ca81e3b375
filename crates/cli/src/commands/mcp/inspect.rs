//! `ghosthand mcp inspect`: the current tools of a server, compared to the approved ones.

use clap::Args;
use mcp::client::{Connection, Listing, save_seen};

use super::import::{print_tool, unreachable_server};
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};
use crate::wiring::mcp_servers::{load_pins, resolve, seen_folder};
use crate::wiring::runtime::on_runtime;

/// List the tools of a server, and how they differ from the approved ones
///
/// Exits with 1 if anything differs.
#[derive(Args)]
pub(super) struct InspectArgs {
    /// The server's name in ghosthand.toml
    server: String,
    /// Print the definitions as JSON
    #[arg(long)]
    json: bool,
}

impl InspectArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let pins = load_pins()?;
        let server_config = resolve(&config, &self.server)?;
        let line = Connection::new(server_config);
        let Listing { tools: now, left_out } = on_runtime(async {
            line.listing().await.map_err(|fault| unreachable_server(&self.server, fault))
        })?;
        save_seen(&seen_folder(), &self.server, &now)?;
        if self.json {
            printer.json(&now)?;
        } else {
            for tool in &now {
                print_tool(tool, printer)?;
            }
        }
        for note in &left_out {
            printer.message(note)?;
        }
        let shifts = pins.changes(&self.server, &now);
        for shift in &shifts {
            printer.message(format!("`{}` {}", shift.tool, shift.sentence))?;
        }
        let tools = count(now.len(), "tool");
        let differs = count(shifts.len(), "difference");
        printer.message(format!("{tools}, {differs} since approval"))?;
        Ok(if shifts.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
    }
}
