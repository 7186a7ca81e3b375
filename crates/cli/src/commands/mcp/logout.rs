//! `ghosthand mcp logout`: forgets the tokens of a server.

use clap::Args;
use mcp::import::Reach;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::mcp_servers::resolve;
use crate::wiring::runtime::on_runtime;

/// Forget the login to a server
///
/// The tokens are removed here. What the server has noted stays there until you take it
/// back in its own settings.
#[derive(Args)]
pub(super) struct LogoutArgs {
    /// The server's name in the settings
    server: String,
}

impl LogoutArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        let neighbour = resolve(&Config::load()?, &self.server)?;
        let Reach::Address { oauth: Some(oauth), .. } = neighbour.reach else {
            let what = format!("the MCP server `{}` has no login", self.server);
            return Err(Failure::message(what, "only those with `auth` in the settings do"));
        };
        let was_there = on_runtime(async { Ok(oauth.file.log_out().await?) })?;
        let said = if was_there { "forgotten" } else { "there was no login" };
        printer.say(format!("{}: {said}", self.server))?;
        Ok(ExitStatus::Success)
    }
}
