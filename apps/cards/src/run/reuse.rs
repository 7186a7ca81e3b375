//! Sentences that need no request: a model has answered the same sentence before.
//!
//! The same sentence is the same text, white space aside, in the same language pair. Must
//! hold: it is paid for once, in one text and across texts; a sentence that a person asked
//! for again is always sent.

use std::collections::BTreeMap;

use super::event::Hole;
use super::snapshot::Snapshot;
use super::state::SentenceState;
use crate::model::sentence_result::SentenceResult;

/// Answers by the signature of their sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reusable {
    results: BTreeMap<String, SentenceResult>,
}

impl Reusable {
    /// Later answers replace earlier ones.
    pub(crate) fn add(&mut self, results: &BTreeMap<String, SentenceResult>) {
        for (sig, result) in results {
            self.results.insert(sig.clone(), result.clone());
        }
    }

    /// Results for sentences of a run that were never sent.
    pub(crate) fn of(&self, snapshot: &Snapshot) -> BTreeMap<usize, SentenceResult> {
        let states = snapshot.machine.sentences();
        let new = |index: &usize| states.get(*index) == Some(&SentenceState::Pending);
        let result = |index: usize| {
            let sentence = snapshot.manifest.sentences.get(index)?;
            let found = self.results.get(&sentence.sig)?;
            Some((index, SentenceResult { sid: sentence.sid.clone(), ..found.clone() }))
        };
        snapshot.waiting().into_iter().filter(new).filter_map(result).collect()
    }
}

/// The sentences to send: of a repeated one the first; the others get what it gets.
pub(crate) fn without_repeats(snapshot: &Snapshot) -> Vec<usize> {
    let sentences = snapshot.waiting();
    let first = |index: &usize| snapshot.waiting_twins(*index).iter().all(|twin| twin > index);
    sentences.into_iter().filter(first).collect()
}

/// Gives results and holes to the same sentences at other places.
pub(crate) fn spread(
    snapshot: &Snapshot,
    results: &mut Vec<SentenceResult>,
    holes: &mut Vec<Hole>,
) {
    let mut more = Vec::new();
    for result in results.iter() {
        let Some(index) = snapshot.index_of(&result.sid) else { continue };
        for twin in snapshot.waiting_twins(index) {
            let sentence = snapshot.manifest.sentences.get(twin);
            more.extend(
                sentence
                    .map(|sentence| SentenceResult { sid: sentence.sid.clone(), ..result.clone() }),
            );
        }
    }
    results.extend(more);
    let mut more = Vec::new();
    for hole in holes.iter() {
        let twins = snapshot.waiting_twins(hole.index).into_iter();
        more.extend(twins.map(|index| Hole { index, kept: None, ..hole.clone() }));
    }
    holes.extend(more);
}
