//! `ghosthand completions`: completion scripts for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;

/// Print a completion script for a shell
///
/// For bash: `ghosthand completions bash > ~/.local/share/bash-completion/completions/ghosthand`
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut crate::Program::command(),
            "ghosthand",
            &mut script,
        );
        printer.out().write_all(&script)?;
        Ok(ExitStatus::Success)
    }
}
