//! `ghosthand show cost`: the tokens that each tool definition takes in every request.

use clap::Args;
use dialect::compile;
use registry::Registry;
use serde::Serialize;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::left_out;
use crate::render::printer::{Printer, count, cyan};
use crate::wiring::read_tools::read;
use crate::wiring::schema_args::find;
use crate::wiring::tools_dir::ToolsFlag;

/// Estimate the tokens of each tool definition, largest first
///
/// Definitions are sent with every request. Tools of MCP servers are included. Providers count
/// differently, so this is an estimate.
#[derive(Args)]
pub(super) struct CostArgs {
    #[command(flatten)]
    tools: ToolsFlag,
    /// The provider target
    #[arg(long = "for", value_name = "TARGET", default_value = "anthropic")]
    target: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Cost {
    tool: String,
    tokens: usize,
    bytes: usize,
}

/// Bytes per token, in tenths: prose has more, JSON fewer.
const TENTHS_PER_TOKEN: usize = 35;

impl CostArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let registry = read(&self.tools.find(&config)?, &config)?.registry;
        left_out::print(registry.excluded());
        let registry = registry.with(crate::wiring::mcp_servers::imported(&config)?);
        let costs = self.costs(&registry)?;
        if self.json {
            printer.json(&costs)?;
            return Ok(ExitStatus::Success);
        }
        for Cost { tool, tokens, bytes } in &costs {
            printer.data(format!("{tokens:>7}  {bytes:>8} bytes  {}", cyan(tool)))?;
        }
        let total: usize = costs.iter().map(|cost| cost.tokens).sum();
        printer
            .data(format!("{total:>7}  in every request, for {}", count(costs.len(), "tool")))?;
        let facade = tokens(mcp::server::facade_bytes());
        if total > facade {
            printer.message(format!("`ghosthand mcp --facade` offers them for about {facade}"))?;
        }
        Ok(ExitStatus::Success)
    }

    fn costs(&self, registry: &Registry) -> Result<Vec<Cost>, crate::exit::Failure> {
        let set = compile(&registry.sources(), find(&self.target)?);
        let cost = |tool: &dialect::CompiledTool| {
            let bytes = tool.wire.to_string().len();
            Cost { tool: tool.name.clone(), tokens: tokens(bytes), bytes }
        };
        let mut costs: Vec<_> = set.tools.iter().map(cost).collect();
        costs.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.tool.cmp(&b.tool)));
        Ok(costs)
    }
}

fn tokens(bytes: usize) -> usize {
    (bytes * 10).div_ceil(TENTHS_PER_TOKEN)
}
