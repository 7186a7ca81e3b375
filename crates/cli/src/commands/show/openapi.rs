//! `ghosthand show openapi`: the tools as `ghosthand serve` describes them to programs.

use clap::Args;
use server::tools_document;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::left_out;
use crate::render::printer::Printer;
use crate::wiring::read_tools::read;
use crate::wiring::tools_dir::ToolsFlag;

/// Print the OpenAPI document of the tools, one operation each
///
/// The same is at `/api/call/openapi.json` of `ghosthand serve`.
#[derive(Args)]
pub(super) struct OpenapiArgs {
    #[command(flatten)]
    tools: ToolsFlag,
    /// Only these tools, with commas between; `kb_*` stands for all that begin so
    #[arg(long = "tools", value_name = "TOOLS")]
    only: Option<String>,
    /// Where the page of the server is
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7777/")]
    url: String,
}

impl OpenapiArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let registry = read(&self.tools.find(&config)?, &config)?.registry;
        left_out::say(registry.left_out());
        let registry = registry.with(crate::wiring::mcp_servers::imported(&config)?);
        let base = format!("{}/", self.url.trim_end_matches('/'));
        printer.json(&tools_document(&registry, self.only.as_deref(), &base))?;
        Ok(ExitStatus::Success)
    }
}
