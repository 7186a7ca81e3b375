//! The vocabulary of a language pair, read from the store.

use std::sync::Arc;

use super::Library;
use super::known::KnownWords;
use super::run_cache::RunResults;
use crate::deck::Deck;
use crate::deck::edit::{Edit, EditRecord, Standing, standing};
use crate::deck::merge::ContextsMax;
use crate::deck::vocabulary::{ContextOrder, Vocabulary};
use crate::fault::CardsFault;
use crate::run::journal;
use crate::run::reuse::Reusable;
use crate::run::run_info::{RunId, RunInfo};
use crate::run::work::Given;
use crate::text::language::Pair;

/// The vocabulary of one language pair, without what the person knows.
pub(super) struct PairWords {
    pub vocabulary: Vocabulary,
    pub known: KnownWords,
}

impl PairWords {
    pub(super) fn deck(&self, run: &RunId, max: ContextsMax, order: ContextOrder) -> Deck {
        self.known.mark(self.vocabulary.deck(run, max, order))
    }

    pub(super) fn all(&self, max: ContextsMax) -> Deck {
        self.known.mark(self.vocabulary.all(max))
    }
}

impl Library {
    pub(super) async fn vocabulary(&self, pair: &Pair) -> Result<PairWords, CardsFault> {
        let edits = self.edits(pair).await?;
        self.vocabulary_with(pair, edits).await
    }

    /// The vocabulary as these edits make it.
    pub(super) async fn vocabulary_with(
        &self,
        pair: &Pair,
        edits: Vec<Standing>,
    ) -> Result<PairWords, CardsFault> {
        let mut runs = Vec::new();
        let mut others = Vec::new();
        for head in self.oldest_first().await? {
            if head.from != pair.from {
                continue;
            }
            let results = self.results(&head).await?;
            match head.to == pair.to {
                true => runs.push(results.cards.clone()),
                false => others.push(results),
            }
        }
        let vocabulary = Vocabulary::new(runs, edits);
        let words = self.known(&pair.from).await?;
        let forms = vocabulary.runs().chain(others.iter().map(|results| &results.cards));
        Ok(PairWords { known: KnownWords::new(&words, forms), vocabulary })
    }

    /// The runs of the owner, the oldest first.
    pub(super) async fn oldest_first(&self) -> Result<Vec<RunInfo>, CardsFault> {
        let mut heads = self.runs().await?;
        heads.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(heads)
    }

    /// What the model said about a run.
    pub(super) async fn results(&self, head: &RunInfo) -> Result<Arc<RunResults>, CardsFault> {
        self.cache.results(&*self.store, head).await
    }

    /// What a run need not ask for.
    pub(super) async fn given(&self, head: &RunInfo) -> Result<Given, CardsFault> {
        let known = self.vocabulary(&head.pair()).await?.known.forms();
        Ok(Given { reusable: self.reusable(head).await?, known })
    }

    /// Results for sentences of the run that a model has answered already, in this run or in
    /// another of the same language pair; the newest counts.
    async fn reusable(&self, head: &RunInfo) -> Result<Reusable, CardsFault> {
        let mut reusable = Reusable::default();
        for other in self.oldest_first().await? {
            if other.pair() == head.pair() {
                reusable.add(&self.results(&other).await?.sentences);
            }
        }
        Ok(reusable)
    }

    /// Every language pair that the owner has a run of.
    pub(super) async fn pairs(&self) -> Result<Vec<Pair>, CardsFault> {
        let mut pairs: Vec<Pair> = Vec::new();
        for head in self.oldest_first().await? {
            let pair = head.pair();
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }

    /// The edits of a language pair that count.
    pub(super) async fn edits(&self, pair: &Pair) -> Result<Vec<Standing>, CardsFault> {
        self.migrate().await?;
        let records = journal::read_all(&*self.store, &self.edits_log(pair)?).await?;
        Ok(standing(records, pair))
    }

    pub(super) async fn write_edit(
        &self,
        pair: &Pair,
        run: &RunId,
        edit: Edit,
    ) -> Result<(), CardsFault> {
        self.migrate().await?;
        let record = EditRecord { run: run.clone(), edit };
        journal::append(&*self.store, &self.edits_log(pair)?, &record, None).await
    }

    pub(super) fn edits_log(&self, pair: &Pair) -> Result<store::LogName, CardsFault> {
        let Pair { from, to } = pair;
        self.place(&format!("vocabulary/{from}/{to}")).parse().map_err(CardsFault::from)
    }
}
