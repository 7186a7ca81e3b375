//! `ghosthand mcp inspect`: what a server has now, and how that differs from what was approved.

use clap::Args;
use mcp::import::{Line, Listing, keep_seen};

use super::import::{print_tool, unreachable_server};
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};
use crate::wiring::mcp_servers::{load_pins, resolve, seen_folder};
use crate::wiring::runtime::on_runtime;

/// Ask a server what it has, and say how that differs from what was approved
///
/// Ends with 1 if anything differs.
#[derive(Args)]
pub(super) struct InspectArgs {
    /// The server's name in the settings
    server: String,
    /// Write the definitions as JSON
    #[arg(long)]
    json: bool,
}

impl InspectArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let pins = load_pins()?;
        let neighbour = resolve(&config, &self.server)?;
        let line = Line::new(neighbour);
        let Listing { tools: now, left_out } = on_runtime(async {
            line.listing().await.map_err(|fault| unreachable_server(&self.server, fault))
        })?;
        keep_seen(&seen_folder(), &self.server, &now)?;
        if self.json {
            printer.json(&now)?;
        } else {
            for tool in &now {
                print_tool(tool, printer)?;
            }
        }
        for note in &left_out {
            printer.say(note)?;
        }
        let shifts = pins.shifts(&self.server, &now);
        for shift in &shifts {
            printer.say(format!("`{}` {}", shift.tool, shift.sentence))?;
        }
        let tools = count(now.len(), "tool");
        let differs = count(shifts.len(), "difference");
        printer.say(format!("{tools}, {differs} to what was approved"))?;
        Ok(if shifts.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
    }
}
