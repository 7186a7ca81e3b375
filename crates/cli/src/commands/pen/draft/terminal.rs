//! The terminal as the view of a session: drafts to stdout, everything else to stderr.

use std::process::Command;
use std::sync::Arc;

use pen::session::{SessionFault, Shown, View};

use super::super::context::{PenContext, has_person};
use super::super::preview::Preview;
use super::super::render;
use crate::exit::Failure;
use crate::render::printer::{Printer, bold, cyan, dim};
use crate::wiring::pen_tools::variable;

pub(super) struct Terminal<'a> {
    ctx: &'a PenContext,
    preview: Arc<Preview>,
    printer: &'a mut Printer,
}

impl<'a> Terminal<'a> {
    pub(super) fn new(
        ctx: &'a PenContext,
        preview: Arc<Preview>,
        printer: &'a mut Printer,
    ) -> Self {
        Self { ctx, preview, printer }
    }

    /// Prints a fault after which the session continues.
    pub(super) fn show_fault(&mut self, fault: &Failure) -> Result<(), Failure> {
        Ok(fault.print(self.printer)?)
    }
}

impl View for Terminal<'_> {
    type Fault = Failure;

    fn fault(&self, fault: SessionFault) -> Failure {
        self.ctx.session_fault(&fault)
    }

    fn show(&mut self, shown: &Shown) -> Result<(), Failure> {
        let printer = &mut *self.printer;
        match shown {
            Shown::Step { tool, result } => self.preview.step(tool, result),
            Shown::Message { text } => printer.message(text)?,
            Shown::Note { text } => printer.message(dim(text))?,
            Shown::Value { label, value } => printer.message(format!("{label} {}", cyan(value)))?,
            Shown::Text { text } => printer.data(text)?,
            Shown::Draft { text, .. } => {
                printer.message("")?;
                printer.data(text)?;
                printer.message("")?;
            }
            Shown::Findings { platform, length, length_max, report } => {
                printer.message(dim(format!("{platform} {length}/{length_max}")))?;
                render::findings(report, self.ctx.lang, printer)?;
            }
            Shown::NewFindings { title, violations } => {
                printer.message(bold(title))?;
                render::violations(violations, self.ctx.lang, printer)?;
            }
            Shown::Diff { changes } => render::changes(changes, printer)?,
            Shown::Proposal { why, field, changes } => {
                printer.message(format!("{} {why}", bold(self.ctx.lang.say("draft.profile"))))?;
                printer.message(format!("  {}", cyan(field)))?;
                render::changes(changes, printer)?;
            }
            Shown::Question { text } => printer.message(text)?,
            Shown::Invite { text } => {
                printer.message(format!("{} {}", bold("ghostpen"), dim(text)))?;
            }
        }
        Ok(())
    }
}

/// Opens the text in the author's editor; `None` if there is none.
pub(super) fn edit(text: &str) -> Result<Option<String>, Failure> {
    let editor = variable("VISUAL").or_else(|| variable("EDITOR"));
    let Some(editor) = editor.filter(|_| has_person()) else { return Ok(None) };
    let file = tempfile::Builder::new().prefix("ghostpen-").suffix(".md").tempfile()?;
    std::fs::write(file.path(), text)?;
    #[expect(clippy::disallowed_methods, reason = "runs the user's own editor")]
    let mut command = Command::new("sh");
    // The variable may hold arguments, as in `code --wait`.
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file.path());
    let status = command.status()?;
    let edited = std::fs::read_to_string(file.path())?;
    Ok(Some(if status.success() { edited } else { text.to_owned() }))
}
