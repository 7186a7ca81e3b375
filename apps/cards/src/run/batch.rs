//! Sends what is left as batches, waits for them, and reads their results.
//!
//! Must hold: the log has a batch before it is sent, and its id right after; a process that
//! finds the first without the second sends nothing. A batch has only as many requests as the
//! cost limit allows if each answer is as long as it may be; the rest follows in the next one.
//! Sentences with incomplete results wait for interactive requests; requests that never ran
//! become holes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use contract::{FaultKind, Model, ModelFacts, ModelFault};
use emit::{AnswerFault, DeferredRequest, EmitOutput, History, RefusedRungs, StructuredAnswer};
use models::{BatchId, BatchRequest, BatchState, Client, Cost, PriceTier};

use super::brake::Brake;
use super::cost_limit::{most, spent};
use super::event::{Hole, RunEvent};
use super::handle_answer::{AskedWith, LimitStep, SentenceGroup, Usable, groups, settle};
use super::interactive::tell;
use super::known_forms::KnownForms;
use super::polling;
use super::progress::{Stage, cost_of};
use super::question::{Question, question};
use super::reuse::spread;
use super::snapshot::{SentBatch, Snapshot};
use super::work::{Answerer, Patience, RunWriter, WorkOptions};
use crate::fault::CardsFault;
use crate::model::ask_settings::AskSettings;
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

/// What every step of a batch needs.
struct Batching<'a> {
    client: Arc<Client>,
    options: &'a WorkOptions,
    cost_max: Option<Cost>,
}

pub(super) async fn run(
    writer: &mut RunWriter,
    by: &Answerer,
    options: &WorkOptions,
    cost_max: Option<Cost>,
    brake: &mut Brake,
) -> Result<End, CardsFault> {
    if writer.snapshot.batch.is_none() && writer.snapshot.waiting().is_empty() {
        return Ok(End::Read);
    }
    let Some(client) = &by.batches else {
        let message = format!("{} takes no batches", by.model.facts());
        return Ok(End::Stopped(ErrorCode::ProviderDisabled, message));
    };
    let batching = Batching { client: Arc::clone(client), options, cost_max };
    if writer.snapshot.batch.is_some() {
        match batching.collect(writer, brake).await? {
            End::Read if options.sending == super::work::Sending::Live => return Ok(End::Read),
            End::Read => {}
            end @ (End::AtWork { .. } | End::Cancelled | End::Stopped(..)) => return Ok(end),
        }
    }
    // What was in the batch that was just read is repaired live.
    let mut queue = groups(&writer.snapshot);
    queue.retain(|group| group.sentences.iter().all(|index| !writer.batched.contains(index)));
    while !queue.is_empty() {
        if let Some(stopped) = batching.send(writer, &mut queue).await? {
            return Ok(stopped);
        }
        match batching.collect(writer, brake).await? {
            End::Read => {}
            end @ (End::AtWork { .. } | End::Cancelled | End::Stopped(..)) => return Ok(end),
        }
    }
    Ok(End::Read)
}

