//! `ghosthand cards status`: lists the runs, or shows one.

use cards::{Progress, RunEvent, RunId, RunView, SentenceState, SentenceView, Stage, cost_of};
use clap::Args;
use models::Cost;

use super::{CardsContext, failure, span};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, count, cyan, dim, one_line};

/// List the runs, or show the state of one
#[derive(Args)]
pub(super) struct StatusArgs {
    /// The run to show, with every failed sentence
    run: Option<RunId>,
    /// Show the event log
    #[arg(long, requires = "run")]
    log: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const TEXT_WIDTH: usize = 60;

impl StatusArgs {
    pub(super) async fn run(self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        match &self.run {
            Some(run) if self.log => self.log(ctx, run, printer).await,
            Some(run) => self.one(ctx, run, printer).await,
            None => self.all(ctx, printer).await,
        }
    }

    async fn all(&self, ctx: &CardsContext, printer: &mut Printer) -> CommandResult {
        let mut views = Vec::new();
        for head in ctx.library.runs().await.map_err(failure)? {
            views.push(ctx.library.view(&head.id, &ctx.locale).await.map_err(failure)?);
        }
        if self.json {
            printer.json(&views)?;
            return Ok(ExitStatus::Success);
        }
        if views.is_empty() {
            printer.message("no runs yet; start one with `ghosthand cards make FILE`")?;
            return Ok(ExitStatus::Success);
        }
        let width = views.iter().map(|view| view.head.id.as_str().len()).max().unwrap_or(0);
        for view in &views {
            let id = format!("{:<width$}", view.head.id.as_str());
            let pair = format!("{} → {}", view.head.from, view.head.to);
            let sums = sums(&view.progress);
            printer.data(format!(
                "{}  {:<12}  {pair}  {sums}  {}",
                cyan(id),
                view.progress.state.as_str(),
                dim(&view.head.document)
            ))?;
        }
        Ok(ExitStatus::Success)
    }

    async fn one(&self, ctx: &CardsContext, run: &RunId, printer: &mut Printer) -> CommandResult {
        let view = ctx.library.view(run, &ctx.locale).await.map_err(failure)?;
        let sentences = ctx.library.sentences(run, &ctx.locale).await.map_err(failure)?;
        if self.json {
            let mut value = serde_json::to_value(&view)?;
            value["sentences_list"] = serde_json::to_value(&sentences)?;
            printer.json(&value)?;
            return Ok(ExitStatus::Success);
        }
        say_view(&view, ctx, printer)?;
        for sentence in &sentences {
            say_hole(sentence, printer)?;
        }
        if view.progress.holes > 0 {
            printer.message(format!("`ghosthand cards retry {run}` retries them"))?;
        }
        Ok(ExitStatus::Success)
    }

