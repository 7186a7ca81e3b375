//! `ghosthand mcp`: our tools for MCP clients, and the tools of other MCP servers here.

mod serve;

use clap::{Args, Subcommand};

use crate::exit::Outcome;
use crate::printer::Printer;

/// Offer the tools to an MCP client, or use the tools of other MCP servers
///
/// Without a subcommand it serves the tools on standard input and output, as MCP hosts
/// start it.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    serve: serve::ServeArgs,
}

#[derive(Subcommand)]
enum What {
    Serve(serve::ServeArgs),
}

impl McpArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        match self.what {
            None => self.serve.run(printer),
            Some(What::Serve(args)) => args.run(printer),
        }
    }
}
