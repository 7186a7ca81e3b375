//! Sends what is left as one batch, waits for it, and reads its results.
//!
//! Must hold: a batch is written down before it is sent and its id right after; whoever
//! finds the first without the second sends nothing. Results that are not whole are left
//! waiting, for live requests to mend; requests that were never run become holes.

use std::sync::Arc;
use std::time::Duration;

use contract::{FaultKind, Model, ModelFault};
use emit::{AnswerFault, DeferredRequest, EmitOutput, History, RefusedRungs, StructuredAnswer};
use models::{BatchId, BatchRequest, BatchState, Client, Order};

use super::estimate::estimate;
use super::event::{Hole, RunEvent};
use super::live::{question, tell};
use super::piece::{Piece, pieces, settle};
use super::polling;
use super::progress::Stage;
use super::purse::spent;
use super::record::{Record, SentBatch};
use super::work::{Answerer, Patience, Scribe, WorkOptions};
use crate::emitted::Flashcards;
use crate::error_code::ErrorCode;
use crate::fault::CardsFault;

pub(super) enum End {
    /// The results are in the log.
    Read,
    AtWork {
        id: String,
        since: u64,
    },
    Cancelled,
    Stopped(ErrorCode, String),
}

pub(super) async fn run(
    scribe: &mut Scribe,
    by: &Answerer,
    options: &WorkOptions,
) -> Result<End, CardsFault> {
    if scribe.record.batch.is_none() && scribe.record.waiting().is_empty() {
        return Ok(End::Read);
    }
    let Some(client) = &by.batches else {
        let message = format!("{} takes no batches", by.model.facts());
        return Ok(End::Stopped(ErrorCode::ProviderDisabled, message));
    };
    let client = Arc::clone(client);
    if scribe.record.batch.is_none()
        && let Some(stopped) = send(scribe, &client, options).await?
    {
        return Ok(stopped);
    }
    let Some(batch) = scribe.record.batch.clone() else { return Ok(End::Read) };
    let Some(id) = batch.id.clone() else {
        let message = "the program ended while it sent a batch".to_owned();
        return Ok(End::Stopped(ErrorCode::InDoubt, message));
    };
    match wait(scribe, &client, &batch, &id, options).await {
        Ok(None) => read(scribe, &client, &batch, &id).await,
        // There will be no results: whoever goes on sends anew.
        Ok(Some(End::Stopped(code, message))) => {
            scribe
                .write(RunEvent::BatchForgotten { at: scribe.now(), number: batch.number })
                .await?;
            Ok(End::Stopped(code, message))
        }
        Ok(Some(end)) => Ok(end),
        Err(fault) => Ok(End::Stopped(of_batch(&fault), fault.to_string())),
    }
}

/// Sends the batch; an end if it was not sent.
async fn send(
    scribe: &mut Scribe,
    client: &Client,
    options: &WorkOptions,
) -> Result<Option<End>, CardsFault> {
    let estimated = estimate(&scribe.record, client.facts(), Order::Batch).cost;
    if let (Some(cap), Some(cost)) = (options.cost_max, estimated)
        && cost > cap
    {
        let message = format!("the batch will cost about {cost}, more than {cap}");
        return Ok(Some(End::Stopped(ErrorCode::MoneyCap, message)));
    }
    scribe.stage = Stage::BatchSending;
    let number = scribe.record.next_batch;
    let chunks: Vec<Vec<usize>> =
        pieces(&scribe.record).into_iter().map(|piece| piece.sentences).collect();
    let requests = match requests(&scribe.record, client, number, &chunks) {
        Ok(requests) => requests,
        Err(message) => return Ok(Some(End::Stopped(ErrorCode::BadRequest, message))),
    };
    let batches = match client.batches() {
        Ok(batches) => batches,
        Err(fault) => {
            return Ok(Some(End::Stopped(ErrorCode::ProviderDisabled, fault.to_string())));
        }
    };
    scribe.write(RunEvent::BatchIntended { at: scribe.now(), number, chunks }).await?;
    let requests: Vec<_> = requests.into_iter().map(|(request, _)| request).collect();
    match batches.submit(&requests).await {
        Ok(BatchId(id)) => {
            scribe.write(RunEvent::BatchSent { at: scribe.now(), number, id }).await?;
            Ok(None)
        }
        Err(fault) => {
            // An answer with a status is a no; without one nobody knows.
            let refused = fault.status.is_some() || fault.kind == FaultKind::NoKey;
            if refused {
                scribe.write(RunEvent::BatchForgotten { at: scribe.now(), number }).await?;
            }
            let code = if refused { ErrorCode::of_fault(&fault) } else { ErrorCode::InDoubt };
            Ok(Some(End::Stopped(code, fault.to_string())))
        }
    }
}

type Asked = (BatchRequest, DeferredRequest<Flashcards>);

/// The same requests every time: with them the results are read.
fn requests(
    record: &Record,
    client: &Client,
    number: u64,
    chunks: &[Vec<usize>],
) -> Result<Vec<Asked>, String> {
    let refused_rungs = RefusedRungs::default();
    let request = |(at, sentences): (usize, &Vec<usize>)| {
        let piece = Piece { sentences: sentences.clone() };
        let ask = question(record, &piece).map_err(|fault| fault.to_string())?;
        let question = DeferredRequest::<Flashcards>::new(client.facts(), &refused_rungs, &ask)
            .map_err(|fault| fault.to_string())?;
        let request = question.request().clone();
        Ok((BatchRequest { name: format!("b{number}-c{at}"), request }, question))
    };
    chunks.iter().enumerate().map(request).collect()
}

