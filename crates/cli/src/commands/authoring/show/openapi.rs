//! `ghosthand show openapi`: the OpenAPI document that `ghosthand serve` publishes.

use clap::Args;
use server::tools_document;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::left_out;
use crate::render::printer::Printer;
use crate::wiring::read_tools::read;
use crate::wiring::tools_dir::ToolsFlag;

/// Print the OpenAPI document of the tools
///
/// One operation per tool; `ghosthand serve` has it at `/api/call/openapi.json`.
#[derive(Args)]
pub(super) struct OpenapiArgs {
    #[command(flatten)]
    tools: ToolsFlag,
    /// Only these tools, separated by commas; `kb_*` matches a prefix
    #[arg(long = "tools", value_name = "TOOLS")]
    only: Option<String>,
    /// The address of the server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7777/")]
    url: String,
}

impl OpenapiArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let registry = read(&self.tools.find(&config)?, &config)?.registry;
        left_out::print(registry.excluded());
        let registry = registry.with(crate::wiring::mcp_servers::imported(&config)?);
        let base = format!("{}/", self.url.trim_end_matches('/'));
        printer.json(&tools_document(&registry, self.only.as_deref(), &base))?;
        Ok(ExitStatus::Success)
    }
}
