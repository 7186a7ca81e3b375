//! What to do with one answer: keep it, retry with another limit or in smaller groups, leave a
//! hole, or stop.
//!
//! In: the sentences of a request and its answer. Out: [`GroupOutcome`]. Must hold:
//! every sentence of the group is in exactly one of results, holes and retries, or the whole
//! run stops; a group is asked with a higher limit once, then groups get smaller, so that
//! retries end.

mod classify;

use std::collections::{BTreeMap, VecDeque};

use emit::{AnswerFault, AskFault, AttemptStatus, EmitOutput, History, StructuredAnswer};

use self::classify::{can_be_smaller, is_empty_list, is_wrong_form};
use super::event::Hole;
use super::reuse::without_repeats;
use super::snapshot::Snapshot;
use crate::model::error_code::ErrorCode;
use crate::model::prompt::{Flashcard, Flashcards};
use crate::model::sentence_result::{Extent, SentenceResult, Sorted, sort};
use crate::text::manifest::Manifest;

/// Sentences of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceGroup {
    pub sentences: Vec<usize>,
    pub attempt: LimitStep,
}

/// How far the remedies for an answer that was cut off have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitStep {
    /// The usual limit, or more than what was too little before.
    First,
    /// The answer was cut off: the same sentences with more.
    Raised,
    /// It was cut off again: fewer sentences with the same limit.
    Split,
}

/// What a request was sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedWith {
    pub output_tokens: u32,
    /// The most that the model takes.
    pub output_tokens_max: u32,
    /// Groups are not split below this.
    pub sentences_min: usize,
}

/// The outcome of one request.
#[derive(Debug, PartialEq)]
pub(crate) struct GroupOutcome {
    pub results: BTreeMap<usize, SentenceResult>,
    pub holes: Vec<Hole>,
    pub again: Vec<SentenceGroup>,
    /// The run stops: the code, and why.
    pub stop: Option<(ErrorCode, String)>,
    pub usable: Usable,
    /// Cards for sentences that were not asked about.
    pub strays: usize,
    /// The limit that was too low for what is missing.
    pub cut_at: Option<u32>,
}

/// Can the model do what it is asked for?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usable {
    Yes,
    /// Nothing of the answer could be used, because of its form.
    No,
    /// The answer says nothing about that: it was cut off, refused or did not come.
    Unknown,
}

impl Default for GroupOutcome {
    fn default() -> Self {
        Self {
            results: BTreeMap::new(),
            holes: Vec::new(),
            again: Vec::new(),
            stop: None,
            usable: Usable::Unknown,
            strays: 0,
            cut_at: None,
        }
    }
}

/// The sentences to send, in the chunks of the manifest.
pub(crate) fn groups(snapshot: &Snapshot) -> VecDeque<SentenceGroup> {
    chunked(snapshot, without_repeats(snapshot))
}

