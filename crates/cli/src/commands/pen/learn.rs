//! `ghostpen learn`: suggests profile changes from the edits that you made by hand.

use clap::Args;
use pen::learn::difference;
use pen::posts::split;

use super::context::PenContext;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, cyan};

/// Learn from what you changed by hand in saved posts
///
/// Compares each saved file with the draft that was saved, counts what went and came, and
/// prints suggestions for the profile. Nothing in the profile is changed.
#[derive(Args)]
pub(super) struct LearnArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl LearnArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile("default")?;
        let mut learned = ctx.shelf().learned();
        for (file, text) in ctx.shelf().saved_drafts() {
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
            printer.say(ctx.text("поки нічого не повторюється", "nothing comes back yet"))?;
        }
        for one in suggestions {
            printer.data(format!("{} + «{}»  {}×", cyan(one.field), one.value, one.times))?;
        }
        Ok(ExitStatus::Success)
    }
}
