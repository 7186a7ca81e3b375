//! `ghosthand cards retry`: goes on with a run, and fills its holes.

use cards::{CardKey, RetryScope, RunId};
use clap::Args;

use super::make::SendingArgs;
use super::{Room, said};
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};

/// Ask again about sentences without cards, or go on with a run
///
/// Without anything named, the holes are filled and what is left is sent. What is there
/// already stays as it is.
#[derive(Args)]
pub(super) struct RetryArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// Ask about this sentence, whatever it has; may be given several times
    #[arg(long, value_name = "NUMBER", conflicts_with = "card")]
    sentence: Vec<usize>,
    /// Ask again about the sentences of this card, as in `lv:word:māja`
    #[arg(long, value_name = "KEY")]
    card: Option<CardKey>,
    /// Give up on the sentences instead of asking
    #[arg(long, conflicts_with = "card")]
    skip: bool,
    /// Do not wait for a batch that may never have been sent; send anew
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    sending: SendingArgs,
}

impl RetryArgs {
    pub(super) async fn run(self, mut room: Room, printer: &mut Printer) -> CommandResult {
        let run = room.run(self.run.as_ref()).await?.id;
        let which = match self.sentence.is_empty() {
            true => RetryScope::Holes,
            false => RetryScope::These(self.sentence.clone()),
        };
        if self.skip {
            let skipped = room.library.skip(&run, &which).await.map_err(said)?;
            printer.say(format!("{} skipped", count(skipped, "sentence")))?;
            return Ok(ExitStatus::Success);
        }
        if self.again && room.library.forget_batch(&run).await.map_err(said)? {
            printer.say("the batch is not waited for")?;
        }
        self.sending.choose_model(&mut room);
        let by = room.answerer()?;
        match &self.card {
            Some(key) => room.library.regenerate(&run, key).await.map_err(said)?,
            None => room.library.retry(&run, &which).await.map_err(said)?,
        };
        let estimate = room
            .library
            .estimate(&run, by.model.facts(), self.sending.way())
            .await
            .map_err(said)?;
        if estimate.sentences == 0 {
            printer.say("there is nothing to ask again; every sentence has its cards")?;
            return Ok(ExitStatus::Success);
        }
        self.sending.work(&room, &run, &by, &estimate, printer).await
    }
}
