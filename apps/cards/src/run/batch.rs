//! Sends what is left as one batch, waits for it, and reads its results.
//!
//! Must hold: the log has a batch before it is sent, and its id right after; a process that
//! finds the first without the second sends nothing. Sentences with incomplete results wait
//! for interactive requests; requests that never ran become holes.

use std::sync::Arc;
use std::time::Duration;

use contract::{FaultKind, Model, ModelFault};
use emit::{AnswerFault, DeferredRequest, EmitOutput, History, RefusedRungs, StructuredAnswer};
use models::{BatchId, BatchRequest, BatchState, Client, PriceTier};

use super::cost_limit::spent;
use super::estimate::estimate;
use super::event::{Hole, RunEvent};
use super::handle_answer::{SentenceGroup, groups, settle};
use super::interactive::{question, tell};
use super::polling;
use super::progress::Stage;
use super::snapshot::{SentBatch, Snapshot};
use super::work::{Answerer, Patience, RunWriter, WorkOptions};
use crate::fault::CardsFault;
use crate::model::error_code::ErrorCode;
use crate::model::prompt::Flashcards;

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
    writer: &mut RunWriter,
    by: &Answerer,
    options: &WorkOptions,
) -> Result<End, CardsFault> {
    if writer.snapshot.batch.is_none() && writer.snapshot.waiting().is_empty() {
        return Ok(End::Read);
    }
    let Some(client) = &by.batches else {
        let message = format!("{} takes no batches", by.model.facts());
        return Ok(End::Stopped(ErrorCode::ProviderDisabled, message));
    };
    let client = Arc::clone(client);
    if writer.snapshot.batch.is_none()
        && let Some(stopped) = send(writer, &client, options).await?
    {
        return Ok(stopped);
    }
    let Some(batch) = writer.snapshot.batch.clone() else { return Ok(End::Read) };
    let Some(id) = batch.id.clone() else {
        let message = "the program ended while it sent a batch".to_owned();
        return Ok(End::Stopped(ErrorCode::InDoubt, message));
    };
    match wait(writer, &client, &batch, &id, options).await {
        Ok(None) => read(writer, &client, &batch, &id).await,
        // There will be no results: a resumed run sends it again.
        Ok(Some(End::Stopped(code, message))) => {
            writer
                .write(RunEvent::BatchForgotten { at: writer.now(), number: batch.number })
                .await?;
            Ok(End::Stopped(code, message))
        }
        Ok(Some(end)) => Ok(end),
        Err(fault) => Ok(End::Stopped(of_batch(&fault), fault.to_string())),
    }
}

/// Sends the batch; returns why it was not sent.
async fn send(
    writer: &mut RunWriter,
    client: &Client,
    options: &WorkOptions,
) -> Result<Option<End>, CardsFault> {
    let estimated = estimate(&writer.snapshot, client.facts(), PriceTier::Batch).cost;
    if let (Some(cap), Some(cost)) = (options.cost_max, estimated)
        && cost > cap
    {
        let message = format!("the batch will cost about {cost}, more than {cap}");
        return Ok(Some(End::Stopped(ErrorCode::MoneyCap, message)));
    }
    writer.stage = Stage::BatchSending;
    let number = writer.snapshot.next_batch;
    let chunks: Vec<Vec<usize>> =
        groups(&writer.snapshot).into_iter().map(|group| group.sentences).collect();
    let requests = match requests(&writer.snapshot, client, number, &chunks) {
        Ok(requests) => requests,
        Err(message) => return Ok(Some(End::Stopped(ErrorCode::BadRequest, message))),
    };
    let batches = match client.batches() {
        Ok(batches) => batches,
        Err(fault) => {
            return Ok(Some(End::Stopped(ErrorCode::ProviderDisabled, fault.to_string())));
        }
    };
    writer.write(RunEvent::BatchIntended { at: writer.now(), number, chunks }).await?;
    let requests: Vec<_> = requests.into_iter().map(|(request, _)| request).collect();
    match batches.submit(&requests).await {
        Ok(BatchId(id)) => {
            writer.write(RunEvent::BatchSent { at: writer.now(), number, id }).await?;
            Ok(None)
        }
        Err(fault) => {
            // With a status it was refused; without one the outcome is unknown.
            let refused = fault.status.is_some() || fault.kind == FaultKind::NoKey;
            if refused {
                writer.write(RunEvent::BatchForgotten { at: writer.now(), number }).await?;
            }
            let code = if refused { ErrorCode::of_fault(&fault) } else { ErrorCode::InDoubt };
            Ok(Some(End::Stopped(code, fault.to_string())))
        }
    }
}

