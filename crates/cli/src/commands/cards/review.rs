//! `ghosthand cards review`: reviews the cards that are due.
//!
//! Works line by line, at a terminal and in a pipe.

use std::io::{BufRead, Write};
use std::time::Duration;

use cards::{DueCard, Learning, Rating, ReviewPlan, ReviewQueue, RunId};
use clap::Args;

use super::{CardsContext, failure, span};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, count, dim};

/// Review the cards that are due
///
/// Think of the meaning, press Enter, rate how well you knew it. Each rating is saved at once;
/// quit at any time.
#[derive(Args)]
pub(super) struct ReviewArgs {
    /// Only the cards of this run
    run: Option<RunId>,
    /// Maximum new cards per day
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    new: usize,
    /// Only print how many cards are due
    #[arg(long)]
    count: bool,
}

/// A card that was not known is repeated in the same session.
const LEARN_AHEAD: Duration = Duration::from_secs(20 * 60);

/// What a person typed.
enum Typed {
    Rating(Rating),
    Nothing,
    Hide,
    Leave,
    Unclear,
}

impl ReviewArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let mut plan =
            ReviewPlan { new_max: self.new, day_began: day_began(), ahead: Duration::ZERO };
        let mut queue = self.queue(ctx, plan).await?;
        say_queue(&queue, ctx, printer)?;
        if self.count || queue.cards.is_empty() {
            return Ok(ExitStatus::Success);
        }
        // Each rating is saved at once, so the next session continues here.
        plan.ahead = LEARN_AHEAD;
        let mut done = 0;
        'sitting: while !queue.cards.is_empty() {
            let total = queue.cards.len();
            for (number, due) in queue.cards.iter().enumerate() {
                printer.message("")?;
                let typed = ask(due, &format!("{} of {total}", number + 1), printer)?;
                if !keep(ctx, due, &typed, printer).await? {
                    break 'sitting;
                }
                done += usize::from(matches!(typed, Typed::Rating(_)));
            }
            queue = self.queue(ctx, plan).await?;
        }
        printer.message(format!("\n{} given", count(done, "answer")))?;
        Ok(ExitStatus::Success)
    }

    async fn queue(&self, ctx: &CardsContext, plan: ReviewPlan) -> Result<ReviewQueue, Failure> {
        ctx.library.due(self.run.as_ref(), plan).await.map_err(failure)
    }
}

/// Saves the rating; false if the person quits.
async fn keep(
    ctx: &CardsContext,
    due: &DueCard,
    typed: &Typed,
    printer: &mut Printer,
) -> Result<bool, Failure> {
    match typed {
        Typed::Rating(rating) => {
            let again = ctx.library.review(&due.card.key, *rating).await.map_err(failure)?;
            let wait = span(again.saturating_sub(ctx.library.now()));
            printer.message(dim(format!("next review in {wait}")))?;
            Ok(true)
        }
        Typed::Hide => {
            let words = [due.card.key.base().to_owned()];
            ctx.library.learn(&due.card.key.language, &words).await.map_err(failure)?;
            printer.message(dim("added to the known words"))?;
            Ok(true)
        }
        Typed::Nothing | Typed::Leave | Typed::Unclear => Ok(false),
    }
}

fn say_queue(
    queue: &ReviewQueue,
    ctx: &CardsContext,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let later = match queue.new_later {
        0 => String::new(),
        later => format!(", {later} new ones on another day"),
    };
    printer.message(format!("{} due, {} new{later}", queue.due, queue.new))?;
    if queue.cards.is_empty()
        && let Some(next) = queue.next_at
    {
        printer.message(format!(
            "the next card is due in {}",
            span(next.saturating_sub(ctx.library.now()))
        ))?;
    }
    Ok(())
}

/// Shows one card and asks how well it was known.
fn ask(due: &DueCard, place: &str, printer: &mut Printer) -> Result<Typed, Failure> {
    let card = &due.card.card;
    let learning = match due.learning {
        Learning::New => "new",
        Learning::Learning => "learning",
        Learning::Known => "review",
        Learning::Relearning => "again",
    };
    printer.message(format!(
        "{}  {}",
        bold(&card.base_form),
        dim(format!("{place}, {learning}"))
    ))?;
    if let Some(context) = card.contexts.first() {
        printer.message(format!("  {}", cards::normalise(&context.text)))?;
    }
    match typed("Enter shows the answer, q quits: ", printer)? {
        Typed::Leave => return Ok(Typed::Leave),
        Typed::Rating(_) | Typed::Nothing | Typed::Hide | Typed::Unclear => {}
    }
    printer.message(format!("  {}", card.meaning()))?;
    if let Some(context) = card.contexts.first().filter(|context| !context.translation.is_empty()) {
        printer.message(format!("  {}", dim(&context.translation)))?;
    }
    let times =
        due.intervals.map(|interval| span(u64::try_from(interval.as_millis()).unwrap_or(u64::MAX)));
    let [again, hard, good, easy] = times;
    printer.message(dim(format!(
        "1 again {again}  2 hard {hard}  3 good {good}  4 easy {easy}  k known  q quit"
    )))?;
    loop {
        match typed("> ", printer)? {
            Typed::Unclear => printer.message("type 1, 2, 3, 4, k or q; Enter means 3")?,
            // The most common rating.
            Typed::Nothing => return Ok(Typed::Rating(Rating::Good)),
            clear @ (Typed::Rating(_) | Typed::Hide | Typed::Leave) => return Ok(clear),
        }
    }
}

fn typed(prompt: &str, printer: &mut Printer) -> Result<Typed, Failure> {
    let mut err = std::io::stderr().lock();
    err.write_all(prompt.as_bytes())?;
    err.flush()?;
    drop(err);
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        printer.message("")?;
        return Ok(Typed::Leave);
    }
    Ok(match line.trim().to_lowercase().as_str() {
        "" => Typed::Nothing,
        "1" | "again" => Typed::Rating(Rating::Again),
        "2" | "hard" => Typed::Rating(Rating::Hard),
        "3" | "good" => Typed::Rating(Rating::Good),
        "4" | "easy" => Typed::Rating(Rating::Easy),
        "k" | "known" => Typed::Hide,
        "q" | "quit" => Typed::Leave,
        _ => Typed::Unclear,
    })
}

/// Local midnight.
fn day_began() -> u64 {
    let today = jiff::Zoned::now().start_of_day();
    let millis = today.map(|day| day.timestamp().as_millisecond()).unwrap_or(0);
    u64::try_from(millis).unwrap_or(0)
}
