//! A run as read from its log: text, manifest, states, results.
//!
//! Must hold: the same records give the same [`Snapshot`]; a record that does not fit its
//! state is skipped and counted, never applied in part.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Hole, RunEvent, Spent};
use super::run_info::RunInfo;
use super::state::{Machine, SentenceState, Step};
use crate::deck::aggregate::{Aggregate, aggregate};
use crate::deck::merge::ContextsMax;
use crate::model::sentence_result::SentenceResult;
use crate::text::manifest::Manifest;

/// A batch that a run has sent, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentBatch {
    pub number: u64,
    pub chunks: Vec<Vec<usize>>,
    /// The provider's id; none while it is unknown whether the batch was accepted.
    pub id: Option<String>,
    pub at: u64,
}

/// Everything about one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub head: RunInfo,
    pub source: String,
    pub manifest: Manifest,
    pub machine: Machine,
    /// The newest result of each sentence.
    pub results: BTreeMap<usize, SentenceResult>,
    pub holes: BTreeMap<usize, Hole>,
    pub spent: Spent,
    /// The limit that a person set, in 10⁻¹² dollars.
    pub cost_max: Option<u64>,
    /// The output limit that was too low for a sentence, by its index.
    pub cut_at: BTreeMap<usize, u32>,
    /// Sentences that were asked about once more because of doubtful meanings.
    pub rechecked: BTreeSet<usize>,
    /// Sentences whose result comes from another text or place.
    pub reused: BTreeSet<usize>,
    /// Cards for sentences that were not asked about.
    pub strays: usize,
    /// A batch whose results are not read yet.
    pub batch: Option<SentBatch>,
    pub model: Option<String>,
    /// Why the run stopped, in a sentence.
    pub message: Option<String>,
    /// The number of the next piece of work, and of the next batch.
    pub next_work: u64,
    pub next_batch: u64,
    /// Records that did not fit: repeated results, steps out of order.
    pub misfits: usize,
    places: BTreeMap<String, usize>,
    /// Sentences that occur more than once, by their signature.
    repeated: BTreeMap<String, Vec<usize>>,
}

impl Snapshot {
    pub(crate) fn new(head: RunInfo, source: String, manifest: Manifest) -> Self {
        let place =
            |sentence: &crate::text::manifest::Sentence| (sentence.sid.clone(), sentence.index);
        let mut repeated: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for sentence in &manifest.sentences {
            repeated.entry(sentence.sig.clone()).or_default().push(sentence.index);
        }
        repeated.retain(|_, indexes| indexes.len() > 1);
        Self {
            repeated,
            machine: Machine::new(manifest.sentences.len()),
            places: manifest.sentences.iter().map(place).collect(),
            head,
            source,
            manifest,
            results: BTreeMap::new(),
            holes: BTreeMap::new(),
            spent: Spent::default(),
            cost_max: None,
            cut_at: BTreeMap::new(),
            rechecked: BTreeSet::new(),
            reused: BTreeSet::new(),
            strays: 0,
            batch: None,
            model: None,
            message: None,
            next_work: 0,
            next_batch: 0,
            misfits: 0,
        }
    }

    pub fn text(&self, index: usize) -> &str {
        self.manifest.text(&self.source, index)
    }

    /// Sentences that are still to be sent.
    pub fn waiting(&self) -> Vec<usize> {
        let waits = |state: &SentenceState| {
            matches!(state, SentenceState::Pending | SentenceState::Retrying)
        };
        let states = self.machine.sentences().iter().enumerate();
        states.filter(|(_, state)| waits(state)).map(|(index, _)| index).collect()
    }

    pub(crate) fn index_of(&self, sid: &str) -> Option<usize> {
        self.places.get(sid).copied()
    }

    /// The same sentence at other places of the text, as far as it is still to be sent.
    pub(crate) fn waiting_twins(&self, index: usize) -> Vec<usize> {
        let sig = self.manifest.sentences.get(index).map(|sentence| sentence.sig.as_str());
        let same = sig.and_then(|sig| self.repeated.get(sig)).map(Vec::as_slice);
        let waits = |twin: &usize| {
            let state = self.machine.sentences().get(*twin);
            matches!(state, Some(SentenceState::Pending | SentenceState::Retrying))
        };
        let others = same.unwrap_or_default().iter().copied().filter(|twin| *twin != index);
        others.filter(waits).collect()
    }

