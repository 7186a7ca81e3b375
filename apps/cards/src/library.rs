//! The entry point: everything that a program or a page does with cards.
//!
//! In: a store and a clock. Must hold: all state is in the store, so that every process on the
//! same store sees the same.

mod vocabulary;

mod edits;
mod known;
mod packages;
mod push;
mod reviews;

mod migrate;
mod run_cache;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use contract::ModelFacts;
use models::{Clock, Cost};
use store::Store;

pub use self::edits::ImportPreview;
pub(crate) use self::migrate::OldKeys;
pub use self::push::{AnkiCall, AnkiCaller, PushReport};
pub use self::reviews::{DueCard, NewOrder, ReviewChange, ReviewPlan, ReviewQueue};
use self::run_cache::RunCache;
use crate::deck::Deck;
use crate::deck::aggregate::Metrics;
use crate::deck::edit::Edit;
use crate::deck::merge::ContextsMax;
use crate::deck::view::{RunView, SentenceView, TextCounts, Trouble, counts, sentences};
use crate::deck::vocabulary::ContextOrder;
use crate::fault::CardsFault;
use crate::run::estimate::{Estimate, estimate};
use crate::run::event::RunEvent;
use crate::run::journal;
use crate::run::lease::Lease;
use crate::run::progress::{Progress, Stage};
use crate::run::run_info::{RUN_VERSION, RunId, RunInfo};
use crate::run::snapshot::Snapshot;
use crate::run::state::{RunState, SentenceState};
use crate::run::work::{Answerer, Sending, Watcher, WorkEnd, WorkOptions, millis, work};
use crate::text::language::Pair;
use crate::text::manifest::{Chunking, Manifest};

/// Runs, cards, known words and reviews in one store. Clones share it.
#[derive(Clone)]
pub struct Library {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    owner: Option<String>,
    /// Owners whose runs of earlier versions this process has migrated.
    migrated: Arc<Mutex<BTreeSet<Option<String>>>>,
    cache: Arc<RunCache>,
}

/// The settings of a new run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// The name of the text; part of the names of its sentences.
    pub document: String,
    pub pair: Pair,
    pub chunking: Chunking,
}

/// Which sentences a retry sends again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryScope {
    /// Those without cards.
    Holes,
    /// These, whether or not they have cards.
    These(Vec<usize>),
}

impl RetryScope {
    /// The sentences that are meant, among all of a run.
    fn among(&self, states: &[SentenceState]) -> Result<Vec<usize>, CardsFault> {
        match self {
            RetryScope::Holes => Ok(indexes(states, SentenceState::Invalid)),
            RetryScope::These(sentences) => existing(sentences, states),
        }
    }
}

/// The longest text; a thick book has a tenth of it.
pub const TEXT_BYTES_MAX: usize = 16 << 20;
/// As many as one batch takes, and as fit its record in the log.
const SENTENCES_MAX: usize = 100_000;
const DOCUMENT_CHARS_MAX: usize = 200;

