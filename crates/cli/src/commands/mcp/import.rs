//! `ghosthand mcp import`: shows the tools of a server and records their approval.

use std::io::IsTerminal;

use clap::Args;
use files::write_atomically;
use mcp::client::{
    Connection, ConnectionFault, Definition, ImportedTools, Listing, MCP_LOCK_FILE, import_tools,
    save_seen,
};
use serde_json::Value;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_written};
use crate::render::printer::{Printer, bold, count, dim};
use crate::wiring::confirm::confirmed;
use crate::wiring::mcp_servers::{load_pins, pin_file, resolve, seen_folder};
use crate::wiring::runtime::on_runtime;

/// Approve the tools of a server
///
/// Shows each tool as the model sees it, asks, and writes mcp.lock. The tools are then offered as
/// SERVER.TOOL; a tool whose definition changes is held back until it is approved again.
#[derive(Args)]
pub(super) struct ImportArgs {
    /// The server's name in ghosthand.toml
    server: String,
    /// The tools to approve [default: all that the settings allow]
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,
    /// Approve without prompting
    #[arg(long)]
    yes: bool,
}

impl ImportArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let mut pins = load_pins()?;
        let server_config = resolve(&config, &self.server)?;
        let line = Connection::new(server_config.clone());
        let Listing { tools: mut now, left_out } = on_runtime(async {
            line.listing().await.map_err(|fault| unreachable_server(&self.server, fault))
        })?;
        save_seen(&seen_folder(), &self.server, &now)?;
        let there: Vec<_> = now.iter().map(|tool| tool.name.clone()).collect();
        if let Some(missing) = self.tools.iter().find(|tool| !there.contains(tool)) {
            let near = contract::nearest(missing, there.iter().map(String::as_str));
            let fix = near.map_or_else(
                || format!("`ghosthand mcp inspect {}` lists them", self.server),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Failure::message(format!("the server has no tool `{missing}`"), fix));
        }
        now.retain(|tool| server_config.tools.allows(&tool.name));
        now.retain(|tool| self.tools.is_empty() || self.tools.contains(&tool.name));
        for tool in &now {
            print_tool(tool, printer)?;
        }
        let ImportedTools { tools, notes } = import_tools(&server_config, &now, &pins);
        for note in left_out.iter().chain(&notes) {
            printer.message(note)?;
        }
        let question = format!("approve {} as shown?", count(tools.len(), "tool"));
        if !self.yes && !agreed(&question, printer)? {
            printer.message("nothing was changed")?;
            return Ok(ExitStatus::Faults);
        }
        pins.pin(&self.server, now);
        let path = pin_file();
        write_atomically(&path, &pins.bytes()?).map_err(|error| not_written(&path, error))?;
        printer.message(format!("{} approved → {MCP_LOCK_FILE}", count(tools.len(), "tool")))?;
        if let Some(tool) = tools.first() {
            let id = &tool.contract.tool_id;
            printer.message(format!("call one with `ghosthand call {id} JSON`"))?;
        }
        Ok(ExitStatus::Success)
    }
}

pub(super) fn agreed(question: &str, printer: &mut Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        printer.message("this needs a terminal; review the tools above, then pass `--yes`")?;
        return Ok(false);
    }
    confirmed(question, printer)
}

/// A tool as the model sees it, with its own hints.
pub(super) fn print_tool(tool: &Definition, printer: &mut Printer) -> std::io::Result<()> {
    let hints: Vec<_> = tool
        .annotations
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| **value == Value::Bool(true))
        .map(|(name, _)| name.trim_end_matches("Hint").to_owned())
        .collect();
    let hints =
        if hints.is_empty() { String::new() } else { format!("says: {}", hints.join(", ")) };
    // Text from a server may contain control characters; none may reach the terminal.
    let escaped = |text: &str| text.escape_debug().to_string().replace("\\n", "\n  ");
    let line = format!("{}  {}", bold(escaped(&tool.name)), dim(hints));
    printer.data(line.trim_end())?;
    printer.data(format!("  {}", escaped(tool.description.trim())))?;
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    for name in properties.into_iter().flatten().map(|(name, _)| name) {
        printer.data(format!("    {}", escaped(name)))?;
    }
    Ok(())
}

pub(super) fn unreachable_server(name: &str, fault: ConnectionFault) -> Failure {
    if fault.is_about_login() {
        let fault = anyhow::Error::new(fault).context(format!("the MCP server `{name}`"));
        return Failure::user(fault, "see docs/guide/mcp.md about servers that need a login");
    }
    let fix = if let ConnectionFault::Unreachable { .. } = fault {
        format!("check that the server is running, and the `url` in [mcp.{name}]")
    } else if let ConnectionFault::NotUnderstood { .. } = fault {
        format!("check `url` in [mcp.{name}]: it must be the server's MCP endpoint, often `/mcp`")
    } else if let ConnectionFault::NotInstalled(_) = fault {
        "install it and try again; it then starts without the network".to_owned()
    } else {
        "run its command by hand; access to files or the network must be granted with \
         `read`, `write`, `network = true` or, in your own settings file, `sandbox = \"off\"`"
            .to_owned()
    };
    let fault = anyhow::Error::new(fault).context(format!("the MCP server `{name}`"));
    Failure::user(fault, fix)
}
