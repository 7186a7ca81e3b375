//! `ghosthand cards make`: turns a text into cards.

use std::sync::Arc;

use cards::{
    Answerer, Chunking, Estimate, NewRun, Patience, Progress, RunId, RunInfo, Sending, WorkEnd,
    WorkOptions,
};
use clap::{Args, value_parser};
use engine::Cancel;
use models::Cost;

use super::progress::Bar;
use super::source::Source;
use super::{CardsContext, PairArgs, failure, settings, span};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, count, cyan, dim};
use crate::wiring::open_model::REHEARSAL;

/// Make cards from a text, or resume its run
#[derive(Args)]
pub(super) struct MakeArgs {
    /// The text: a text file, subtitles (.srt, .vtt), a page (.html), a book (.epub), the
    /// address of a page, or `-` for standard input
    #[arg(value_name = "FILE|URL", value_parser = |text: &str| Ok::<_, String>(Source::from(text)))]
    source: Source,
    #[command(flatten)]
    pair: PairArgs,
    /// The name of the text [default: the file name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Print the estimated cost, and send nothing
    #[arg(long)]
    estimate: bool,
    /// Maximum sentences per request [default: `cards.chunking.max_sentences`, 10]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..=100))]
    chunk: Option<u16>,
    #[command(flatten)]
    sending: SendingArgs,
}

/// How requests are sent, and what they may cost.
#[derive(Args)]
pub(super) struct SendingArgs {
    /// The model, as in `anthropic:claude-haiku-5-5`
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Send everything as one batch: half the price, done within a day
    #[arg(long)]
    batch: bool,
    /// Send the batch without waiting; run `cards make` again to collect it
    #[arg(long, requires = "batch")]
    no_wait: bool,
    /// Stop before the run costs more than this many dollars
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<Cost>,
    /// Maximum concurrent requests
    #[arg(long, default_value_t = 4, value_name = "NUMBER")]
    #[arg(value_parser = value_parser!(u16).range(1..=64))]
    parallel: u16,
}

/// An amount of money, exact to a hundredth of a cent.
fn dollars(text: &str) -> Result<Cost, String> {
    let bad = || format!("`{text}` is not an amount in dollars; one looks like `1.00`");
    let (whole, part) = text.trim_start_matches('$').split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('$');
    if part.len() > 4 || (whole.is_empty() && part.is_empty()) {
        return Err(bad());
    }
    let digits = format!("{}{part:0<4}", if whole.is_empty() { "0" } else { whole });
    let hundredths: u64 = digits.parse().map_err(|_| bad())?;
    Ok(Cost { picodollars: u128::from(hundredths) * 100_000_000 })
}

impl MakeArgs {
    /// Is nothing to be made?
    pub(super) fn is_estimate(&self) -> bool {
        self.estimate
    }

    /// What is wrong whatever the text is.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.pair.pair().map(drop)
    }

    pub(super) async fn run(self, mut ctx: CardsContext, printer: &mut Printer) -> CommandResult {
        let pair = self.pair.pair()?;
        self.sending.choose_model(&mut ctx);
        let by = ctx.answerer()?;
        let read = self.source.read(&pair.from, ctx.config.reach()).await?;
        let document = self.name.clone().unwrap_or(read.document);
        let beginning = NewRun { document, pair, chunking: self.chunking(&ctx) };
        let (facts, way) = (by.model.facts(), self.sending.way());
        let planned = ctx.library.estimate_new(&read.text, &beginning, facts, way).await;
        let (head, estimate) = planned.map_err(failure)?;
        say_run(&head, read.note.as_deref(), printer)?;
        if self.estimate {
            say_estimate(&estimate, &by, printer)?;
            return Ok(ExitStatus::Success);
        }
        self.sending.check_cost(&estimate, &by)?;
        let head = ctx.library.begin(&read.text, &beginning).await.map_err(failure)?;
        self.sending.work(&ctx, &head.id, &by, &estimate, printer).await
    }
}

/// Which run it is, and what to know about its text.
fn say_run(head: &RunInfo, note: Option<&str>, printer: &mut Printer) -> Result<(), Failure> {
    printer.message(format!(
        "run {}  {}",
        cyan(&head.id),
        dim(format!(
            "{}, {} → {}",
            count(head.sentences, "sentence"),
            head.from.name(),
            head.to.name()
        ))
    ))?;
    let warning = head.engine.warning(&head.from);
    for note in [note, warning.as_deref()].into_iter().flatten() {
        printer.message(dim(format!("note: {note}")))?;
    }
    Ok(())
}

impl MakeArgs {
    fn chunking(&self, ctx: &CardsContext) -> Chunking {
        let set = settings::chunking(&ctx.config);
        match self.chunk {
            Some(chunk) => Chunking { sentences_max: usize::from(chunk), ..set },
            None => set,
        }
    }
}