    /// Translations and cards so far: of results, and of holes with partial cards.
    pub fn aggregate(&self, max: ContextsMax) -> Aggregate {
        let hole = self.holes.values().filter(|hole| !self.results.contains_key(&hole.index));
        let kept = hole.filter_map(|hole| hole.kept.clone());
        let results: Vec<_> = self.results.values().cloned().chain(kept).collect();
        aggregate(&self.manifest, &self.source, &self.head.pair(), &results, max)
    }

    pub(crate) fn apply(&mut self, event: RunEvent) {
        match event {
            RunEvent::Submitted { model, .. } => {
                self.model = Some(model);
                self.step(Step::Submit);
            }
            RunEvent::Started { .. } => drop(self.step(Step::Start)),
            RunEvent::Sent { work, .. } => self.next_work = self.next_work.max(work + 1),
            RunEvent::Settled {
                work,
                results,
                holes,
                again,
                spent,
                attempts: _,
                cut_at,
                strays,
                at: _,
            } => {
                self.next_work = self.next_work.max(work + 1);
                self.spent += spent;
                self.strays += strays;
                if let Some(tokens) = cut_at {
                    let missing = again.into_iter().chain(holes.iter().map(|hole| hole.index));
                    for index in missing {
                        let most = self.cut_at.entry(index).or_default();
                        *most = tokens.max(*most);
                    }
                }
                results.into_iter().for_each(|result| self.receive(result));
                holes.into_iter().for_each(|hole| self.hole(hole));
            }
            RunEvent::CostLimited { picodollars, at: _ } => self.cost_max = Some(picodollars),
            RunEvent::Reused { results, at: _ } => {
                let indexes = results.iter().filter_map(|result| self.index_of(&result.sid));
                self.reused = indexes.chain(self.reused.iter().copied()).collect();
                results.into_iter().for_each(|result| self.receive(result));
            }
            RunEvent::Rechecked { sentences, at: _ } => {
                for index in sentences {
                    if self.step(Step::Retry(index)) {
                        self.rechecked.insert(index);
                    }
                }
            }
            RunEvent::RecheckEnded { at: _ } => {
                for index in self.rechecked.clone() {
                    if self.machine.sentences().get(index) == Some(&SentenceState::Retrying) {
                        self.step(Step::Receive(index));
                    }
                }
            }
            RunEvent::Retried { sentences, .. } => {
                self.message = None;
                for index in sentences {
                    self.step(Step::Retry(index));
                }
            }
            RunEvent::Skipped { sentences, .. } => {
                for index in sentences {
                    if self.step(Step::Skip(index)) {
                        self.holes.remove(&index);
                    }
                }
            }
            RunEvent::BatchIntended { number, chunks, at } => {
                self.next_batch = self.next_batch.max(number + 1);
                self.batch = Some(SentBatch { number, chunks, id: None, at });
            }
            RunEvent::BatchSent { number, id, at } => match &mut self.batch {
                Some(batch) if batch.number == number => {
                    (batch.id, batch.at) = (Some(id), at);
                }
                Some(_) | None => self.misfits += 1,
            },
            RunEvent::BatchForgotten { number, .. } | RunEvent::BatchRead { number, .. } => {
                self.batch.take_if(|batch| batch.number == number);
            }
            RunEvent::Completed { .. } => drop(self.step(Step::Complete)),
            RunEvent::Aborted { code, message, .. } => {
                if self.step(Step::Abort(code)) {
                    self.message = Some(message);
                }
            }
            RunEvent::Resumed { .. } => {
                if self.step(Step::Resume) {
                    self.message = None;
                }
            }
        }
    }

    fn receive(&mut self, result: SentenceResult) {
        let Some(index) = self.index_of(&result.sid) else {
            self.misfits += 1;
            return;
        };
        // The first result stays; another one counts only after a person asked for it.
        if self.step(Step::Receive(index)) {
            self.holes.remove(&index);
            self.results.insert(index, result);
        }
    }

    fn hole(&mut self, hole: Hole) {
        // A sentence that was asked about once more has its first answer.
        if self.rechecked.contains(&hole.index) && self.results.contains_key(&hole.index) {
            self.step(Step::Receive(hole.index));
            return;
        }
        // The result from before a retry stays; the hole is only reported.
        if self.step(Step::Fail(hole.index)) {
            self.holes.insert(hole.index, hole);
        }
    }

    fn step(&mut self, step: Step) -> bool {
        match self.machine.take(step) {
            Ok(()) => true,
            Err(bad) => {
                self.misfits += 1;
                tracing::debug!(run = %self.head.id, ?step, %bad, "left out");
                false
            }
        }
    }
}
