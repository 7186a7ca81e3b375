//! Sends one request per group of sentences, several at once.

use std::collections::VecDeque;
use std::sync::Arc;

use contract::{Model, Usage};
use emit::{AnswerFault, Ask, AskFault, EmitOutput, History, RefusedRungs, StructuredAnswer, emit};
use models::{Clock, PriceTier};
use tokio::task::JoinSet;

use super::cost_limit::{CostLimit, CostLimitedModel, spent};
use super::event::{RunEvent, Spent};
use super::handle_answer::{GroupOutcome, SentenceGroup, groups, settle};
use super::polling;
use super::progress::Stage;
use super::snapshot::Snapshot;
use super::work::{Answerer, RunWriter, WorkOptions};
use crate::fault::CardsFault;
use crate::model::error_code::ErrorCode;
use crate::model::prompt::{Flashcards, NumberedSentence, ask};

pub(super) enum End {
    Done,
    Cancelled,
    Stopped(ErrorCode, String),
}

/// The result of one request.
struct Asked {
    group: SentenceGroup,
    work: u64,
    emitted: Result<EmitOutput<Flashcards>, AskFault>,
    spent: Spent,
    attempts: Vec<String>,
}

pub(super) async fn run(
    writer: &mut RunWriter,
    by: &Answerer,
    options: &WorkOptions,
) -> Result<End, CardsFault> {
    writer.stage = Stage::Working;
    let cost_limit = CostLimit::new(options.cost_max, writer.snapshot.spent);
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
            let ask = question(&writer.snapshot, &group)?;
            let work = writer.snapshot.next_work;
            let (at, sentences) = (writer.now(), group.sentences.clone());
            writer.in_flight += sentences.len();
            writer.write(RunEvent::Sent { at, work, sentences }).await?;
            let (model, refused_rungs) = (Arc::clone(&model), Arc::clone(&refused_rungs));
            let clock = Arc::clone(&writer.clock);
            tasks.spawn(async move {
                answer(group, work, &ask, &*model, &refused_rungs, &*clock).await
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
        let settled = write_outcome(writer, asked).await?;
        // Retries come first: a text is read from its beginning.
        settled.again.into_iter().rev().for_each(|group| queue.push_front(group));
        stop = stop.or(settled.stop);
    }
    Ok(match stop {
        Some((_, message)) if cost_limit.is_tripped() => End::Stopped(ErrorCode::MoneyCap, message),
        Some((code, message)) => End::Stopped(code, message),
        None => End::Done,
    })
}

/// The request for a group.
pub(super) fn question(snapshot: &Snapshot, group: &SentenceGroup) -> Result<Ask, CardsFault> {
    let line = |index: &usize| NumberedSentence { index: *index, text: snapshot.text(*index) };
    let lines: Vec<_> = group.sentences.iter().map(line).collect();
    ask(&snapshot.head.from, &snapshot.head.to, &lines).map_err(CardsFault::Damaged)
}

/// Writes the outcome of a group in one record.
async fn write_outcome(writer: &mut RunWriter, asked: Asked) -> Result<GroupOutcome, CardsFault> {
    let Asked { group, work, emitted, spent, attempts } = asked;
    let mut settled = settle(&writer.snapshot.manifest, &group, emitted);
    let event = RunEvent::Settled {
        at: writer.now(),
        work,
        results: std::mem::take(&mut settled.results).into_values().collect(),
        holes: settled.holes.clone(),
        again: settled.again.iter().flat_map(|group| group.sentences.clone()).collect(),
        spent,
        attempts,
    };
    writer.write(event).await?;
    Ok(settled)
}

/// Asks, and retries while the provider is busy.
async fn answer(
    group: SentenceGroup,
    work: u64,
    ask: &Ask,
    model: &dyn Model,
    refused_rungs: &RefusedRungs,
    clock: &dyn Clock,
) -> Asked {
    let mut usages: Vec<Usage> = Vec::new();
    let mut attempts: Vec<String> = Vec::new();
    let mut tries = 0;
    let emitted = loop {
        let emitted = emit::<Flashcards>(model, refused_rungs, ask).await;
        if let Ok(emitted) = &emitted {
            tell(&emitted.history, &mut usages, &mut attempts);
        }
        let Some(wait) = pause(&emitted, tries, clock.dice()) else { break emitted };
        tries += 1;
        clock.sleep(wait).await;
    };
    let spent = spent(model.facts(), usages.into_iter(), PriceTier::Live);
    Asked { group, work, emitted, spent, attempts }
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
