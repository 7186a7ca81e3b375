//! `ghosthand cards review`: cards that are due, one after the other.
//!
//! Questions and answers are lines, so it works at a terminal and in a pipe alike.

use std::io::{BufRead, Write};
use std::time::Duration;

use cards::{DueCard, Learning, Rating, ReviewPlan, ReviewQueue, RunId};
use clap::Args;

use super::{Room, said, span};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, count, dim};

/// Review the cards that are due
///
/// Think of the meaning, press Enter, say how well you knew it. Each answer is kept at
/// once; leave whenever you like.
#[derive(Args)]
pub(super) struct ReviewArgs {
    /// Only the cards of this run
    run: Option<RunId>,
    /// How many cards you want to see for the first time in a day
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    new: usize,
    /// Only say how much is due
    #[arg(long)]
    count: bool,
}

/// A card that was not known comes again in the same sitting.
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
    pub(super) async fn run(self, room: &Room, printer: &mut Printer) -> CommandResult {
        let mut plan =
            ReviewPlan { new_max: self.new, day_began: day_began(), ahead: Duration::ZERO };
        let mut queue = self.queue(room, plan).await?;
        say_queue(&queue, room, printer)?;
        if self.count || queue.cards.is_empty() {
            return Ok(ExitStatus::Success);
        }
        // Each answer is kept at once, so the next sitting begins where this one ends.
        plan.ahead = LEARN_AHEAD;
        let mut done = 0;
        'sitting: while !queue.cards.is_empty() {
            let total = queue.cards.len();
            for (number, due) in queue.cards.iter().enumerate() {
                printer.say("")?;
                let typed = ask(due, &format!("{} of {total}", number + 1), printer)?;
                if !keep(room, due, &typed, printer).await? {
                    break 'sitting;
                }
                done += usize::from(matches!(typed, Typed::Rating(_)));
            }
            queue = self.queue(room, plan).await?;
        }
        printer.say(format!("\n{} given", count(done, "answer")))?;
        Ok(ExitStatus::Success)
    }

    async fn queue(&self, room: &Room, plan: ReviewPlan) -> Result<ReviewQueue, Failure> {
        room.library.due(self.run.as_ref(), plan).await.map_err(said)
    }
}

/// Keeps what was typed; false if the person leaves.
async fn keep(
    room: &Room,
    due: &DueCard,
    typed: &Typed,
    printer: &mut Printer,
) -> Result<bool, Failure> {
    match typed {
        Typed::Rating(rating) => {
            let again = room.library.review(&due.card.key, *rating).await.map_err(said)?;
            let wait = span(again.saturating_sub(room.library.now()));
            printer.say(dim(format!("comes again in {wait}")))?;
            Ok(true)
        }
        Typed::Hide => {
            let words = [due.card.key.base().to_owned()];
            room.library.learn(&due.card.key.language, &words).await.map_err(said)?;
            printer.say(dim("put on the list of known words"))?;
            Ok(true)
        }
        Typed::Nothing | Typed::Leave | Typed::Unclear => Ok(false),
    }
}

fn say_queue(queue: &ReviewQueue, room: &Room, printer: &mut Printer) -> Result<(), Failure> {
    let later = match queue.new_later {
        0 => String::new(),
        later => format!(", {later} new ones wait for another day"),
    };
    printer.say(format!("{} due, {} new{later}", queue.due, queue.new))?;
    if queue.cards.is_empty()
        && let Some(next) = queue.next_at
    {
        printer.say(format!(
            "the next card comes in {}",
            span(next.saturating_sub(room.library.now()))
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
    printer.say(format!("{}  {}", bold(&card.base_form), dim(format!("{place}, {learning}"))))?;
    if let Some(context) = card.contexts.first() {
        printer.say(format!("  {}", cards::normalise(&context.text)))?;
    }
    match typed("Enter shows the answer, q leaves: ", printer)? {
        Typed::Leave => return Ok(Typed::Leave),
        Typed::Rating(_) | Typed::Nothing | Typed::Hide | Typed::Unclear => {}
    }
    printer.say(format!("  {}", card.meaning()))?;
    if let Some(context) = card.contexts.first().filter(|context| !context.translation.is_empty()) {
        printer.say(format!("  {}", dim(&context.translation)))?;
    }
    let times =
        due.intervals.map(|interval| span(u64::try_from(interval.as_millis()).unwrap_or(u64::MAX)));
    let [again, hard, good, easy] = times;
    printer.say(dim(format!(
        "1 again {again}  2 hard {hard}  3 good {good}  4 easy {easy}  k known  q leave"
    )))?;
    loop {
        match typed("> ", printer)? {
            Typed::Unclear => printer.say("type 1, 2, 3, 4, k or q; Enter alone is 3")?,
            // Most often a card was known well.
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
        printer.say("")?;
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

/// Midnight where the person is.
fn day_began() -> u64 {
    let today = jiff::Zoned::now().start_of_day();
    let millis = today.map(|day| day.timestamp().as_millisecond()).unwrap_or(0);
    u64::try_from(millis).unwrap_or(0)
}