/// Sentences in the chunks of the manifest.
pub(crate) fn chunked(snapshot: &Snapshot, sentences: Vec<usize>) -> VecDeque<SentenceGroup> {
    let mut groups: VecDeque<(usize, SentenceGroup)> = VecDeque::new();
    for index in sentences {
        let chunk = snapshot.manifest.sentences.get(index).map_or(0, |sentence| sentence.chunk);
        match groups.back_mut() {
            Some((last, group)) if *last == chunk => group.sentences.push(index),
            Some(_) | None => {
                let group = SentenceGroup { sentences: vec![index], attempt: LimitStep::First };
                groups.push_back((chunk, group));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

pub(crate) fn settle(
    manifest: &Manifest,
    group: &SentenceGroup,
    with: AskedWith,
    asked: Result<EmitOutput<Flashcards>, AskFault>,
) -> GroupOutcome {
    let emitted = match asked {
        Ok(emitted) => emitted,
        Err(fault @ AskFault::TooLarge { .. }) => {
            let trouble = (ErrorCode::RequestTooLarge, fault.to_string());
            return smaller(&group.sentences, BTreeMap::new(), trouble, with, LimitStep::First);
        }
        Err(fault) => {
            let stop = Some((ErrorCode::BadRequest, fault.to_string()));
            return GroupOutcome { stop, ..GroupOutcome::default() };
        }
    };
    match emitted.answer {
        StructuredAnswer::Whole(answer) => whole(manifest, group, with, &answer.flashcards),
        StructuredAnswer::Partial { complete, why } => {
            let read = |value| serde_json::from_value::<Flashcard>(value).ok();
            let cards: Vec<_> = complete.into_iter().filter_map(read).collect();
            let extent = extent(&emitted.history);
            partial(group, with, &sort(manifest, &group.sentences, &cards, extent), &why)
        }
    }
}

fn whole(
    manifest: &Manifest,
    group: &SentenceGroup,
    with: AskedWith,
    cards: &[Flashcard],
) -> GroupOutcome {
    let Sorted { complete, strays, .. } = sort(manifest, &group.sentences, cards, Extent::Whole);
    let missing = without(&group.sentences, &complete);
    let message = match strays {
        0 => "the answer has no card for this sentence",
        _ => "the answer is about other sentences",
    };
    let trouble = (ErrorCode::NoCards, message.to_owned());
    let mut outcome = match missing.len() < group.sentences.len() {
        // The missing ones are fewer than before, and get their own request.
        true if !missing.is_empty() => GroupOutcome {
            again: vec![SentenceGroup { sentences: missing, attempt: LimitStep::First }],
            ..GroupOutcome::default()
        },
        true => GroupOutcome::default(),
        false => smaller(&missing, BTreeMap::new(), trouble, with, LimitStep::First),
    };
    outcome.usable = if complete.is_empty() { Usable::No } else { Usable::Yes };
    outcome.strays = strays;
    outcome.results = complete;
    outcome
}

fn partial(
    group: &SentenceGroup,
    with: AskedWith,
    sorted: &Sorted,
    why: &AnswerFault,
) -> GroupOutcome {
    let trouble = match is_empty_list(why) {
        true => (ErrorCode::NoCards, "the answer has no card for this sentence".to_owned()),
        false => (ErrorCode::of_shortfall(why), why.to_string()),
    };
    let rest = without(&group.sentences, &sorted.complete);
    let cut = matches!(why, AnswerFault::OutputLimit { .. });
    let raise =
        cut && group.attempt == LimitStep::First && with.output_tokens < with.output_tokens_max;
    let mut outcome = match can_be_smaller(why) {
        true if raise => {
            let again = vec![SentenceGroup { sentences: rest, attempt: LimitStep::Raised }];
            GroupOutcome { again, ..GroupOutcome::default() }
        }
        true => {
            let next = if cut { LimitStep::Split } else { LimitStep::First };
            smaller(&rest, sorted.partial.clone(), trouble, with, next)
        }
        false => GroupOutcome { stop: Some(trouble), ..GroupOutcome::default() },
    };
    outcome.cut_at = cut.then_some(with.output_tokens);
    outcome.usable = match is_wrong_form(why) {
        true if sorted.complete.is_empty() => Usable::No,
        _ if !sorted.complete.is_empty() => Usable::Yes,
        _ => Usable::Unknown,
    };
    outcome.strays = sorted.strays;
    outcome.results.clone_from(&sorted.complete);
    outcome
}

/// Splits in two halves; what cannot be split becomes holes with their complete cards.
fn smaller(
    rest: &[usize],
    mut kept: BTreeMap<usize, SentenceResult>,
    (code, message): (ErrorCode, String),
    with: AskedWith,
    attempt: LimitStep,
) -> GroupOutcome {
    if rest.len() <= with.sentences_min.max(1) {
        let cut = code == ErrorCode::MaxTokens && with.output_tokens >= with.output_tokens_max;
        let message = match cut {
            true => format!("{message}; the model gives no more"),
            false => message,
        };
        let hole = |index: &usize| Hole {
            index: *index,
            code,
            message: message.clone(),
            kept: kept.remove(index),
        };
        return GroupOutcome { holes: rest.iter().map(hole).collect(), ..GroupOutcome::default() };
    }
    let (one, other) = rest.split_at(rest.len().div_ceil(2));
    let half = |half: &[usize]| SentenceGroup { sentences: half.to_vec(), attempt };
    GroupOutcome { again: vec![half(one), half(other)], ..GroupOutcome::default() }
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
