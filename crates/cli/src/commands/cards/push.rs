//! `ghosthand cards push`: adds cards to a running Anki, through the add-on AnkiConnect.

use cards::{AnkiOptions, ContextsMax, PushReport, Recall, RunId, sounds_of};
use clap::Args;

use super::anki_connect::anki_connect;
use super::export::recalls_of;
use super::{CardsContext, failure, speech};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count};

/// Add the cards of a run to a running Anki, and update those that changed
///
/// Needs the add-on AnkiConnect. A note keeps its id; a field that you changed in Anki stays as
/// it is.
#[derive(Args)]
pub(super) struct PushArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// The address of AnkiConnect [default: the setting cards.anki.url]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// What the notes ask for: the meaning, the word, the word in a gap [default: meaning]
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    recall: Vec<Recall>,
    /// With the sound of each word, from the speech server in the settings
    #[arg(long)]
    audio: bool,
    /// Maximum sentences per card
    #[arg(long, default_value_t = 3, value_name = "NUMBER")]
    contexts: usize,
}

impl PushArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(self.run.as_ref()).await?;
        let contexts_max = ContextsMax(self.contexts);
        let recalls = recalls_of(&self.recall);
        let mut options = AnkiOptions { contexts_max, recalls, ..AnkiOptions::usual() };
        if self.audio {
            let cards = ctx.library.deck(&head.id, contexts_max).await.map_err(failure)?.cards;
            options.sounds = sounds(ctx, &cards, printer).await?;
        }
        let url = self.url.as_deref().or_else(|| ctx.config.get("cards.anki.url"));
        let anki = anki_connect(url.unwrap_or_default())?;
        let report = ctx.library.push(&head.id, &options, &*anki).await.map_err(failure)?;
        let PushReport { added, updated, unchanged, kept_fields } = report;
        printer.data(format!("{added} added, {updated} updated, {unchanged} unchanged"))?;
        if kept_fields > 0 {
            let fields = count(kept_fields, "field");
            printer.message(format!("{fields} kept as you changed them in Anki"))?;
        }
        Ok(ExitStatus::Success)
    }
}

/// The sounds of the words; those that are missing are told.
pub(super) async fn sounds(
    ctx: &CardsContext,
    cards: &[cards::DeckCard],
    printer: &mut Printer,
) -> Result<cards::Sounds, Failure> {
    let Some(speaker) = speech::speaker(&ctx.config)? else {
        let fix = "set `url` below `[cards.speech]` in ghosthand.toml";
        return Err(Failure::message("no speech server is set up", fix));
    };
    let (sounds, fault) = sounds_of(cards, &speaker).await;
    if let Some(why) = fault {
        printer.message(format!("some words have no sound: {why}"))?;
    }
    Ok(sounds)
}
