//! `ghosthand cards show`: the cards, or the text with its translation.

use cards::{ContextsMax, DeckCard, RunId, SentenceState, SentenceView};
use clap::Args;

use super::{CardsContext, failure};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan, dim};

/// Show the cards of a run, or its text sentence by sentence
#[derive(Args)]
pub(super) struct ShowArgs {
    /// The run [default: the newest]
    run: Option<RunId>,
    /// Show the text with its translation; words with cards are marked
    #[arg(long)]
    sentences: bool,
    /// Include hidden cards
    #[arg(long)]
    all: bool,
    /// Maximum sentences per card
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    contexts: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = ctx.run(self.run.as_ref()).await?;
        if self.sentences {
            let views = ctx.library.sentences(&head.id, &ctx.locale).await.map_err(failure)?;
            if self.json {
                printer.json(&views)?;
                return Ok(ExitStatus::Success);
            }
            for view in &views {
                say_sentence(view, printer)?;
            }
            return Ok(ExitStatus::Success);
        }
        let deck = ctx.library.deck(&head.id, ContextsMax(self.contexts)).await.map_err(failure)?;
        let cards: Vec<&DeckCard> =
            deck.cards.iter().filter(|card| self.all || card.is_visible()).collect();
        if self.json {
            printer.json(&cards)?;
            return Ok(ExitStatus::Success);
        }
        if cards.is_empty() {
            printer.message(format!("run {} has no cards to show", head.id))?;
        }
        for card in cards {
            say_card(card, printer)?;
        }
        Ok(ExitStatus::Success)
    }
}

fn say_card(card: &DeckCard, printer: &mut Printer) -> Result<(), Failure> {
    let hidden = match (card.known, card.card.visible) {
        (true, _) => "  (known)",
        (false, false) => "  (hidden)",
        (false, true) => "",
    };
    printer.data(format!(
        "{} – {}{hidden}  {}",
        bold(&card.card.base_form),
        card.card.meaning(),
        dim(&card.key)
    ))?;
    for doubt in &card.doubts {
        printer.data(format!("    check: {}", doubt.reason()))?;
    }
    for context in &card.card.contexts {
        printer.data(format!("    {}", cards::normalise(&context.text)))?;
        if !context.translation.is_empty() {
            printer.data(format!("    {}", dim(&context.translation)))?;
        }
    }
    Ok(())
}

fn say_sentence(view: &SentenceView, printer: &mut Printer) -> Result<(), Failure> {
    if view.gap.matches('\n').count() > 1 {
        printer.data("")?;
    }
    let piece = |segment: &cards::Segment| match &segment.mark {
        Some(_) => cyan(&segment.text),
        None => segment.text.clone(),
    };
    let text: String = view.segments.iter().map(piece).collect();
    printer.data(format!("{:>5}  {}", view.index, text.replace('\n', " ")))?;
    let below = match (&view.state, &view.translation) {
        (_, Some(translation)) => translation.clone(),
        (SentenceState::Pending | SentenceState::Retrying, None) => "not asked yet".to_owned(),
        (SentenceState::Invalid, None) => {
            let trouble = view.trouble.as_ref();
            trouble.map_or_else(String::new, |trouble| format!("hole: {}", trouble.banner.title))
        }
        (SentenceState::Received | SentenceState::Skipped, None) => return Ok(()),
    };
    printer.data(format!("       {}", dim(below)))?;
    Ok(())
}
