//! `ghosthand cards known`: words that need no card.

use std::path::PathBuf;

use cards::Language;
use clap::{Args, Subcommand};

use super::{CardsContext, failure};
use crate::commands::emit::read_text;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, count};
use crate::wiring::open_store::StoreUse;

/// List, add or remove words that you know; their cards are hidden
#[derive(Args)]
pub(super) struct KnownArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// The language of the words
    #[arg(long, global = true, default_value = "lv", value_name = "CODE")]
    language: Language,
}

#[derive(Subcommand)]
enum What {
    /// Add words
    Add {
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// Add the words of a file, one per line
    Load {
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Remove words
    Remove {
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
}

const LIST_BYTES_MAX: usize = 4 << 20;

impl KnownArgs {
    /// The list of words is only read.
    pub(super) fn store_use(&self) -> StoreUse {
        match self.what {
            Some(What::Add { .. } | What::Load { .. }) => StoreUse::Write,
            Some(What::Remove { .. }) | None => StoreUse::Read,
        }
    }

    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let (library, language) = (&ctx.library, &self.language);
        let words = match self.what {
            None => {
                for word in library.known(language).await.map_err(failure)? {
                    printer.data(word)?;
                }
                return Ok(ExitStatus::Success);
            }
            Some(What::Remove { words }) => {
                let gone = library.unlearn(language, &words).await.map_err(failure)?;
                let missing = match words.len().saturating_sub(gone.len()) {
                    0 => String::new(),
                    missing => format!("; {missing} not in the list"),
                };
                printer.message(format!("{} removed{missing}", count(gone.len(), "word")))?;
                return Ok(ExitStatus::Success);
            }
            Some(What::Add { words }) => words,
            Some(What::Load { file }) => {
                read_text(&file, LIST_BYTES_MAX)?.lines().map(str::to_owned).collect()
            }
        };
        let new = library.learn(language, &words).await.map_err(failure)?;
        printer.message(format!("{} added", count(new, "word")))?;
        Ok(ExitStatus::Success)
    }
}
