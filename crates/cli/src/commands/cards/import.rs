//! `ghosthand cards import`: reads cards from a file.

use std::path::PathBuf;

use cards::{CardKey, IMPORT_BYTES_MAX, ImportPreview, RunId, Strategy, read_cards};
use clap::Args;

use super::{CardsContext, PairArgs, failure};
use crate::commands::emit::read_text;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count, cyan, dim};

/// Import cards from a file into a run, or into a new one
///
/// Reads Ghosthand's exports, model answers and batch results, as documents or JSON Lines. With
/// --preview nothing is written.
#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The run to import into [default: a new one]
    #[arg(long, value_name = "RUN")]
    into: Option<RunId>,
    /// Which card wins if both sides have it: replace-all, merge-keep-local or
    /// merge-prefer-imported
    #[arg(long, default_value = "merge-keep-local", value_name = "HOW")]
    strategy: Strategy,
    /// Show what would change, without writing
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    pair: PairArgs,
}

/// Cards that a preview names per kind.
const NAMED_MAX: usize = 10;

impl ImportArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let content = read_text(&self.file, IMPORT_BYTES_MAX)?;
        let (pair, run) = match &self.into {
            Some(run) => {
                let head = ctx.run(Some(run)).await?;
                (head.pair(), Some(head.id))
            }
            None => (self.pair.pair()?, None),
        };
        let cards = read_cards(&content, &pair).map_err(failure)?;
        let run = match run {
            Some(run) => run,
            None if self.preview => {
                printer.data(format!("{} for a new run", count(cards.len(), "card")))?;
                return Ok(ExitStatus::Success);
            }
            None => {
                let name = self.file.file_name().map(|name| name.to_string_lossy().into_owned());
                let name = name.unwrap_or_else(|| "import".to_owned());
                let head = ctx.library.begin_imported(&name, &pair, content.as_bytes()).await;
                head.map_err(failure)?.id
            }
        };
        let preview =
            ctx.library.preview_import(&run, &cards, self.strategy).await.map_err(failure)?;
        say(&preview, printer)?;
        if !self.preview {
            ctx.library.import(&run, &cards, self.strategy).await.map_err(failure)?;
            printer.message(format!("run {}; `cards edit --undo` undoes it", cyan(&run)))?;
        }
        Ok(ExitStatus::Success)
    }
}

fn say(preview: &ImportPreview, printer: &mut Printer) -> Result<(), Failure> {
    let ImportPreview { added, changed, removed, kept } = preview;
    for (sign, word, keys) in
        [('+', "new", added), ('~', "changed", changed), ('-', "removed", removed)]
    {
        if !keys.is_empty() {
            printer.data(format!("{sign} {} {word}  {}", keys.len(), dim(named(keys))))?;
        }
    }
    printer.data(format!("= {} unchanged", count(*kept, "card")))?;
    Ok(())
}

fn named(keys: &[CardKey]) -> String {
    let mut names: Vec<_> = keys.iter().take(NAMED_MAX).map(|key| key.base().to_owned()).collect();
    if keys.len() > NAMED_MAX {
        names.push("…".to_owned());
    }
    names.join(", ")
}
