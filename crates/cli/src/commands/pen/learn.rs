//! `ghostpen learn`: suggests profile changes from the edits that you made by hand.

use clap::Args;
use pen::learn::difference;
use pen::posts::split;

use super::context::PenContext;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, cyan};

/// Suggest profile changes from your edits of saved posts
///
/// Compares each saved file with the original draft and counts repeated removals and additions. The
/// profile is not changed.
#[derive(Args)]
pub(super) struct LearnArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl LearnArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile("default")?;
        let mut learned = ctx.workspace().learned();
        for (file, text) in ctx.workspace().saved_drafts() {
            let now = std::fs::read_to_string(&file).unwrap_or_default();
            if !now.is_empty() {
                learned.add(&difference(&text, split(&now).1));
            }
        }
        let suggestions = learned.suggestions(&profile);
        if self.json {
            printer.json(&suggestions)?;
            return Ok(ExitStatus::Success);
        }
        if suggestions.is_empty() {
            printer.message(ctx.lang.say("learn.nothing"))?;
        }
        for one in suggestions {
            printer.data(format!("{} + «{}»  {}×", cyan(one.field), one.value, one.times))?;
        }
        Ok(ExitStatus::Success)
    }
}
