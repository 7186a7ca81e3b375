//! `ghosthand cards remove`: deletes a run.

use cards::RunId;
use clap::Args;

use super::{CardsContext, failure};
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};

/// Remove a run with its text and its cards
///
/// Known words and reviews are kept.
#[derive(Args)]
pub(super) struct RemoveArgs {
    /// The run, as listed by `status`
    run: RunId,
}

impl RemoveArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(Some(&self.run)).await?;
        ctx.library.remove(&head.id).await.map_err(failure)?;
        let sentences = count(head.sentences, "sentence");
        printer.message(format!("removed {} ({sentences}, {})", head.id, head.document))?;
        Ok(ExitStatus::Success)
    }
}
