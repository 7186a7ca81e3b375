//! `ghosthand cards review`: reviews the cards that are due.
//!
//! Works line by line, at a terminal and in a pipe.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::time::Duration;

use cards::{
    CardView, DueCard, Learning, NewOrder, Rating, Recall, ReviewChange, ReviewId, ReviewPlan,
    ReviewQueue, RunId,
};
use clap::Args;

use super::export::recalls_of;
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
    /// What to ask for: the meaning, the word, or the word in a gap [default: meaning]
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    recall: Vec<Recall>,
    /// New cards of the most frequent words first
    #[arg(long)]
    frequent: bool,
    /// Only print how many cards are due
    #[arg(long)]
    count: bool,
}

/// What a person typed.
enum Typed {
    Rating(Rating),
    Nothing,
    Hide,
    Undo,
    Leave,
    Unclear,
}

/// The answers of one sitting, so that they can be undone.
#[derive(Default)]
struct Sitting {
    given: Vec<(ReviewId, DueCard)>,
    /// Answers so far, undone ones too; part of their ids.
    number: usize,
}

impl ReviewArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let recalls = recalls_of(&self.recall);
        let order = if self.frequent { NewOrder::Frequency } else { NewOrder::Text };
        let (new_max, ahead) = (self.new, Duration::ZERO);
        let mut plan = ReviewPlan { new_max, day_began: day_began(), ahead, recalls, order };
        let mut queue = self.queue(ctx, plan).await?;
        say_queue(&queue, ctx, printer)?;
        if self.count || queue.cards.is_empty() {
            return Ok(ExitStatus::Success);
        }
        // Each rating is saved at once, so the next session continues here.
        plan.ahead = ReviewPlan::LEARN_AHEAD;
        let mut sitting = Sitting::default();
        'sitting: while !queue.cards.is_empty() {
            let mut cards = VecDeque::from(std::mem::take(&mut queue.cards));
            while let Some(due) = cards.pop_front() {
                printer.message("")?;
                let typed = ask(&due, cards.len(), printer)?;
                match typed {
                    Typed::Rating(rating) => sitting.rate(ctx, due, rating, printer).await?,
                    Typed::Hide => hide(ctx, &due, printer).await?,
                    Typed::Undo => {
                        cards.push_front(due);
                        if let Some(before) = sitting.undo(ctx, printer).await? {
                            cards.push_front(before);
                        }
                    }
                    Typed::Leave | Typed::Nothing | Typed::Unclear => break 'sitting,
                }
            }
            queue = self.queue(ctx, plan).await?;
        }
        printer.message(format!("\n{} given", count(sitting.given.len(), "answer")))?;
        Ok(ExitStatus::Success)
    }

    async fn queue(&self, ctx: &CardsContext, plan: ReviewPlan) -> Result<ReviewQueue, Failure> {
        ctx.library.due(self.run.as_ref(), plan).await.map_err(failure)
    }
}

impl Sitting {
    async fn rate(
        &mut self,
        ctx: &CardsContext,
        due: DueCard,
        rating: Rating,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        self.number += 1;
        let id = format!("t{}-{}-{}", ctx.library.now(), std::process::id(), self.number);
        let id: ReviewId = id.parse()?;
        let again = ctx.library.review(id.clone(), &due.card.key, due.recall, rating).await;
        let wait = span(again.map_err(failure)?.saturating_sub(ctx.library.now()));
        self.given.push((id, due));
        printer.message(dim(format!("next review in {wait}")))?;
        Ok(())
    }

    /// Undoes the newest answer of this sitting; returns its card.
    async fn undo(
        &mut self,
        ctx: &CardsContext,
        printer: &mut Printer,
    ) -> Result<Option<DueCard>, Failure> {
        let Some((id, due)) = self.given.pop() else {
            printer.message("there is nothing to undo")?;
            return Ok(None);
        };
        ctx.library.record_reviews(vec![ReviewChange::Undone { id }]).await.map_err(failure)?;
        printer.message(dim("undone"))?;
        Ok(Some(due))
    }
}