type Asked = (BatchRequest, DeferredRequest<Flashcards>);

/// The same requests every time: the results are read with them.
fn requests(
    snapshot: &Snapshot,
    client: &Client,
    number: u64,
    chunks: &[Vec<usize>],
) -> Result<Vec<Asked>, String> {
    let refused_rungs = RefusedRungs::default();
    let request = |(at, sentences): (usize, &Vec<usize>)| {
        let group = SentenceGroup { sentences: sentences.clone() };
        let ask = question(snapshot, &group).map_err(|fault| fault.to_string())?;
        let question = DeferredRequest::<Flashcards>::new(client.facts(), &refused_rungs, &ask)
            .map_err(|fault| fault.to_string())?;
        let request = question.request().clone();
        Ok((BatchRequest { name: format!("b{number}-c{at}"), request }, question))
    };
    chunks.iter().enumerate().map(request).collect()
}

/// Polls until the batch has ended; none when it has.
async fn wait(
    writer: &mut RunWriter,
    client: &Client,
    batch: &SentBatch,
    id: &str,
    options: &WorkOptions,
) -> Result<Option<End>, ModelFault> {
    writer.stage = Stage::BatchWaiting { id: id.to_owned(), since: batch.at };
    loop {
        writer.tell();
        let age = Duration::from_millis(writer.now().saturating_sub(batch.at));
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
        let pause = writer.clock.sleep(polling::next_look(age, writer.clock.dice()));
        tokio::select! {
            () = options.cancel.cancelled() => return Ok(Some(End::Cancelled)),
            () = pause => {}
        }
    }
}

async fn read(
    writer: &mut RunWriter,
    client: &Client,
    batch: &SentBatch,
    id: &str,
) -> Result<End, CardsFault> {
    writer.stage = Stage::BatchReading;
    writer.tell();
    let asked = match requests(&writer.snapshot, client, batch.number, &batch.chunks) {
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
        let group = SentenceGroup { sentences: sentences.clone() };
        let event = match result.answer {
            Ok(reply) => answered(writer, client, &group, question.read(&reply)),
            Err(fault) if fault.kind == FaultKind::Truncated && fault.status.is_none() => {
                not_run(writer, &group, &fault)
            }
            // Errored: interactive requests repair what they can.
            Err(fault) => {
                let answer = StructuredAnswer::Partial {
                    complete: Vec::new(),
                    why: AnswerFault::from(fault),
                };
                answered(writer, client, &group, EmitOutput { answer, history: History::default() })
            }
        };
        writer.write(event).await?;
    }
    writer.write(RunEvent::BatchRead { at: writer.now(), number: batch.number }).await?;
    Ok(End::Read)
}

fn answered(
    writer: &RunWriter,
    client: &Client,
    group: &SentenceGroup,
    emitted: EmitOutput<Flashcards>,
) -> RunEvent {
    let (mut usages, mut attempts) = (Vec::new(), Vec::new());
    tell(&emitted.history, &mut usages, &mut attempts);
    if let StructuredAnswer::Partial { why, .. } = &emitted.answer {
        attempts.push(why.to_string().chars().take(200).collect());
    }
    let settled = settle(&writer.snapshot.manifest, group, Ok(emitted));
    let done: Vec<_> = settled.results.keys().copied().collect();
    RunEvent::Settled {
        at: writer.now(),
        work: writer.snapshot.next_work,
        again: group.sentences.iter().copied().filter(|index| !done.contains(index)).collect(),
        results: settled.results.into_values().collect(),
        // A single sentence is sent again too: a batch has no retries.
        holes: Vec::new(),
        spent: spent(client.facts(), usages.into_iter(), PriceTier::Batch),
        attempts,
    }
}

/// Expired, cancelled or lost: a person decides whether to pay for it again.
fn not_run(writer: &RunWriter, group: &SentenceGroup, fault: &ModelFault) -> RunEvent {
    let hole = |index: &usize| Hole {
        index: *index,
        code: ErrorCode::Expired,
        message: fault.message.clone(),
        kept: None,
    };
    RunEvent::Settled {
        at: writer.now(),
        work: writer.snapshot.next_work,
        results: Vec::new(),
        holes: group.sentences.iter().map(hole).collect(),
        again: Vec::new(),
        spent: super::event::Spent::default(),
        attempts: vec![fault.message.clone()],
    }
}

/// A missing batch has its own code.
fn of_batch(fault: &ModelFault) -> ErrorCode {
    match fault.status {
        Some(404) => ErrorCode::BatchNotFound,
        Some(_) | None => ErrorCode::of_fault(fault),
    }
}
