//! The results of runs, kept in memory while their logs do not change.
//!
//! A vocabulary is read from all runs of a language; without this, every look at a card would
//! read them all again. Must hold: what is returned is what the log says, because it is kept
//! only together with the number of the log's newest record and the run's time of creation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use store::{Sequence, Store};

use crate::deck::merge::ContextsMax;
use crate::deck::vocabulary::RunCards;
use crate::fault::CardsFault;
use crate::model::offline_model::REHEARSED;
use crate::model::sentence_result::SentenceResult;
use crate::run::journal;
use crate::run::run_info::{RunId, RunInfo};

/// Runs in memory; those beyond are read again.
const RUNS_MAX: usize = 200;

/// What a run knows about its sentences and words.
#[derive(Debug)]
pub(super) struct RunResults {
    pub cards: RunCards,
    /// Complete results of a model by the signature of their sentence.
    pub sentences: BTreeMap<String, SentenceResult>,
}

#[derive(Debug, Default)]
pub(super) struct RunCache {
    /// Held for single looks only, never across an await.
    kept: Mutex<BTreeMap<RunId, (Version, Arc<RunResults>)>>,
}

/// The newest record of a run's log. A run that is made again after it was deleted goes on with
/// the same numbers, at another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    newest: Option<Sequence>,
    created_at: u64,
}

impl RunCache {
    pub(super) async fn results(
        &self,
        store: &dyn Store,
        head: &RunInfo,
    ) -> Result<Arc<RunResults>, CardsFault> {
        let newest = store.log().last(&journal::log_name(&head.id, "events")?).await?;
        let version = Version { newest, created_at: head.created_at };
        if let Some((_, results)) = self.find(&head.id).filter(|(seen, _)| *seen == version) {
            return Ok(results);
        }
        let results = Arc::new(read(store, head).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= RUNS_MAX {
            kept.pop_first();
        }
        // A record that came while it was read is read again next time.
        kept.insert(head.id.clone(), (version, Arc::clone(&results)));
        Ok(results)
    }

    pub(super) fn forget(&self, run: &RunId) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }

    fn find(&self, run: &RunId) -> Option<(Version, Arc<RunResults>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned()
    }
}

async fn read(store: &dyn Store, head: &RunInfo) -> Result<RunResults, CardsFault> {
    let snapshot = journal::load(store, &head.id).await?;
    let cards = RunCards {
        run: head.id.clone(),
        document: head.document.clone(),
        cards: snapshot.aggregate(ContextsMax(usize::MAX)).cards,
    };
    let made = snapshot.results.into_values().filter(|result| !is_rehearsed(result));
    let sentences = made.map(|result| (result.sig.clone(), result)).collect();
    Ok(RunResults { cards, sentences })
}

/// Did the rehearsal make it? It is not worth keeping once there is a model.
fn is_rehearsed(result: &SentenceResult) -> bool {
    result.translation.as_deref() == Some(REHEARSED)
}
