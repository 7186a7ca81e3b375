//! `ghosthand mcp list`: the configured servers and their approved tools.

use clap::Args;
use mcp::client::{Endpoint, Grant, ImportedTools, LoginState, import_tools};
use serde_json::json;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, bold, count, cyan};
use crate::wiring::mcp_servers::{held_back, load_pins, resolve};
use crate::wiring::runtime::on_runtime;

/// List the configured MCP servers and their approved tools
#[derive(Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ListArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let pins = load_pins()?;
        let mut whole = Vec::new();
        for name in config.mcp_servers.keys() {
            let server_config = resolve(&config, name)?;
            let ImportedTools { tools, notes } = import_tools(&server_config, pins.of(name), &pins);
            let held = held_back(&pins, name);
            let needs_login = match &server_config.endpoint {
                Endpoint::Http { oauth: Some(oauth), .. } if oauth.grant == Grant::Person => {
                    on_runtime(async { Ok(oauth.store.state().await) })? == LoginState::Needed
                }
                Endpoint::Http { .. } | Endpoint::Program(_) => false,
            };
            if self.json {
                let ids: Vec<_> = tools.iter().map(|tool| &tool.contract.tool_id).collect();
                let place = server_config.place();
                whole.push(json!({
                    "server": name, "place": place, "tools": ids, "held": held,
                    "needsLogin": needs_login,
                }));
                continue;
            }
            printer.data(format!("{}  {}", bold(name), server_config.place()))?;
            for tool in &tools {
                let contract = &tool.contract;
                let asks = if contract.requires_confirmation { "asks first" } else { "" };
                let effects = contract.side_effects;
                let line = format!("  {}  {effects}  {asks}", cyan(&contract.tool_id));
                printer.data(line.trim_end())?;
            }
            for note in notes {
                printer.message(format!("{name}: {note}"))?;
            }
            if needs_login {
                printer.message(format!("  needs login: run `ghosthand mcp login {name}`"))?;
            }
            if tools.is_empty() {
                printer.message(format!(
                    "  nothing approved yet: run `ghosthand mcp import {name}`"
                ))?;
            }
            if !held.is_empty() {
                let changes = count(held.len(), "change");
                printer.message(format!("  {changes} held back; `ghosthand diff` shows them"))?;
            }
        }
        if self.json {
            printer.json(&whole)?;
        } else if config.mcp_servers.is_empty() {
            printer.message("no MCP server is configured; add `[mcp.NAME]` to ghosthand.toml")?;
        }
        Ok(ExitStatus::Success)
    }
}
