//! `ghosthand mcp call`: one approved tool of a server, called like any other tool.

use clap::Args;

use crate::commands::call;
use crate::exit::CommandResult;
use crate::render::printer::Printer;

/// Call an approved tool of a server: checked, judged, run and recorded
#[derive(Args)]
pub(super) struct ServerCallArgs {
    /// The server's name in the settings
    server: String,
    #[command(flatten)]
    call: call::CallArgs,
}

impl ServerCallArgs {
    pub(super) fn run(self, printer: &mut Printer) -> CommandResult {
        self.call.of_server(&self.server).run(printer)
    }
}