/// Looks until the batch has ended; none when it has.
async fn wait(
    scribe: &mut Scribe,
    client: &Client,
    batch: &SentBatch,
    id: &str,
    options: &WorkOptions,
) -> Result<Option<End>, ModelFault> {
    scribe.stage = Stage::BatchWaiting { id: id.to_owned(), since: batch.at };
    loop {
        scribe.tell();
        let age = Duration::from_millis(scribe.now().saturating_sub(batch.at));
        if polling::is_expired(age) {
            let message = format!("the batch {id} is 29 days old; its results are gone");
            return Ok(Some(End::Stopped(ErrorCode::Expired, message)));
        }
        match client.batches()?.poll(&BatchId(id.to_owned())).await? {
            BatchState::Ended => return Ok(None),
            BatchState::Refused { why } => {
                return Ok(Some(End::Stopped(ErrorCode::BadRequest, why)));
            }
            BatchState::AtWork { .. } | BatchState::Cancelling => {}
        }
        if options.patience == Patience::OneLook {
            return Ok(Some(End::AtWork { id: id.to_owned(), since: batch.at }));
        }
        let pause = scribe.clock.sleep(polling::next_look(age, scribe.clock.dice()));
        tokio::select! {
            () = options.cancel.cancelled() => return Ok(Some(End::Cancelled)),
            () = pause => {}
        }
    }
}

async fn read(
    scribe: &mut Scribe,
    client: &Client,
    batch: &SentBatch,
    id: &str,
) -> Result<End, CardsFault> {
    scribe.stage = Stage::BatchReading;
    scribe.tell();
    let asked = match requests(&scribe.record, client, batch.number, &batch.chunks) {
        Ok(asked) => asked,
        Err(message) => return Ok(End::Stopped(ErrorCode::BadRequest, message)),
    };
    let (requests, questions): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    let results = match client.batches() {
        Ok(batches) => batches.results(&BatchId(id.to_owned()), &requests).await,
        Err(fault) => Err(fault),
    };
    let results = match results {
        Ok(results) => results,
        Err(fault) => return Ok(End::Stopped(of_batch(&fault), fault.to_string())),
    };
    for ((result, question), sentences) in results.into_iter().zip(&questions).zip(&batch.chunks) {
        let piece = Piece { sentences: sentences.clone() };
        let event = match result.answer {
            Ok(reply) => answered(scribe, client, &piece, question.read(&reply)),
            Err(fault) if fault.kind == FaultKind::Truncated && fault.status.is_none() => {
                not_run(scribe, &piece, &fault)
            }
            // Errored: what can be mended is mended by live requests.
            Err(fault) => {
                let answer = StructuredAnswer::Partial {
                    complete: Vec::new(),
                    why: AnswerFault::from(fault),
                };
                answered(scribe, client, &piece, EmitOutput { answer, history: History::default() })
            }
        };
        scribe.write(event).await?;
    }
    scribe.write(RunEvent::BatchRead { at: scribe.now(), number: batch.number }).await?;
    Ok(End::Read)
}

fn answered(
    scribe: &Scribe,
    client: &Client,
    piece: &Piece,
    emitted: EmitOutput<Flashcards>,
) -> RunEvent {
    let (mut usages, mut attempts) = (Vec::new(), Vec::new());
    tell(&emitted.history, &mut usages, &mut attempts);
    if let StructuredAnswer::Partial { why, .. } = &emitted.answer {
        attempts.push(why.to_string().chars().take(200).collect());
    }
    let settled = settle(&scribe.record.manifest, piece, Ok(emitted));
    let done: Vec<_> = settled.results.keys().copied().collect();
    RunEvent::Settled {
        at: scribe.now(),
        work: scribe.record.next_work,
        again: piece.sentences.iter().copied().filter(|index| !done.contains(index)).collect(),
        results: settled.results.into_values().collect(),
        // One sentence alone is asked again too: a batch has no second try of its own.
        holes: Vec::new(),
        spent: spent(client.facts(), usages.into_iter(), Order::Batch),
        attempts,
    }
}

/// Expired, cancelled or lost: a person decides whether to pay for it again.
fn not_run(scribe: &Scribe, piece: &Piece, fault: &ModelFault) -> RunEvent {
    let hole = |index: &usize| Hole {
        index: *index,
        code: ErrorCode::Expired,
        message: fault.message.clone(),
        kept: None,
    };
    RunEvent::Settled {
        at: scribe.now(),
        work: scribe.record.next_work,
        results: Vec::new(),
        holes: piece.sentences.iter().map(hole).collect(),
        again: Vec::new(),
        spent: super::event::Spent::default(),
        attempts: vec![fault.message.clone()],
    }
}

/// A batch that is not there has a code of its own.
fn of_batch(fault: &ModelFault) -> ErrorCode {
    match fault.status {
        Some(404) => ErrorCode::BatchNotFound,
        Some(_) | None => ErrorCode::of_fault(fault),
    }
}
