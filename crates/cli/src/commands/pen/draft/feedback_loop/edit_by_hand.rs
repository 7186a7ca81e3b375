//! Changes by hand: the person's own editor, and what is learned from the difference.

use std::process::Command;

use pen::learn::{Suggestion, difference};

use super::super::super::context::has_person;
use super::Rounds;
use crate::exit::Failure;
use crate::render::printer::{Printer, dim};
use crate::wiring::pen_tools::variable;

const SUGGESTIONS_MAX: usize = 3;

impl Rounds<'_> {
    /// Opens the draft in the person's editor.
    pub(crate) async fn edit_by_hand(&mut self, printer: &mut Printer) -> Result<(), Failure> {
        let editor = variable("VISUAL").or_else(|| variable("EDITOR"));
        let Some(editor) = editor.filter(|_| has_person()) else {
            printer.message(
                self.ctx.text("немає редактора: задайте EDITOR", "there is no editor: set EDITOR"),
            )?;
            return Ok(());
        };
        let file = tempfile::Builder::new().prefix("ghostpen-").suffix(".md").tempfile()?;
        std::fs::write(file.path(), &self.draft)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the person's own program, at their terminal"
        )]
        let mut command = Command::new("sh");
        // The variable may hold arguments, as in `code --wait`.
        command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file.path());
        let status = tokio::task::block_in_place(|| command.status())?;
        let text = std::fs::read_to_string(file.path())?;
        if !status.success() || text.trim().is_empty() {
            printer.message(self.ctx.text("текст лишився як був", "the text stays as it was"))?;
            return Ok(());
        }
        // What the model wrote last stays known, so that the difference is the person's.
        let written = self.shown.clone();
        text.trim_end().clone_into(&mut self.draft);
        let report = self.lint();
        self.show(&report, printer).await?;
        self.shown = written;
        Ok(())
    }

    /// Counts what was changed by hand; what comes back is suggested, never done.
    pub(crate) fn learn(&self, printer: &mut Printer) -> Result<(), Failure> {
        let change = difference(&self.shown, &self.draft);
        if change.removed.is_empty() && change.added.is_empty() {
            return Ok(());
        }
        let learned = match self.ctx.shelf().learn(&change) {
            Ok(learned) => learned,
            Err(fault) => {
                tracing::warn!(%fault, "the changes by hand are not kept");
                return Ok(());
            }
        };
        let profile = self.ctx.profile(self.grounded.personal())?;
        let suggestions = learned.suggestions(&profile);
        for Suggestion { field, value, times } in suggestions.iter().take(SUGGESTIONS_MAX) {
            let said =
                self.ctx.text("ви міняли це руками, разів", "you changed this by hand, times");
            printer.message(dim(format!("{said} {times}: {field} + «{value}»")))?;
        }
        Ok(())
    }
}
