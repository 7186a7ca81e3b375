//! `ghosthand cards edit`: edits a card, hides it, undoes an edit.

use cards::{CardChange, CardRef, ContextChange, RunId, RunInfo};
use clap::{ArgGroup, Args};

use super::{CardsContext, failure};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;

/// What can be done with a card; one of them is needed.
const EDITS: [&str; 7] = ["front", "translation", "context", "hide", "show", "restore", "undo"];

/// Edit or hide a card, or undo an edit
#[derive(Args)]
#[command(group = ArgGroup::new("edit").args(EDITS).required(true).multiple(true))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct EditArgs {
    /// The card, as in `lv:word:māja`; `ghosthand cards show` lists them
    #[arg(required_unless_present = "undo", value_name = "KEY")]
    card: Option<CardRef>,
    /// The run [default: the newest that has the card]
    #[arg(long)]
    run: Option<RunId>,
    /// The text on the front
    #[arg(long, value_name = "TEXT")]
    front: Option<String>,
    /// The translation
    #[arg(long, value_name = "TEXT")]
    translation: Option<String>,
    /// The translation of its sentence NUMBER, from 1
    #[arg(long, value_name = "NUMBER=TEXT", value_parser = numbered)]
    context: Vec<ContextChange>,
    /// Hide it everywhere
    #[arg(long, conflicts_with = "show")]
    hide: bool,
    /// Show it again
    #[arg(long)]
    show: bool,
    /// Restore the original card
    #[arg(long, conflicts_with_all = ["front", "translation", "context", "hide", "show"])]
    restore: bool,
    /// Undo the last edit of the run
    #[arg(long, conflicts_with = "card")]
    undo: bool,
}

fn numbered(text: &str) -> Result<ContextChange, String> {
    let (number, translation) = text.split_once('=').ok_or("write it as in `1=A house.`")?;
    let number: usize = number.trim().parse().map_err(|_| "the number comes before `=`")?;
    let at = number.checked_sub(1).ok_or("the first sentence has the number 1")?;
    Ok(ContextChange::new(at, translation))
}

impl EditArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let head = match (&self.run, &self.card) {
            (None, Some(card)) => newest_with(ctx, card).await?,
            (named, _) => ctx.run(named.as_ref()).await?,
        };
        let run = head.id.clone();
        let Some(card) = &self.card else {
            let undone = ctx.library.undo(&run).await.map_err(failure)?;
            printer.message(if undone { "undone" } else { "nothing to undo" })?;
            return Ok(ExitStatus::Success);
        };
        let key = &card.resolve(&head.pair());
        if self.restore {
            ctx.library.restore(&run, key).await.map_err(failure)?;
            printer.message(format!("restored `{key}`"))?;
            return Ok(ExitStatus::Success);
        }
        let visible = match (self.hide, self.show) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            (false, false) => None,
        };
        let change = CardChange {
            base_form: self.front,
            base_translation: self.translation,
            visible,
            contexts: self.context,
        };
        let before = ctx.library.card(&run, key).await.map_err(failure)?;
        let shown = before.card.contexts.len();
        if let Some(beyond) = change.contexts.iter().find(|context| context.at >= shown) {
            let what = format!("`{key}` has no sentence {}", beyond.at + 1);
            return Err(Failure::message(what, format!("it has {shown}")));
        }
        ctx.library.change(&run, key, change).await.map_err(failure)?;
        let after = ctx.library.card(&run, key).await.map_err(failure)?.card;
        let hidden = if after.visible { "" } else { "  (hidden)" };
        printer.data(format!("{} – {}{hidden}", after.base_form, after.meaning()))?;
        Ok(ExitStatus::Success)
    }
}

/// The newest run that has the card; without any, the newest, which then says that it has none.
async fn newest_with(ctx: &CardsContext, card: &CardRef) -> Result<RunInfo, Failure> {
    for head in ctx.library.runs().await.map_err(failure)? {
        let pair = head.pair();
        let fits = card.language == pair.from
            && card.target.as_ref().is_none_or(|target| *target == pair.to);
        if fits && ctx.library.card(&head.id, &card.resolve(&pair)).await.is_ok() {
            return Ok(head);
        }
    }
    ctx.run(None).await
}
