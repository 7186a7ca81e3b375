//! `ghosthand cards export`: writes cards for Anki and other programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use cards::{AnkiOptions, ContextsMax, ExportHead, Recall, Recalls, RunId, csv, json, jsonl};
use clap::Args;
use files::write_atomically;

use super::{CardsContext, failure, push};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count, cyan};

/// Write the cards of a run for Anki, spreadsheets or programs
///
/// A card keeps its id in every export: importing it into Anki again updates it.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("format").required(true))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct ExportArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// A package for Anki (.apkg)
    #[arg(long, group = "format")]
    anki: bool,
    /// A text file that Anki imports
    #[arg(long, group = "format")]
    txt: bool,
    /// One document; `ghosthand cards import` reads it
    #[arg(long, group = "format")]
    json: bool,
    /// One card per line
    #[arg(long, group = "format")]
    jsonl: bool,
    /// A table
    #[arg(long, group = "format")]
    csv: bool,
    /// The output file; `-` is standard output [default: named after the run]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What the notes of a package ask for: the meaning, the word, the word in a gap
    #[arg(long, value_delimiter = ',', value_name = "WHAT", requires = "anki")]
    recall: Vec<Recall>,
    /// With the sound of each word, from the speech server in the settings
    #[arg(long, requires = "anki")]
    audio: bool,
    /// Maximum sentences per card
    #[arg(long, default_value_t = 3, value_name = "NUMBER")]
    contexts: usize,
}

/// The meaning where nothing is named.
pub(super) fn recalls_of(named: &[Recall]) -> Recalls {
    match named {
        [] => Recalls::MEANING,
        named => Recalls::of(named),
    }
}

impl ExportArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(self.run.as_ref()).await?;
        let max = ContextsMax(self.contexts);
        let deck = ctx.library.deck(&head.id, max).await.map_err(failure)?;
        let (cards, pair) = (&deck.cards, head.pair());
        let visible = deck.visible().count();
        if visible == 0 {
            let what = format!("run {} has no cards to export", head.id);
            return Err(Failure::message(what, "`ghosthand cards status` shows its state"));
        }
        let (ending, bytes, written) = if self.anki {
            let mut options = AnkiOptions { contexts_max: max, ..AnkiOptions::usual() };
            options.recalls = recalls_of(&self.recall);
            if self.audio {
                options.sounds = push::sounds(ctx, cards, printer).await?;
            }
            let package = ctx.library.anki_package(&head.id, &options).await;
            ("apkg", package.map_err(failure)?, visible)
        } else if self.txt {
            let text = ctx.library.anki_text(&head.id, max).await.map_err(failure)?;
            ("txt", text.into_bytes(), visible)
        } else if self.jsonl {
            ("jsonl", jsonl(cards)?.into_bytes(), cards.len())
        } else if self.csv {
            ("csv", csv(cards)?, cards.len())
        } else {
            let above = ExportHead::new(&head.document, &pair, &ctx.locale, ctx.library.now());
            ("json", json(cards, &above)?.into_bytes(), cards.len())
        };
        let path = self.output.unwrap_or_else(|| PathBuf::from(format!("{}.{ending}", head.id)));
        if path == Path::new("-") {
            // Bypasses the printer, which strips colours: these may be any bytes.
            std::io::stdout().lock().write_all(&bytes)?;
            return Ok(ExitStatus::Success);
        }
        write_atomically(&path, &bytes)
            .with_context(|| format!("`{}` cannot be written", path.display()))
            .map_err(|error| Failure::user(error, "choose a path that you can write to"))?;
        printer.data(format!("{} → {}", count(written, "card"), cyan(path.display())))?;
        Ok(ExitStatus::Success)
    }
}
