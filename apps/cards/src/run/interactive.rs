//! Sends one request per group of sentences, several at once.

use std::collections::VecDeque;
use std::sync::Arc;

use contract::{Model, Usage};
use emit::{AnswerFault, AskFault, EmitOutput, History, RefusedRungs, StructuredAnswer, emit};
use models::{Clock, Cost, PriceTier};
use tokio::task::JoinSet;

use super::brake::Brake;
use super::cost_limit::{CostLimit, CostLimitedModel, spent};
use super::event::{RunEvent, Spent};
use super::handle_answer::{AskedWith, GroupOutcome, SentenceGroup, Usable, groups, settle};
use super::polling;
use super::progress::Stage;
use super::question::{Question, question};
use super::reuse::spread;
use super::work::{Answerer, RunWriter, WorkOptions};
use crate::fault::CardsFault;
use crate::model::error_code::ErrorCode;
use crate::model::prompt::Flashcards;

pub(super) enum End {
    Done,
    Cancelled,
    Stopped(ErrorCode, String),
}

/// The result of one request.
struct Asked {
    group: SentenceGroup,
    with: AskedWith,
    work: u64,
    emitted: Result<EmitOutput<Flashcards>, AskFault>,
    spent: Spent,
    attempts: Vec<String>,
    /// Replies that came.
    answers: usize,
}

pub(super) async fn run(
    writer: &mut RunWriter,
    by: &Answerer,
    options: &WorkOptions,
    cost_max: Option<Cost>,
    brake: &mut Brake,
) -> Result<End, CardsFault> {
    writer.stage = Stage::Working;
    let cost_limit = CostLimit::new(cost_max, writer.snapshot.spent);
    let model: Arc<dyn Model> = Arc::new(CostLimitedModel {
        model: Arc::clone(&by.model),
        cost_limit: Arc::clone(&cost_limit),
    });
    let refused_rungs = Arc::new(RefusedRungs::default());
    let mut queue: VecDeque<SentenceGroup> = groups(&writer.snapshot);
    let mut tasks: JoinSet<Asked> = JoinSet::new();
    let mut stop: Option<(ErrorCode, String)> = None;
    loop {
        while stop.is_none() && tasks.len() < options.requests_at_once_max.max(1) {
            let Some(group) = queue.pop_front() else { break };
            let asked =
                question(&writer.snapshot, &group, &writer.known, &options.ask, by.model.facts())?;
            let work = writer.snapshot.next_work;
            let (at, sentences) = (writer.now(), group.sentences.clone());
            writer.in_flight += sentences.len();
            writer.write(RunEvent::Sent { at, work, sentences }).await?;
            let (model, refused_rungs) = (Arc::clone(&model), Arc::clone(&refused_rungs));
            let clock = Arc::clone(&writer.clock);
            tasks.spawn(async move {
                answer(group, work, asked, &*model, &refused_rungs, &*clock).await
            });
        }
        let asked = tokio::select! {
            () = options.cancel.cancelled() => return Ok(End::Cancelled),
            asked = tasks.join_next() => asked,
        };
        let asked = match asked {
            None => break,
            Some(Ok(asked)) => asked,
            Some(Err(error)) => return Err(CardsFault::Damaged(error.to_string())),
        };
        writer.in_flight = writer.in_flight.saturating_sub(asked.group.sentences.len());
        let answers = asked.answers;
        let outcome = write_outcome(writer, asked).await?;
        stop = stop.or(outcome.stop).or_else(|| brake.add(outcome.usable, answers));
        if stop.is_some() {
            // Requests under way send no repairs any more.
            cost_limit.close();
        }
        match outcome.usable {
            // A text is read from its beginning, so retries come first.
            Usable::Yes | Usable::Unknown => {
                outcome.again.into_iter().rev().for_each(|group| queue.push_front(group));
            }
            // Another part of the text shows whether the model can do it at all.
            Usable::No => queue.extend(outcome.again),
        }
    }
    Ok(match stop {
        Some((_, message)) if cost_limit.is_tripped() => End::Stopped(ErrorCode::MoneyCap, message),
        Some((code, message)) => End::Stopped(code, message),
        None => End::Done,
    })
}

/// Writes the outcome of a group in one record.
async fn write_outcome(writer: &mut RunWriter, asked: Asked) -> Result<GroupOutcome, CardsFault> {
    let Asked { group, with, work, emitted, spent, attempts, answers: _ } = asked;
    let mut outcome = settle(&writer.snapshot.manifest, &group, with, emitted);
    let mut results = std::mem::take(&mut outcome.results).into_values().collect();
    let mut holes = std::mem::take(&mut outcome.holes);
    spread(&writer.snapshot, &mut results, &mut holes);
    let event = RunEvent::Settled {
        at: writer.now(),
        work,
        results,
        holes,
        again: outcome.again.iter().flat_map(|group| group.sentences.clone()).collect(),
        spent,
        attempts,
        cut_at: outcome.cut_at,
        strays: outcome.strays,
    };
    writer.write(event).await?;
    Ok(outcome)
}

/// Asks, and retries while the provider is busy.
async fn answer(
    group: SentenceGroup,
    work: u64,
    Question { ask, with }: Question,
    model: &dyn Model,
    refused_rungs: &RefusedRungs,
    clock: &dyn Clock,
) -> Asked {
    let mut usages: Vec<Usage> = Vec::new();
    let mut attempts: Vec<String> = Vec::new();
    let mut answers = 0;
    let mut tries = 0;
    let emitted = loop {
        let emitted = emit::<Flashcards>(model, refused_rungs, &ask).await;
        if let Ok(emitted) = &emitted {
            answers += replies(&emitted.history);
            tell(&emitted.history, &mut usages, &mut attempts);
        }
        let Some(wait) = pause(&emitted, tries, clock.dice()) else { break emitted };
        tries += 1;
        clock.sleep(wait).await;
    };
    let spent = spent(model.facts(), usages.into_iter(), PriceTier::Live);
    Asked { group, with, work, emitted, spent, attempts, answers }
}

/// Attempts that are logged for one group.
const ATTEMPTS_TOLD_MAX: usize = 20;
const ATTEMPT_CHARS_MAX: usize = 200;

pub(super) fn tell(history: &History, usages: &mut Vec<Usage>, attempts: &mut Vec<String>) {
    for attempt in &history.attempts {
        usages.push(attempt.usage);
        if attempts.len() < ATTEMPTS_TOLD_MAX {
            attempts.push(attempt.status.to_string().chars().take(ATTEMPT_CHARS_MAX).collect());
        }
    }
}

fn replies(history: &History) -> usize {
    history.attempts.iter().filter(|attempt| attempt.stop.is_some()).count()
}

fn pause(
    emitted: &Result<EmitOutput<Flashcards>, AskFault>,
    tries: u32,
    dice: f64,
) -> Option<std::time::Duration> {
    match emitted {
        Ok(EmitOutput {
            answer: StructuredAnswer::Partial { why: AnswerFault::Model(fault), .. },
            ..
        }) => polling::wait(fault, tries, dice),
        Ok(_) | Err(_) => None,
    }
}