    async fn log(&self, ctx: &CardsContext, run: &RunId, printer: &mut Printer) -> CommandResult {
        for event in ctx.library.events(run).await.map_err(failure)? {
            match self.json {
                true => printer.data(serde_json::to_string(&event)?)?,
                false => printer.data(event_line(&event))?,
            }
        }
        Ok(ExitStatus::Success)
    }
}

fn sums(progress: &Progress) -> String {
    let cost = progress.cost().map(|cost| format!(", {cost}")).unwrap_or_default();
    let holes = match progress.holes {
        0 => String::new(),
        holes => format!(", {}", count(holes, "hole")),
    };
    let sentences = count(progress.sentences, "sentence");
    format!("{} of {sentences}{holes}{cost}", progress.done())
}

fn say_view(view: &RunView, ctx: &CardsContext, printer: &mut Printer) -> Result<(), Failure> {
    let head = &view.head;
    printer.data(format!(
        "{}  {}",
        bold(&head.document),
        dim(format!("{} → {}", head.from.name(), head.to.name()))
    ))?;
    printer.data(format!("  {}: {}", view.progress.state.as_str(), sums(&view.progress)))?;
    if let Stage::BatchWaiting { id, since } = &view.progress.stage {
        let age = ctx.library.now().saturating_sub(*since);
        printer.data(format!("  batch {id} was sent {} ago", span(age)))?;
    }
    if let Some(model) = &view.model {
        let spent = &view.progress.spent;
        let tokens = count(spent.input_tokens, "token");
        let tokens = format!("{tokens} in, {} out", spent.output_tokens);
        let cost = cost_of(spent).map(|cost| format!(", {cost}")).unwrap_or_default();
        printer.data(format!("  {model}: {tokens}{cost}"))?;
    }
    if let Some(dollars) = view.cost_max {
        printer.data(format!("  limited to ${dollars}"))?;
    }
    if view.metrics.unknown > 0 {
        let strays = count(view.metrics.unknown, "card");
        printer.data(format!("  {strays} for sentences that were not asked about, left out"))?;
    }
    if view.metrics.changed > 0 {
        let changed = count(view.metrics.changed, "result");
        printer.data(format!("  {changed} for sentences that have changed since"))?;
    }
    if let Some(trouble) = &view.trouble {
        printer.data(format!("  {} ({})", trouble.banner.title, trouble.code))?;
        printer.data(format!("  {}", dim(&trouble.banner.text)))?;
    }
    Ok(())
}

fn say_hole(sentence: &SentenceView, printer: &mut Printer) -> Result<(), Failure> {
    let text = one_line(&sentence.text, TEXT_WIDTH);
    let why = match (&sentence.state, &sentence.trouble) {
        (SentenceState::Invalid, Some(trouble)) => {
            format!("{} ({})", trouble.banner.title, trouble.code)
        }
        (SentenceState::Invalid, None) => "no cards".to_owned(),
        (SentenceState::Retrying, _) => "asked again".to_owned(),
        (SentenceState::Pending | SentenceState::Received | SentenceState::Skipped, _) => {
            return Ok(());
        }
    };
    printer.data(format!("  {:>5}  {why}  {}", sentence.index, dim(text)))?;
    Ok(())
}

/// A log event as one line.
fn event_line(event: &RunEvent) -> String {
    let list = |sentences: &[usize]| match sentences {
        [one] => format!("sentence {one}"),
        [first, .., last] => {
            format!("{} from {first} to {last}", count(sentences.len(), "sentence"))
        }
        [] => "nothing".to_owned(),
    };
    match event {
        RunEvent::Submitted { model, .. } => format!("submitted to {model}"),
        RunEvent::Started { .. } => "started".to_owned(),
        RunEvent::Sent { work, sentences, .. } => format!("sent {work}: {}", list(sentences)),
        RunEvent::Settled { work, results, holes, again, attempts, .. } => {
            let mut parts = vec![format!("{} received", results.len())];
            if !again.is_empty() {
                parts.push(format!("{} retried", again.len()));
            }
            for hole in holes {
                parts.push(format!("hole at {} ({})", hole.index, hole.code));
            }
            format!("settled {work}: {}  [{}]", parts.join(", "), attempts.join("; "))
        }
        RunEvent::CostLimited { picodollars, .. } => {
            let cost = Cost { picodollars: u128::from(*picodollars) };
            format!("cost limited to {cost}")
        }
        RunEvent::Reused { results, .. } => {
            format!("reused: {}", count(results.len(), "result"))
        }
        RunEvent::Rechecked { sentences, .. } => {
            format!("doubtful, asked again: {}", list(sentences))
        }
        RunEvent::RecheckEnded { .. } => "the first answers stay".to_owned(),
        RunEvent::Retried { sentences, .. } => format!("to be retried: {}", list(sentences)),
        RunEvent::Skipped { sentences, .. } => format!("skipped: {}", list(sentences)),
        RunEvent::BatchIntended { number, chunks, .. } => {
            format!("sending batch {number}: {}", count(chunks.len(), "request"))
        }
        RunEvent::BatchSent { number, id, .. } => format!("batch {number} was sent as {id}"),
        RunEvent::BatchForgotten { number, .. } => format!("batch {number} is abandoned"),
        RunEvent::BatchRead { number, .. } => format!("batch {number} was read"),
        RunEvent::Completed { .. } => "completed".to_owned(),
        RunEvent::Aborted { code, message, .. } => format!("stopped: {code}, {message}"),
        RunEvent::Resumed { .. } => "resumed".to_owned(),
    }
}