fn say_estimate(estimate: &Estimate, by: &Answerer, printer: &mut Printer) -> Result<(), Failure> {
    let Estimate { sentences, reused, known, requests, input_tokens, output_tokens, cost } =
        estimate;
    if *reused > 0 {
        let same = count(*reused, "sentence");
        printer.message(dim(format!("{same} reused: a model has answered the same before")))?;
    }
    if *known > 0 {
        let all = count(*known, "sentence");
        printer.message(dim(format!("{all} not sent: you know every word")))?;
    }
    if *sentences == 0 {
        return Ok(());
    }
    let cost = match cost {
        Some(cost) if cost.picodollars == 0 => "free".to_owned(),
        Some(cost) => format!("about {cost}"),
        None => "cost unknown".to_owned(),
    };
    printer.message(format!(
        "{cost} with {}  {}",
        by.model.facts(),
        dim(format!(
            "{} for {}, {} tokens in, {} out",
            count(*requests, "request"),
            count(*sentences, "sentence"),
            rounded(*input_tokens),
            rounded(*output_tokens),
        ))
    ))?;
    Ok(())
}

/// `950`, `12k`: an estimate is not more precise.
fn rounded(tokens: u64) -> String {
    if tokens < 1_000 { tokens.to_string() } else { format!("{}k", tokens.div_ceil(1_000)) }
}

impl SendingArgs {
    pub(super) fn choose_model(&self, ctx: &mut CardsContext) {
        ctx.config.flag("model", "--model", self.model.clone());
    }

    pub(super) fn way(&self) -> Sending {
        if self.batch { Sending::Batch } else { Sending::Live }
    }

    /// A limit that cannot be enforced is refused before a run begins.
    fn check_cost(&self, estimate: &Estimate, by: &Answerer) -> Result<(), Failure> {
        match self.max_cost.is_some() && estimate.cost.is_none() {
            true => Err(Failure::message(
                format!(
                    "the price of {} is unknown, so --max-cost cannot be enforced",
                    by.model.facts()
                ),
                "omit --max-cost, or choose another model",
            )),
            false => Ok(()),
        }
    }

    /// Works on a run and reports the result.
    pub(super) async fn work(
        &self,
        ctx: &CardsContext,
        run: &RunId,
        by: &Answerer,
        estimate: &Estimate,
        printer: &mut Printer,
    ) -> CommandResult {
        self.check_cost(estimate, by)?;
        say_estimate(estimate, by, printer)?;
        if by.model.facts().provider == REHEARSAL && estimate.sentences > 0 {
            let why = "no API key: the rehearsal makes cards without translations";
            printer.message(dim(why))?;
        }
        let cancel = Cancel::default();
        let options = WorkOptions {
            sending: self.way(),
            requests_at_once_max: usize::from(self.parallel),
            cost_max: self.max_cost,
            ask: settings::ask_settings(&ctx.config),
            patience: if self.no_wait { Patience::OneLook } else { Patience::UntilEnded },
            cancel: cancel.clone(),
        };
        let bar = Arc::new(Bar::new());
        let drawn = Arc::clone(&bar);
        let watcher = Arc::new(move |progress: &Progress| drawn.show(progress));
        let stopper = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        });
        let end = ctx.library.work(run, by, &options, watcher).await;
        stopper.abort();
        bar.close();
        say_end(ctx, run, end.map_err(failure)?, printer).await
    }
}

async fn say_end(
    ctx: &CardsContext,
    run: &RunId,
    end: WorkEnd,
    printer: &mut Printer,
) -> CommandResult {
    let deck = ctx.library.deck(run, cards::ContextsMax::USUAL).await.map_err(failure)?;
    let cards = count(deck.visible().count(), "card");
    match end {
        WorkEnd::Ready => {
            printer
                .message(format!("{cards}; next: `ghosthand cards show`, `review` or `export`"))?;
            Ok(ExitStatus::Success)
        }
        WorkEnd::Holes(holes) => {
            let missing = count(holes, "sentence");
            printer.message(format!(
                "{cards}; {missing} without cards, see `ghosthand cards status {run}`"
            ))?;
            printer.message(format!("`ghosthand cards retry {run}` retries them"))?;
            Ok(ExitStatus::Faults)
        }
        WorkEnd::Stopped { code, message } => {
            let banner = code.banner(&ctx.locale);
            printer.message(dim(format!("{cards} so far; nothing is lost ({code})")))?;
            Err(Failure::message(format!("{}: {message}", banner.title), banner.text.clone()))
        }
        WorkEnd::BatchAtWork { id, since } => {
            let age = span(ctx.library.now().saturating_sub(since));
            printer.message(format!("batch {id} was sent {age} ago and is still running"))?;
            printer.message(format!("`ghosthand cards retry {run}` checks it again"))?;
            Ok(ExitStatus::Success)
        }
        WorkEnd::Cancelled => {
            printer.message(format!("stopped; {cards} so far; run the same command to resume"))?;
            Ok(ExitStatus::Faults)
        }
    }
}

#[cfg(test)]
mod tests;