impl Library {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, owner: None, migrated: Arc::default(), cache: Arc::default() }
    }

    /// The library of one owner, who sees nothing else.
    #[must_use]
    pub fn of(&self, owner: &str) -> Self {
        Self { owner: Some(owner.to_owned()), ..self.clone() }
    }

    /// The store name of data that belongs to no run.
    fn place(&self, what: &str) -> String {
        match &self.owner {
            Some(owner) => format!("cards-of/{owner}/{what}"),
            None => format!("cards/{what}"),
        }
    }

    fn is_migrated(&self) -> bool {
        let migrated = self.migrated.lock().unwrap_or_else(PoisonError::into_inner);
        migrated.contains(&self.owner)
    }

    fn set_migrated(&self) {
        let mut migrated = self.migrated.lock().unwrap_or_else(PoisonError::into_inner);
        migrated.insert(self.owner.clone());
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> u64 {
        millis(self.clock.now())
    }

    /// Creates a run for a text; the same text is the same run.
    pub async fn begin(&self, text: &str, beginning: &NewRun) -> Result<RunInfo, CardsFault> {
        let id = self.run_id(text, beginning)?;
        if let Some(head) = self.head(&id).await? {
            return Ok(head);
        }
        let (head, manifest) = self.planned(id, text, beginning)?;
        journal::create(&*self.store, &head, text, &manifest).await?;
        Ok(head)
    }

    /// The id of a text's run, if the text can have one.
    fn run_id(&self, text: &str, beginning: &NewRun) -> Result<RunId, CardsFault> {
        check_text(text, &beginning.document)?;
        let NewRun { document, pair, .. } = beginning;
        Ok(RunId::of(document, text, pair, self.owner.as_deref()))
    }

    /// A run of a text that is not in the store.
    fn planned(
        &self,
        id: RunId,
        text: &str,
        beginning: &NewRun,
    ) -> Result<(RunInfo, Manifest), CardsFault> {
        let NewRun { document, pair, chunking } = beginning;
        let manifest = Manifest::of(text, &pair.from, document, *chunking);
        if manifest.sentences.len() > SENTENCES_MAX {
            let what = format!("the text has more than {SENTENCES_MAX} sentences");
            return Err(CardsFault::Input(what));
        }
        let head = RunInfo {
            id,
            document: document.clone(),
            from: pair.from.clone(),
            to: pair.to.clone(),
            engine: manifest.engine,
            sentences: manifest.sentences.len(),
            source_bytes: text.len(),
            created_at: self.now(),
            owner: self.owner.clone(),
            version: RUN_VERSION,
        };
        Ok((head, manifest))
    }

    /// All runs, the newest first.
    pub async fn runs(&self) -> Result<Vec<RunInfo>, CardsFault> {
        let mut heads = journal::heads(&*self.store).await?;
        heads.retain(|head| head.owner == self.owner);
        Ok(heads)
    }

    /// The run of this name, if it is this owner's.
    async fn head(&self, run: &RunId) -> Result<Option<RunInfo>, CardsFault> {
        let head = journal::head(&*self.store, run).await?;
        Ok(head.filter(|head| head.owner == self.owner))
    }

    /// The run of this name, or the newest.
    pub async fn find(&self, run: Option<&RunId>) -> Result<RunInfo, CardsFault> {
        match run {
            Some(run) => {
                let head = self.head(run).await?;
                head.ok_or_else(|| CardsFault::NoRun(run.clone()))
            }
            None => self.runs().await?.into_iter().next().ok_or(CardsFault::NoRuns),
        }
    }

    pub async fn snapshot(&self, run: &RunId) -> Result<Snapshot, CardsFault> {
        self.find(Some(run)).await?;
        journal::load(&*self.store, run).await
    }

    /// The events of a run, from its beginning.
    pub async fn events(&self, run: &RunId) -> Result<Vec<RunEvent>, CardsFault> {
        self.find(Some(run)).await?;
        journal::events(&*self.store, run).await
    }

    pub async fn view(&self, run: &RunId, locale: &str) -> Result<RunView, CardsFault> {
        let snapshot = self.snapshot(run).await?;
        let stage = match (&snapshot.batch, snapshot.machine.state()) {
            (Some(batch), _) => match &batch.id {
                Some(id) => Stage::BatchWaiting { id: id.clone(), since: batch.at },
                None => Stage::BatchSending,
            },
            (None, RunState::Idle) => Stage::Idle,
            (None, RunState::Submitted | RunState::InProgress) => Stage::Working,
            (None, RunState::Ready | RunState::PartlyReady | RunState::Failed) => Stage::Ended,
        };
        let why = snapshot.machine.why();
        Ok(RunView {
            progress: Progress::of(&snapshot, stage),
            partial: snapshot.machine.is_partial(),
            trouble: why.map(|code| Trouble::new(code, snapshot.message.clone(), locale)),
            metrics: Metrics {
                unknown: snapshot.strays,
                ..snapshot.aggregate(ContextsMax::USUAL).metrics
            },
            cost_max: snapshot
                .cost_max
                .map(|pico| Cost { picodollars: u128::from(pico) }.dollars()),
            model: snapshot.model.clone(),
            misfits: snapshot.misfits,
            head: snapshot.head,
        })
    }

    /// The text sentence by sentence, with translations, holes and marked words.
    pub async fn sentences(
        &self,
        run: &RunId,
        locale: &str,
    ) -> Result<Vec<SentenceView>, CardsFault> {
        let snapshot = self.snapshot(run).await?;
        let deck = self.deck_of(&snapshot, ContextsMax::USUAL).await?;
        let memory = self.memory().await?;
        Ok(sentences(&snapshot, &deck, &memory, locale))
    }

    /// Counts of the text and its cards.
    pub async fn counts(&self, run: &RunId) -> Result<TextCounts, CardsFault> {
        let snapshot = self.snapshot(run).await?;
        let deck = self.deck_of(&snapshot, ContextsMax::USUAL).await?;
        Ok(counts(&snapshot, &deck))
    }

    /// The cards of a run as people see them, with what other texts say about their words.
    pub async fn deck(&self, run: &RunId, max: ContextsMax) -> Result<Deck, CardsFault> {
        let head = self.find(Some(run)).await?;
        let words = self.vocabulary(&head.pair()).await?;
        Ok(words.deck(run, max, ContextOrder::OwnFirst))
    }

    /// The cards of all texts of a language pair.
    pub async fn words(&self, pair: &Pair, max: ContextsMax) -> Result<Deck, CardsFault> {
        Ok(self.vocabulary(pair).await?.all(max))
    }

    async fn deck_of(&self, snapshot: &Snapshot, max: ContextsMax) -> Result<Deck, CardsFault> {
        let words = self.vocabulary(&snapshot.head.pair()).await?;
        Ok(words.deck(&snapshot.head.id, max, ContextOrder::OwnFirst))
    }

    /// What the rest of a run will probably cost.
    pub async fn estimate(
        &self,
        run: &RunId,
        facts: &ModelFacts,
        sending: Sending,
    ) -> Result<Estimate, CardsFault> {
        let head = self.find(Some(run)).await?;
        let given = self.given(&head).await?;
        Ok(estimate(&self.snapshot(run).await?, &given, facts, sending.order()))
    }

    /// What a text will probably cost, without creating its run.
    pub async fn estimate_new(
        &self,
        text: &str,
        beginning: &NewRun,
        facts: &ModelFacts,
        sending: Sending,
    ) -> Result<(RunInfo, Estimate), CardsFault> {
        let id = self.run_id(text, beginning)?;
        if let Some(head) = self.head(&id).await? {
            let estimate = self.estimate(&id, facts, sending).await?;
            return Ok((head, estimate));
        }
        let (head, manifest) = self.planned(id, text, beginning)?;
        let given = self.given(&head).await?;
        let snapshot = Snapshot::new(head.clone(), text.to_owned(), manifest);
        Ok((head, estimate(&snapshot, &given, facts, sending.order())))
    }

    /// Works on a run until there is nothing left to do, or a reason to stop.
    pub async fn work(
        &self,
        run: &RunId,
        by: &Answerer,
        options: &WorkOptions,
        watcher: Watcher,
    ) -> Result<WorkEnd, CardsFault> {
        let head = self.find(Some(run)).await?;
        let given = self.given(&head).await?;
        work(&self.store, &self.clock, run, by, options, given, watcher).await
    }

    /// Marks sentences for a retry; returns how many. [`Library::work`] sends them.
    pub async fn retry(&self, run: &RunId, which: &RetryScope) -> Result<usize, CardsFault> {
        self.mark(
            run,
            |snapshot| {
                let states = snapshot.machine.sentences();
                let sentences = which.among(states)?;
                let waits = |index: &usize| {
                    let state = states.get(*index);
                    !matches!(state, Some(SentenceState::Pending | SentenceState::Retrying))
                };
                Ok(sentences.into_iter().filter(waits).collect())
            },
            |at, sentences| RunEvent::Retried { at, sentences },
        )
        .await
    }

    /// Skips sentences; returns how many.
    pub async fn skip(&self, run: &RunId, which: &RetryScope) -> Result<usize, CardsFault> {
        let skipped = self
            .mark(
                run,
                |snapshot| {
                    let states = snapshot.machine.sentences();
                    let sentences = which.among(states)?;
                    let settled = |index: &usize| {
                        let state = states.get(*index);
                        !matches!(state, Some(SentenceState::Received | SentenceState::Skipped))
                    };
                    Ok(sentences.into_iter().filter(settled).collect())
                },
                |at, sentences| RunEvent::Skipped { at, sentences },
            )
            .await?;
        let snapshot = self.snapshot(run).await?;
        let stopped = matches!(snapshot.machine.state(), RunState::PartlyReady | RunState::Failed);
        if stopped && snapshot.machine.waiting() == 0 {
            self.append(run, &RunEvent::Completed { at: self.now() }).await?;
        }
        Ok(skipped)
    }

    /// Stops waiting for a batch that may have been sent.
    pub async fn forget_batch(&self, run: &RunId) -> Result<bool, CardsFault> {
        self.find(Some(run)).await?;
        let lease = Lease::take(&self.store, run).await?;
        let batch = self.snapshot(run).await?.batch;
        if let Some(batch) = &batch {
            let event = RunEvent::BatchForgotten { at: self.now(), number: batch.number };
            self.append(run, &event).await?;
        }
        lease.give_back().await;
        Ok(batch.is_some())
    }

    /// Removes a run that nobody works on. Known words, reviews and edits of cards stay.
    pub async fn remove(&self, run: &RunId) -> Result<(), CardsFault> {
        let head = self.find(Some(run)).await?;
        let lease = Lease::take(&self.store, run).await?;
        let erased = async {
            self.migrate().await?;
            journal::erase(&*self.store, run).await?;
            self.write_edit(&head.pair(), run, Edit::RunRemoved).await
        };
        let erased = erased.await;
        self.cache.forget(run);
        lease.give_back().await;
        erased
    }

    /// Chooses sentences while holding the lease, and records the choice.
    async fn mark(
        &self,
        run: &RunId,
        choose: impl FnOnce(&Snapshot) -> Result<Vec<usize>, CardsFault>,
        event: impl FnOnce(u64, Vec<usize>) -> RunEvent,
    ) -> Result<usize, CardsFault> {
        self.find(Some(run)).await?;
        let lease = Lease::take(&self.store, run).await?;
        let marked = async {
            let chosen = choose(&self.snapshot(run).await?)?;
            let count = chosen.len();
            if count > 0 {
                self.append(run, &event(self.now(), chosen)).await?;
            }
            Ok(count)
        };
        let marked = marked.await;
        lease.give_back().await;
        marked
    }

    async fn append(&self, run: &RunId, event: &RunEvent) -> Result<(), CardsFault> {
        let log = journal::log_name(run, "events")?;
        journal::append(&*self.store, &log, event, None).await
    }
}

fn check_text(text: &str, document: &str) -> Result<(), CardsFault> {
    let fault = |what: String| Err(CardsFault::Input(what));
    if text.trim().is_empty() {
        return fault("the text is empty".to_owned());
    }
    if text.len() > TEXT_BYTES_MAX {
        return fault(format!("the text has more than {TEXT_BYTES_MAX} bytes"));
    }
    if document.chars().count() > DOCUMENT_CHARS_MAX {
        return fault(format!("the name has more than {DOCUMENT_CHARS_MAX} characters"));
    }
    Ok(())
}

fn indexes(states: &[SentenceState], wanted: SentenceState) -> Vec<usize> {
    let found = states.iter().enumerate().filter(|(_, state)| **state == wanted);
    found.map(|(index, _)| index).collect()
}

fn existing(sentences: &[usize], states: &[SentenceState]) -> Result<Vec<usize>, CardsFault> {
    match sentences.iter().find(|index| **index >= states.len()) {
        Some(index) => Err(CardsFault::NoSentence(*index)),
        None => Ok(sentences.to_vec()),
    }
}
