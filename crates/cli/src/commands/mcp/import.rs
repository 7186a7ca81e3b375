//! `ghosthand mcp import`: a person looks at a server's tools and approves them as they are.

use std::io::{BufRead, IsTerminal};

use clap::Args;
use mcp::import::{Adopted, Definition, Line, LineFault, Listing, PIN_FILE, adopt, keep_seen};
use registry::write_atomically;
use serde_json::Value;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_written};
use crate::render::printer::{Printer, bold, count, dim};
use crate::wiring::mcp_servers::{load_pins, pin_file, resolve, seen_folder};
use crate::wiring::runtime::on_runtime;

/// Approve the tools of a server as they are now
///
/// Shows what a model would read of each tool, asks, and writes mcp.lock. From then on the
/// tools are offered as SERVER.TOOL; a definition that changes is held back until it is
/// approved again.
#[derive(Args)]
pub(super) struct ImportArgs {
    /// The server's name in the settings
    server: String,
    /// Only these tools; without any, all that the settings allow
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,
    /// Approve without being asked; you have looked already
    #[arg(long)]
    yes: bool,
}

impl ImportArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let mut pins = load_pins()?;
        let neighbour = resolve(&config, &self.server)?;
        let line = Line::new(neighbour.clone());
        let Listing { tools: mut now, left_out } = on_runtime(async {
            line.listing().await.map_err(|fault| unreachable_server(&self.server, fault))
        })?;
        keep_seen(&seen_folder(), &self.server, &now)?;
        let there: Vec<_> = now.iter().map(|tool| tool.name.clone()).collect();
        if let Some(missing) = self.tools.iter().find(|tool| !there.contains(tool)) {
            let near = contract::nearest(missing, there.iter().map(String::as_str));
            let fix = near.map_or_else(
                || format!("`ghosthand mcp inspect {}` lists them", self.server),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Failure::message(format!("the server has no tool `{missing}`"), fix));
        }
        now.retain(|tool| neighbour.tools.allows(&tool.name));
        now.retain(|tool| self.tools.is_empty() || self.tools.contains(&tool.name));
        for tool in &now {
            print_tool(tool, printer)?;
        }
        let Adopted { tools, notes } = adopt(&neighbour, &now, &pins);
        for note in left_out.iter().chain(&notes) {
            printer.say(note)?;
        }
        let question = format!("approve {} as shown?", count(tools.len(), "tool"));
        if !self.yes && !agreed(&question, printer)? {
            printer.say("nothing was changed")?;
            return Ok(ExitStatus::Faults);
        }
        pins.pin(&self.server, now);
        let path = pin_file();
        write_atomically(&path, &pins.bytes()?).map_err(|error| not_written(&path, error))?;
        printer.say(format!("{} approved → {PIN_FILE}", count(tools.len(), "tool")))?;
        if let Some(tool) = tools.first() {
            let id = &tool.contract.tool_id;
            printer.say(format!("call one with `ghosthand call {id} JSON`"))?;
        }
        Ok(ExitStatus::Success)
    }
}

pub(super) fn agreed(question: &str, printer: &mut Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        printer.say("nobody is there to agree; look, then say `--yes`")?;
        return Ok(false);
    }
    printer.say(format!("{question} [y/N]"))?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// What a model would read of a tool, and what the tool says of itself.
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
    // Text of others may hold anything; nothing of it moves the cursor or hides.
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

pub(super) fn unreachable_server(name: &str, fault: LineFault) -> Failure {
    if fault.is_about_login() {
        let fault = anyhow::Error::new(fault).context(format!("the MCP server `{name}`"));
        return Failure::user(fault, "docs/mcp.md says more about servers that want a login");
    }
    let fix = if let LineFault::Unreachable { .. } = fault {
        format!("check that the server runs, and that `url` in [mcp.{name}] is its address")
    } else if let LineFault::NotUnderstood { .. } = fault {
        format!("check `url` in [mcp.{name}]: it is the server's own MCP endpoint, often `/mcp`")
    } else if let LineFault::NotInstalled(_) = fault {
        "install it, and do this again; then it starts without the network".to_owned()
    } else {
        "try its command by hand; one that needs files or the network must be given them with \
         `read`, `write`, `network = true` or `sandbox = \"off\"`"
            .to_owned()
    };
    let fault = anyhow::Error::new(fault).context(format!("the MCP server `{name}`"));
    Failure::user(fault, fix)
}
