//! `ghosthand cards retry`: resumes a run and asks again about failed sentences.

use cards::{CardRef, RetryScope, RunId};
use clap::Args;

use super::make::SendingArgs;
use super::{CardsContext, failure};
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};

/// Retry sentences without cards, or resume a run
///
/// By default, failed sentences are asked about again and the rest is sent. Existing cards stay
/// as they are.
#[derive(Args)]
pub(super) struct RetryArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// Ask again about this sentence, even if it has cards; repeatable
    #[arg(long, value_name = "NUMBER", conflicts_with = "card")]
    sentence: Vec<usize>,
    /// Ask again about the sentences of this card, as in `lv:word:māja`
    #[arg(long, value_name = "KEY")]
    card: Option<CardRef>,
    /// Give up on the sentences instead of asking
    #[arg(long, conflicts_with = "card")]
    skip: bool,
    /// Stop waiting for a batch that may never have been sent; send it again
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    sending: SendingArgs,
}

impl RetryArgs {
    pub(super) async fn run(self, mut ctx: CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(self.run.as_ref()).await?;
        let run = head.id.clone();
        let which = match self.sentence.is_empty() {
            true => RetryScope::Holes,
            false => RetryScope::These(self.sentence.clone()),
        };
        if self.skip {
            let skipped = ctx.library.skip(&run, &which).await.map_err(failure)?;
            printer.message(format!("{} skipped", count(skipped, "sentence")))?;
            return Ok(ExitStatus::Success);
        }
        if self.again && ctx.library.forget_batch(&run).await.map_err(failure)? {
            printer.message("no longer waiting for the batch")?;
        }
        self.sending.choose_model(&mut ctx);
        let by = ctx.answerer()?;
        match &self.card {
            Some(card) => {
                let key = card.resolve(&head.pair());
                ctx.library.regenerate(&run, &key).await.map_err(failure)?
            }
            None => ctx.library.retry(&run, &which).await.map_err(failure)?,
        };
        let estimate = ctx
            .library
            .estimate(&run, by.model.facts(), self.sending.way())
            .await
            .map_err(failure)?;
        if estimate.sentences == 0 {
            printer.message("nothing to retry; every sentence has its cards")?;
            return Ok(ExitStatus::Success);
        }
        self.sending.work(&ctx, &run, &by, &estimate, printer).await
    }
}