async fn hide(ctx: &CardsContext, due: &DueCard, printer: &mut Printer) -> Result<(), Failure> {
    let words = [due.card.key.base().to_owned()];
    ctx.library.learn(&due.card.key.language, &words).await.map_err(failure)?;
    printer.message(dim("added to the known words"))?;
    Ok(())
}

fn say_queue(
    queue: &ReviewQueue,
    ctx: &CardsContext,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let later = match queue.new_later {
        0 => String::new(),
        later => format!(", {} on another day", count(later, "new one")),
    };
    let today = match queue.today {
        0 => String::new(),
        today => format!(", {today} done today"),
    };
    printer.message(format!("{} due, {} new{later}{today}", queue.due, queue.new))?;
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
fn ask(due: &DueCard, left: usize, printer: &mut Printer) -> Result<Typed, Failure> {
    let learning = match due.learning {
        Learning::New => "new",
        Learning::Learning => "learning",
        Learning::Known => "review",
        Learning::Relearning => "again",
    };
    let (front, back) = sides(due);
    printer.message(format!("{}  {}", bold(&front[0]), dim(format!("{learning}, {left} more"))))?;
    for line in &front[1..] {
        printer.message(format!("  {line}"))?;
    }
    match typed("Enter shows the answer, u undoes, q quits: ", printer)? {
        Typed::Leave => return Ok(Typed::Leave),
        Typed::Undo => return Ok(Typed::Undo),
        Typed::Rating(_) | Typed::Nothing | Typed::Hide | Typed::Unclear => {}
    }
    for (number, line) in back.iter().enumerate() {
        let line = if number == 0 { line.clone() } else { dim(line) };
        printer.message(format!("  {line}"))?;
    }
    let times =
        due.intervals.map(|interval| span(u64::try_from(interval.as_millis()).unwrap_or(u64::MAX)));
    let [again, hard, good, easy] = times;
    printer.message(dim(format!(
        "1 again {again}  2 hard {hard}  3 good {good}  4 easy {easy}  k known  u undo  q quit"
    )))?;
    loop {
        match typed("> ", printer)? {
            Typed::Unclear => printer.message("type 1, 2, 3, 4, k, u or q; Enter means 3")?,
            // The most common rating.
            Typed::Nothing => return Ok(Typed::Rating(Rating::Good)),
            clear @ (Typed::Rating(_) | Typed::Hide | Typed::Undo | Typed::Leave) => {
                return Ok(clear);
            }
        }
    }
}

/// What is shown first, and what after it.
fn sides(due: &DueCard) -> (Vec<String>, Vec<String>) {
    let view = CardView::new(due.card.clone());
    let card = &due.card.card;
    let gap = view.pieces.iter().position(|pieces| pieces.iter().any(|piece| piece.marked));
    let at = if due.recall == Recall::Gap { gap.unwrap_or(0) } else { 0 };
    let context = card.contexts.get(at);
    let text = context.map(|context| cards::normalise(&context.text));
    let translation = context.map(|context| context.translation.clone());
    let translation = translation.filter(|text| !text.is_empty());
    let (word, meaning) = (card.base_form.clone(), view.meaning.clone());
    let sentence = |text: Option<String>| text.into_iter().chain(translation.clone());
    match due.recall {
        Recall::Meaning => {
            let front = std::iter::once(word).chain(text).collect();
            (front, std::iter::once(meaning).chain(translation.clone()).collect())
        }
        Recall::Word => (vec![meaning], std::iter::once(word).chain(sentence(text)).collect()),
        Recall::Gap => {
            let pieces = view.pieces.get(at).map(Vec::as_slice).unwrap_or_default();
            let hide = |piece: &cards::TextPiece| match piece.marked {
                true => "____".to_owned(),
                false => piece.text.clone(),
            };
            let gapped: String = pieces.iter().map(hide).collect();
            let front = vec![cards::normalise(&gapped), meaning];
            (front, std::iter::once(word).chain(sentence(text)).collect())
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
        "u" | "undo" => Typed::Undo,
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
