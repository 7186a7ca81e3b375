//! The author at the terminal: drafts to stdout, messages to stderr, feedback from stdin.

use std::process::Command;
use std::sync::Arc;

use pen::lint::Report;
use pen::session::{Author, Edited, SessionFault};
use pen::{Platform, Profile};

use super::super::context::{PenContext, has_person};
use super::super::line_editor::Lines;
use super::super::preview::Preview;
use super::super::render;
use crate::exit::Failure;
use crate::render::printer::{Printer, bold, cyan, dim};
use crate::wiring::pen_tools::variable;

pub(super) struct TerminalAuthor<'a> {
    ctx: &'a PenContext,
    preview: Arc<Preview>,
    printer: &'a mut Printer,
    lines: Lines,
}

impl<'a> TerminalAuthor<'a> {
    pub(super) fn new(
        ctx: &'a PenContext,
        preview: Arc<Preview>,
        printer: &'a mut Printer,
    ) -> Result<Self, Failure> {
        Ok(Self { ctx, preview, printer, lines: Lines::open()? })
    }
}

impl Author for TerminalAuthor<'_> {
    type Fault = Failure;

    fn fault(&self, fault: SessionFault) -> Failure {
        match fault {
            SessionFault::BadName(bad) => self.ctx.bad_name(bad),
            SessionFault::Profile(fault) => self.ctx.unreadable(fault),
            SessionFault::Mix(fault) => Failure::user(fault, "correct the profiles it names"),
            SessionFault::Message { what, fix } => Failure::message(what, fix),
        }
    }

    fn show_fault(&mut self, fault: &Failure) -> Result<(), Failure> {
        Ok(fault.print(self.printer)?)
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.printer.data(text)?)
    }

    fn message(&mut self, message: &str) -> Result<(), Failure> {
        Ok(self.printer.message(message)?)
    }

    fn note(&mut self, message: &str) -> Result<(), Failure> {
        Ok(self.printer.message(dim(message))?)
    }

    fn value(&mut self, label: &str, value: &str) -> Result<(), Failure> {
        Ok(self.printer.message(format!("{label} {}", cyan(value)))?)
    }

    fn step(&mut self, tool: &str, result: &str) {
        self.preview.step(tool, result);
    }

    fn findings(
        &mut self,
        draft: &str,
        profile: &Profile,
        platform: Platform,
        report: &Report,
    ) -> Result<(), Failure> {
        self.printer.message(dim(render::length(profile, platform, draft)))?;
        Ok(render::findings(report, self.ctx.lang, self.printer)?)
    }

    fn proposal(&mut self, why: &str, field: &str, values: &[String; 2]) -> Result<(), Failure> {
        self.printer.message(format!("{} {why}", bold("profile")))?;
        self.printer.message(format!("  {}", cyan(field)))?;
        values.iter().try_for_each(|value| self.printer.message(format!("  {value}")))?;
        Ok(())
    }

    fn invite(&mut self, invitation: &str) -> Result<(), Failure> {
        Ok(self.printer.message(format!("{} {}", bold("ghostpen"), dim(invitation)))?)
    }

    fn read_line(&mut self) -> Result<Option<String>, Failure> {
        tokio::task::block_in_place(|| self.lines.read())
    }

    fn edit(&mut self, text: &str) -> Result<Edited, Failure> {
        let editor = variable("VISUAL").or_else(|| variable("EDITOR"));
        let Some(editor) = editor.filter(|_| has_person()) else { return Ok(Edited::NoEditor) };
        let file = tempfile::Builder::new().prefix("ghostpen-").suffix(".md").tempfile()?;
        std::fs::write(file.path(), text)?;
        #[expect(clippy::disallowed_methods, reason = "runs the user's own editor")]
        let mut command = Command::new("sh");
        // The variable may hold arguments, as in `code --wait`.
        command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file.path());
        let status = tokio::task::block_in_place(|| command.status())?;
        let edited = std::fs::read_to_string(file.path())?;
        Ok(match !status.success() || edited.trim().is_empty() {
            true => Edited::Unchanged,
            false => Edited::Text(edited),
        })
    }
}
