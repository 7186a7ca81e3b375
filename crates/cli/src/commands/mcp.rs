//! `ghosthand mcp`: serves our tools to MCP clients, and imports tools of other MCP servers.

mod call;
mod import;
mod inspect;
mod install;
mod list;
mod login;
mod logout;
mod serve;
mod trust;

pub(super) use serve::not_opened;

use clap::{Args, Subcommand};

use crate::exit::CommandResult;
use crate::render::printer::Printer;

/// Serve the tools over MCP, or use the tools of other MCP servers
///
/// Without a subcommand, serves the tools on standard input and output.
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
    List(list::ListArgs),
    Inspect(inspect::InspectArgs),
    Import(import::ImportArgs),
    Trust(trust::TrustArgs),
    Call(call::ServerCallArgs),
    Login(login::LoginArgs),
    Logout(logout::LogoutArgs),
    Install(install::InstallArgs),
}

impl McpArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match self.what {
            None => self.serve.run(printer),
            Some(What::Serve(args)) => args.run(printer),
            Some(What::List(args)) => args.run(printer),
            Some(What::Inspect(args)) => args.run(printer),
            Some(What::Import(args)) => args.run(printer),
            Some(What::Trust(args)) => args.run(printer),
            Some(What::Call(args)) => args.run(printer),
            Some(What::Login(args)) => args.run(printer),
            Some(What::Logout(args)) => args.run(printer),
            Some(What::Install(args)) => args.run(printer),
        }
    }
}
