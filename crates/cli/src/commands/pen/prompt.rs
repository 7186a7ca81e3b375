//! `ghostpen prompt`: the prompt of a session as one text, to paste into any chat.

use std::path::{Path, PathBuf};

use clap::Args;
use pen::lint::{LintContext, cleaned, lint};
use pen::posts::split;
use pen::prompt::repair;
use pen::request::Request;
use pen::session::{Paste, Shown};
use serde_json::json;

use super::context::PenContext;
use super::draft::StyleArgs;
use super::lint::not_to_copy;
use super::render;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, dim};

/// Write a prompt to paste into any chat, without a key
///
/// Prints everything that a session would send for a first draft: the rules, the profile, its
/// examples, the platform's limits, what you wrote about this before, and the topic. With
/// `--draft`, checks the answer of a chat and prints the prompt that corrects it.
#[derive(Args)]
pub(super) struct PromptArgs {
    /// What to write about: "напиши пост про вигорання для LinkedIn"
    #[arg(value_name = "TOPIC", required_unless_present = "draft")]
    topic: Vec<String>,
    #[command(flatten)]
    style: StyleArgs,
    /// A file with notes to write from; `-` is standard input
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
    /// A file with the answer of a chat, to check and correct; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "notes")]
    draft: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const TEXT_BYTES_MAX: usize = 1 << 20;

impl PromptArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let notes = match &self.notes {
            Some(file) => Some(ctx.text_of(file, TEXT_BYTES_MAX)?),
            None => None,
        };
        let source = self.style.profile();
        let request = Request::parse(&self.topic.join(" "));
        let known = (&ctx.pen, ctx.lang);
        let made = Paste::of(&request, &source, self.style.platform, notes.as_deref(), known);
        let made = made.map_err(|fault| ctx.session_fault(&fault))?;
        match &self.draft {
            Some(file) => self.correct(ctx, &made, file, printer),
            None => self.first(ctx, &made, printer),
        }
    }

    fn first(&self, ctx: &PenContext, made: &Paste, printer: &mut Printer) -> CommandResult {
        if self.json {
            let Paste { prompt, platform, profile_used, .. } = made;
            let made = json!({ "prompt": prompt, "platform": platform,
                               "profile_used": profile_used });
            printer.json(&made)?;
            return Ok(ExitStatus::Success);
        }
        show(made, printer)?;
        printer.data(made.prompt.trim_end())?;
        let values: [(&str, &dyn std::fmt::Display); 1] = [("platform", &made.platform)];
        printer.message(dim(ctx.lang.fill("prompt.next", &values)))?;
        Ok(ExitStatus::Success)
    }

    /// Checks an answer: its findings, and a prompt that names them. Exits with 1 as `lint` does.
    fn correct(
        &self,
        ctx: &PenContext,
        made: &Paste,
        file: &Path,
        printer: &mut Printer,
    ) -> CommandResult {
        let text = ctx.text_of(file, TEXT_BYTES_MAX)?;
        let draft = cleaned(split(&text).1);
        let past = not_to_copy(ctx, &made.profile, &draft, file);
        let past: Vec<&str> = past.iter().map(String::as_str).collect();
        let (profile, platform, lang) = (&made.profile, made.platform, ctx.lang);
        let against = LintContext { profile, platform, past: &past, given: None, lang };
        let report = lint(&draft, &against);
        let prompt = report.has_errors().then(|| repair(&draft, &report));
        if self.json {
            printer.json(&json!({ "prompt": prompt, "platform": platform, "report": report }))?;
        } else {
            printer.message(dim(render::length(profile, platform, &draft)))?;
            render::findings(&report, lang, printer)?;
            match &prompt {
                Some(prompt) => printer.data(prompt)?,
                None => printer.message(lang.say("prompt.nothing_to_correct"))?,
            }
        }
        Ok(if prompt.is_some() { ExitStatus::Faults } else { ExitStatus::Success })
    }
}

/// What the choice of the platform needs to be told.
fn show(made: &Paste, printer: &mut Printer) -> Result<(), Failure> {
    for notice in &made.notices {
        if let Shown::Message { text } | Shown::Note { text } = notice {
            printer.message(dim(text))?;
        }
    }
    Ok(())
}
