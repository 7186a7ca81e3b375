//! Asks for cards piece by piece, several pieces at once.

use std::collections::VecDeque;
use std::sync::Arc;

use contract::{Model, Usage};
use emit::{AnswerFault, Ask, AskFault, EmitOutput, History, RefusedRungs, StructuredAnswer, emit};
use models::{Clock, Order};
use tokio::task::JoinSet;

use super::event::{RunEvent, Spent};
use super::piece::{Piece, Settled, pieces, settle};
use super::polling;
use super::progress::Stage;
use super::purse::{Metered, Purse, spent};
use super::record::Record;
use super::work::{Answerer, Scribe, WorkOptions};
use crate::emitted::{Flashcards, Line, ask};
use crate::error_code::ErrorCode;
use crate::fault::CardsFault;

pub(super) enum End {
    Done,
    Cancelled,
    Stopped(ErrorCode, String),
}

/// What came of one piece.
struct Asked {
    piece: Piece,
    work: u64,
    emitted: Result<EmitOutput<Flashcards>, AskFault>,
    spent: Spent,
    attempts: Vec<String>,
}

pub(super) async fn run(
    scribe: &mut Scribe,
    by: &Answerer,
    options: &WorkOptions,
) -> Result<End, CardsFault> {
    scribe.stage = Stage::Working;
    let purse = Purse::new(options.cost_max, scribe.record.spent);
    let model: Arc<dyn Model> =
        Arc::new(Metered { model: Arc::clone(&by.model), purse: Arc::clone(&purse) });
    let refused_rungs = Arc::new(RefusedRungs::default());
    let mut queue: VecDeque<Piece> = pieces(&scribe.record);
    let mut tasks: JoinSet<Asked> = JoinSet::new();
    let mut stop: Option<(ErrorCode, String)> = None;
    loop {
        while stop.is_none() && tasks.len() < options.requests_at_once_max.max(1) {
            let Some(piece) = queue.pop_front() else { break };
            let ask = question(&scribe.record, &piece)?;
            let work = scribe.record.next_work;
            let (at, sentences) = (scribe.now(), piece.sentences.clone());
            scribe.in_flight += sentences.len();
            scribe.write(RunEvent::Sent { at, work, sentences }).await?;
            let (model, refused_rungs) = (Arc::clone(&model), Arc::clone(&refused_rungs));
            let clock = Arc::clone(&scribe.clock);
            tasks.spawn(async move {
                answer(piece, work, &ask, &*model, &refused_rungs, &*clock).await
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
        scribe.in_flight = scribe.in_flight.saturating_sub(asked.piece.sentences.len());
        let settled = record(scribe, asked).await?;
        // What is asked again comes first: a text is read from its beginning.
        settled.again.into_iter().rev().for_each(|piece| queue.push_front(piece));
        stop = stop.or(settled.stop);
    }
    Ok(match stop {
        Some((_, message)) if purse.is_tripped() => End::Stopped(ErrorCode::MoneyCap, message),
        Some((code, message)) => End::Stopped(code, message),
        None => End::Done,
    })
}

/// The question about a piece.
pub(super) fn question(record: &Record, piece: &Piece) -> Result<Ask, CardsFault> {
    let line = |index: &usize| Line { index: *index, text: record.text(*index) };
    let lines: Vec<_> = piece.sentences.iter().map(line).collect();
    ask(&record.head.from, &record.head.to, &lines).map_err(CardsFault::Damaged)
}

/// Writes what came of a piece, in one record.
async fn record(scribe: &mut Scribe, asked: Asked) -> Result<Settled, CardsFault> {
    let Asked { piece, work, emitted, spent, attempts } = asked;
    let mut settled = settle(&scribe.record.manifest, &piece, emitted);
    let event = RunEvent::Settled {
        at: scribe.now(),
        work,
        results: std::mem::take(&mut settled.results).into_values().collect(),
        holes: settled.holes.clone(),
        again: settled.again.iter().flat_map(|piece| piece.sentences.clone()).collect(),
        spent,
        attempts,
    };
    scribe.write(event).await?;
    Ok(settled)
}

/// Asks, and asks again as long as the provider is only busy.
async fn answer(
    piece: Piece,
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
    let spent = spent(model.facts(), usages.into_iter(), Order::Live);
    Asked { piece, work, emitted, spent, attempts }
}

/// Attempts that are told of one piece; more tell nothing new.
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
