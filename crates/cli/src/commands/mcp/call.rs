//! `ghosthand mcp call`: calls an approved tool of a server.

use clap::Args;

use crate::commands::call;
use crate::exit::CommandResult;
use crate::render::printer::Printer;

/// Call an approved tool of a server as a model would
#[derive(Args)]
pub(super) struct ServerCallArgs {
    /// The server's name in ghosthand.toml
    server: String,
    #[command(flatten)]
    call: call::CallArgs,
}

impl ServerCallArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        self.call.of_server(&self.server).run(printer)
    }
}
