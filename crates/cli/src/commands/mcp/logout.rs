//! `ghosthand mcp logout`: removes the tokens of a server.

use clap::Args;
use mcp::client::Endpoint;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::mcp_servers::resolve;
use crate::wiring::runtime::on_runtime;

/// Log out of a server
///
/// Removes the local tokens. To revoke the authorization, use the settings of the server.
#[derive(Args)]
pub(super) struct LogoutArgs {
    /// The server's name in ghosthand.toml
    server: String,
}

impl LogoutArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let server_config = resolve(&Config::load()?, &self.server)?;
        let Endpoint::Http { oauth: Some(oauth), .. } = server_config.endpoint else {
            let what = format!("the MCP server `{}` needs no login", self.server);
            return Err(Failure::message(what, "only servers with `auth` in ghosthand.toml do"));
        };
        let was_there = on_runtime(async { Ok(oauth.store.log_out().await?) })?;
        let message = if was_there { "logged out" } else { "was not logged in" };
        printer.message(format!("{}: {message}", self.server))?;
        Ok(ExitStatus::Success)
    }
}