impl Batching<'_> {
    /// Sends as much of the queue as may be paid for; returns why nothing was sent.
    async fn send(
        &self,
        writer: &mut RunWriter,
        queue: &mut VecDeque<SentenceGroup>,
    ) -> Result<Option<End>, CardsFault> {
        writer.stage = Stage::BatchSending;
        let number = writer.snapshot.next_batch;
        let mut chunks: Vec<Vec<usize>> =
            queue.iter().map(|group| group.sentences.clone()).collect();
        let mut requests = match self.requests(&writer.snapshot, &writer.known, number, &chunks) {
            Ok(requests) => requests,
            Err(message) => return Ok(Some(End::Stopped(ErrorCode::BadRequest, message))),
        };
        let fits = self.affordable(writer, &requests);
        if fits == 0 {
            let message = format!(
                "the next request could cost more than is left: {} of {} spent",
                cost_of(&writer.snapshot.spent).unwrap_or_default(),
                self.cost_max.unwrap_or_default()
            );
            return Ok(Some(End::Stopped(ErrorCode::MoneyCap, message)));
        }
        chunks.truncate(fits);
        requests.truncate(fits);
        queue.drain(..fits);
        let batches = match self.client.batches() {
            Ok(batches) => batches,
            Err(fault) => {
                return Ok(Some(End::Stopped(ErrorCode::ProviderDisabled, fault.to_string())));
            }
        };
        writer.write(RunEvent::BatchIntended { at: writer.now(), number, chunks }).await?;
        let requests: Vec<_> = requests.into_iter().map(|asked| asked.request).collect();
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

    /// How many of the requests the cost limit allows, if each answer is as long as it may be.
    fn affordable(&self, writer: &RunWriter, requests: &[Asked]) -> usize {
        let Some(cap) = self.cost_max else { return requests.len() };
        let mut sum = cost_of(&writer.snapshot.spent).unwrap_or_default();
        let within = |asked: &&Asked| {
            sum += most(self.client.facts(), &asked.request.request, PriceTier::Batch);
            sum <= cap
        };
        requests.iter().take_while(within).count()
    }

    /// Waits for the batch that was sent, and reads its results.
    async fn collect(&self, writer: &mut RunWriter, brake: &mut Brake) -> Result<End, CardsFault> {
        let Some(batch) = writer.snapshot.batch.clone() else { return Ok(End::Read) };
        let Some(id) = batch.id.clone() else {
            let message = "the program ended while it sent a batch".to_owned();
            return Ok(End::Stopped(ErrorCode::InDoubt, message));
        };
        match wait(writer, &self.client, &batch, &id, self.options).await {
            Ok(None) => self.read(writer, &batch, &id, brake).await,
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

    /// The same requests every time: the results are read with them.
    fn requests(
        &self,
        snapshot: &Snapshot,
        known: &KnownForms,
        number: u64,
        chunks: &[Vec<usize>],
    ) -> Result<Vec<Asked>, String> {
        let refused_rungs = RefusedRungs::default();
        let settings: &AskSettings = &self.options.ask;
        let request = |(at, sentences): (usize, &Vec<usize>)| {
            let group = SentenceGroup { sentences: sentences.clone(), attempt: LimitStep::First };
            let Question { ask, with } =
                question(snapshot, &group, known, settings, self.client.facts())
                    .map_err(|fault| fault.to_string())?;
            let deferred =
                DeferredRequest::<Flashcards>::new(self.client.facts(), &refused_rungs, &ask)
                    .map_err(|fault| fault.to_string())?;
            let request = deferred.request().clone();
            let request = BatchRequest { name: format!("b{number}-c{at}"), request };
            let facts = self.client.facts().clone();
            Ok(Asked { group, with, request, deferred, facts })
        };
        chunks.iter().enumerate().map(request).collect()
    }

    async fn read(
        &self,
        writer: &mut RunWriter,
        batch: &SentBatch,
        id: &str,
        brake: &mut Brake,
    ) -> Result<End, CardsFault> {
        writer.stage = Stage::BatchReading;
        writer.tell();
        let asked =
            match self.requests(&writer.snapshot, &writer.known, batch.number, &batch.chunks) {
                Ok(asked) => asked,
                Err(message) => return Ok(End::Stopped(ErrorCode::BadRequest, message)),
            };
        let requests: Vec<_> = asked.iter().map(|asked| asked.request.clone()).collect();
        let results = match self.client.batches() {
            Ok(batches) => batches.results(&BatchId(id.to_owned()), &requests).await,
            Err(fault) => Err(fault),
        };
        let results = match results {
            Ok(results) => results,
            Err(fault) => return Ok(End::Stopped(of_batch(&fault), fault.to_string())),
        };
        let mut stop = None;
        for (result, asked) in results.into_iter().zip(&asked) {
            writer.batched.extend(&asked.group.sentences);
            let (event, usable) = match result.answer {
                Ok(reply) => answered(writer, asked, asked.deferred.read(&reply)),
                Err(fault) if fault.kind == FaultKind::Truncated && fault.status.is_none() => {
                    (not_run(writer, &asked.group, &fault), Usable::Unknown)
                }
                // Errored: interactive requests repair what they can.
                Err(fault) => {
                    let answer = StructuredAnswer::Partial {
                        complete: Vec::new(),
                        why: AnswerFault::from(fault),
                    };
                    answered(writer, asked, EmitOutput { answer, history: History::default() })
                }
            };
            writer.write(event).await?;
            stop = brake.add(usable, 1).or(stop);
        }
        writer.write(RunEvent::BatchRead { at: writer.now(), number: batch.number }).await?;
        Ok(stop.map_or(End::Read, |(code, message)| End::Stopped(code, message)))
    }
}

/// One request of a batch.
struct Asked {
    group: SentenceGroup,
    with: AskedWith,
    request: BatchRequest,
    deferred: DeferredRequest<Flashcards>,
    facts: ModelFacts,
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

fn answered(
    writer: &RunWriter,
    asked: &Asked,
    emitted: EmitOutput<Flashcards>,
) -> (RunEvent, Usable) {
    let Asked { group, with, .. } = asked;
    let (mut usages, mut attempts) = (Vec::new(), Vec::new());
    tell(&emitted.history, &mut usages, &mut attempts);
    if let StructuredAnswer::Partial { why, .. } = &emitted.answer {
        attempts.push(why.to_string().chars().take(200).collect());
    }
    let outcome = settle(&writer.snapshot.manifest, group, *with, Ok(emitted));
    let done: Vec<_> = outcome.results.keys().copied().collect();
    let mut results = outcome.results.into_values().collect();
    spread(&writer.snapshot, &mut results, &mut Vec::new());
    let event = RunEvent::Settled {
        at: writer.now(),
        work: writer.snapshot.next_work,
        again: group.sentences.iter().copied().filter(|index| !done.contains(index)).collect(),
        results,
        // A single sentence is sent again too: a batch has no retries.
        holes: Vec::new(),
        spent: spent(&asked.facts, usages.into_iter(), PriceTier::Batch),
        attempts,
        cut_at: outcome.cut_at,
        strays: outcome.strays,
    };
    (event, outcome.usable)
}

/// Expired, cancelled or lost: a person decides whether to pay for it again.
fn not_run(writer: &RunWriter, group: &SentenceGroup, fault: &ModelFault) -> RunEvent {
    let hole = |index: &usize| Hole {
        index: *index,
        code: ErrorCode::Expired,
        message: fault.message.clone(),
        kept: None,
    };
    let mut holes = group.sentences.iter().map(hole).collect();
    spread(&writer.snapshot, &mut Vec::new(), &mut holes);
    RunEvent::Settled {
        at: writer.now(),
        work: writer.snapshot.next_work,
        results: Vec::new(),
        holes,
        again: Vec::new(),
        spent: super::event::Spent::default(),
        attempts: vec![fault.message.clone()],
        cut_at: None,
        strays: 0,
    }
}

/// A missing batch has its own code.
fn of_batch(fault: &ModelFault) -> ErrorCode {
    match fault.status {
        Some(404) => ErrorCode::BatchNotFound,
        Some(_) | None => ErrorCode::of_fault(fault),
    }
}
