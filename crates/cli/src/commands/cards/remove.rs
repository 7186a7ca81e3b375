//! `ghosthand cards remove`: a run that nobody needs any more.

use cards::RunId;
use clap::Args;

use super::{Room, said};
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};

/// Remove a run with its text and its cards
///
/// What you know and what you have reviewed stays.
#[derive(Args)]
pub(super) struct RemoveArgs {
    /// The run, as `status` names it
    run: RunId,
}

impl RemoveArgs {
    pub(super) async fn run(self, room: &Room, printer: &mut Printer) -> CommandResult {
        let head = room.run(Some(&self.run)).await?;
        room.library.remove(&head.id).await.map_err(said)?;
        let sentences = count(head.sentences, "sentence");
        printer.say(format!("removed {} ({sentences}, {})", head.id, head.document))?;
        Ok(ExitStatus::Success)
    }
}
