//! What to do with one answer: keep it, retry in smaller groups, leave a hole, or stop.
//!
//! In: the sentences of a request and its answer. Out: [`GroupOutcome`]. Must hold:
//! every sentence of the group is in exactly one of results, holes and retries, or the whole
//! run stops; groups only get smaller, down to one sentence, so that retries end.

use std::collections::{BTreeMap, VecDeque};

use contract::FaultKind;
use emit::{AnswerFault, AskFault, AttemptStatus, EmitOutput, History, StructuredAnswer};

use super::event::Hole;
use super::snapshot::Snapshot;
use crate::model::error_code::ErrorCode;
use crate::model::prompt::{Flashcard, Flashcards};
use crate::model::sentence_result::{Extent, SentenceResult, Sorted, sort};
use crate::text::manifest::Manifest;

/// Sentences of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceGroup {
    pub sentences: Vec<usize>,
}

/// The outcome of one request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct GroupOutcome {
    pub results: BTreeMap<usize, SentenceResult>,
    pub holes: Vec<Hole>,
    pub again: Vec<SentenceGroup>,
    /// The run stops: the code, and why.
    pub stop: Option<(ErrorCode, String)>,
}

/// The sentences to send, in the chunks of the manifest.
pub(crate) fn groups(snapshot: &Snapshot) -> VecDeque<SentenceGroup> {
    let mut groups: VecDeque<(usize, SentenceGroup)> = VecDeque::new();
    for index in snapshot.waiting() {
        let chunk = snapshot.manifest.sentences.get(index).map_or(0, |sentence| sentence.chunk);
        match groups.back_mut() {
            Some((last, group)) if *last == chunk => group.sentences.push(index),
            Some(_) | None => groups.push_back((chunk, SentenceGroup { sentences: vec![index] })),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

pub(crate) fn settle(
    manifest: &Manifest,
    group: &SentenceGroup,
    asked: Result<EmitOutput<Flashcards>, AskFault>,
) -> GroupOutcome {
    let emitted = match asked {
        Ok(emitted) => emitted,
        Err(fault @ AskFault::TooLarge { .. }) => {
            let trouble = (ErrorCode::RequestTooLarge, fault.to_string());
            return smaller(&group.sentences, BTreeMap::new(), trouble);
        }
        Err(fault) => {
            let stop = Some((ErrorCode::BadRequest, fault.to_string()));
            return GroupOutcome { stop, ..GroupOutcome::default() };
        }
    };
    match emitted.answer {
        StructuredAnswer::Whole(answer) => whole(manifest, group, &answer.flashcards),
        StructuredAnswer::Partial { complete, why } => {
            let read = |value| serde_json::from_value::<Flashcard>(value).ok();
            let cards: Vec<_> = complete.into_iter().filter_map(read).collect();
            let extent = extent(&emitted.history);
            partial(group, &sort(manifest, &group.sentences, &cards, extent), &why)
        }
    }
}

fn whole(manifest: &Manifest, group: &SentenceGroup, cards: &[Flashcard]) -> GroupOutcome {
    let Sorted { complete, strays, .. } = sort(manifest, &group.sentences, cards, Extent::Whole);
    let missing = without(&group.sentences, &complete);
    let trouble = match strays {
        0 => (ErrorCode::NoCards, "the answer has no card for this sentence".to_owned()),
        _ => (ErrorCode::BadJson, "the answer is about other sentences".to_owned()),
    };
    let mut settled = match missing.len() < group.sentences.len() {
        // The missing ones are fewer than before, and get their own request.
        true if !missing.is_empty() => GroupOutcome {
            again: vec![SentenceGroup { sentences: missing }],
            ..GroupOutcome::default()
        },
        true => GroupOutcome::default(),
        false => smaller(&missing, BTreeMap::new(), trouble),
    };
    settled.results = complete;
    settled
}

fn partial(group: &SentenceGroup, sorted: &Sorted, why: &AnswerFault) -> GroupOutcome {
    let trouble = (ErrorCode::of_shortfall(why), why.to_string());
    let rest = without(&group.sentences, &sorted.complete);
    let mut settled = match can_be_smaller(why) {
        true => smaller(&rest, sorted.partial.clone(), trouble),
        false => GroupOutcome { stop: Some(trouble), ..GroupOutcome::default() },
    };
    settled.results.clone_from(&sorted.complete);
    settled
}

/// Can a smaller request succeed, or is the model as a whole the problem?
fn can_be_smaller(why: &AnswerFault) -> bool {
    match why {
        AnswerFault::OutputLimit { .. }
        | AnswerFault::ContextExceeded
        | AnswerFault::Refused { .. }
        | AnswerFault::Paused { .. }
        | AnswerFault::Unfit { .. }
        | AnswerFault::Missing
        | AnswerFault::Requests { .. } => true,
        AnswerFault::Model(fault) => match fault.kind {
            FaultKind::TooLarge | FaultKind::ContextExceeded => true,
            FaultKind::NoKey
            | FaultKind::WrongKey
            | FaultKind::UnknownModel
            | FaultKind::Unreachable
            | FaultKind::BadRequest
            | FaultKind::RateLimited
            | FaultKind::SpendCap
            | FaultKind::Overloaded
            | FaultKind::Truncated
            | FaultKind::Garbled
            | FaultKind::TimedOut => false,
        },
    }
}

/// Splits in two halves; a single sentence becomes a hole with its complete cards.
fn smaller(
    rest: &[usize],
    mut kept: BTreeMap<usize, SentenceResult>,
    (code, message): (ErrorCode, String),
) -> GroupOutcome {
    match rest {
        [] => GroupOutcome::default(),
        [index] => {
            let hole = Hole { index: *index, code, message, kept: kept.remove(index) };
            GroupOutcome { holes: vec![hole], ..GroupOutcome::default() }
        }
        several => {
            let (one, other) = several.split_at(several.len().div_ceil(2));
            let again =
                [one, other].map(|half| SentenceGroup { sentences: half.to_vec() }).to_vec();
            GroupOutcome { again, ..GroupOutcome::default() }
        }
    }
}

fn without(sentences: &[usize], done: &BTreeMap<usize, SentenceResult>) -> Vec<usize> {
    sentences.iter().copied().filter(|index| !done.contains_key(index)).collect()
}

/// Were the cards cut at the end, or may some be missing in between?
fn extent(history: &History) -> Extent {
    let holed = history
        .attempts
        .iter()
        .any(|attempt| attempt.unfit > 0 || matches!(attempt.status, AttemptStatus::Unfit(_)));
    if holed { Extent::Holed } else { Extent::Cut }
}

#[cfg(test)]
mod tests;
