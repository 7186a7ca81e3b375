//! For any answer, no sentence is lost and retries end.

use contract::{FaultKind, ModelFault, Rung, Usage};
use emit::{AnswerFault, Attempt, AttemptStatus, EmitOutput, History, StructuredAnswer};
use proptest::prelude::*;
use serde_json::json;

use super::{AskedWith, GroupOutcome, LimitStep, SentenceGroup, Usable, settle};
use crate::model::error_code::ErrorCode;
use crate::model::prompt::Flashcards;
use crate::text::manifest::{Chunking, Manifest};

const SENTENCES: usize = 8;

fn manifest() -> Manifest {
    let text = "Suns rej. ".repeat(SENTENCES);
    Manifest::of(&text, &"lv".parse().unwrap(), "t", Chunking::usual())
}

fn cards(sids: &[u32]) -> Vec<serde_json::Value> {
    let card = |sid: &u32| json!({ "base_form": "suns", "contexts": [{ "sid": sid }] });
    sids.iter().map(card).collect()
}

fn fault(kind: FaultKind) -> AnswerFault {
    AnswerFault::Model(ModelFault {
        kind,
        message: "no".to_owned(),
        fix: "wait".to_owned(),
        status: None,
        retry_after: None,
    })
}

fn shortfall() -> impl Strategy<Value = AnswerFault> {
    prop_oneof![
        Just(AnswerFault::OutputLimit { tokens: 9 }),
        Just(AnswerFault::ContextExceeded),
        Just(AnswerFault::Refused { text: String::new() }),
        Just(AnswerFault::Paused { times: 1 }),
        Just(AnswerFault::Missing),
        Just(AnswerFault::Unfit { complaints: Vec::new() }),
        Just(AnswerFault::Requests { max: 1 }),
        Just(fault(FaultKind::TooLarge)),
        Just(fault(FaultKind::RateLimited)),
        Just(fault(FaultKind::WrongKey)),
    ]
}

fn history(unfit: usize) -> History {
    let attempt = Attempt {
        rung: Rung::Native,
        output_tokens: 9,
        stop: None,
        usage: Usage::default(),
        status: AttemptStatus::Cut,
        complete: 0,
        unfit,
    };
    History { attempts: vec![attempt] }
}

/// Every index that a settled group speaks of, once for each time.
fn spoken_of(settled: &GroupOutcome) -> Vec<usize> {
    let again = settled.again.iter().flat_map(|group| group.sentences.clone());
    let holes = settled.holes.iter().map(|hole| hole.index);
    let mut all: Vec<_> = settled.results.keys().copied().chain(again).chain(holes).collect();
    all.sort_unstable();
    all
}

const WITH: AskedWith =
    AskedWith { output_tokens: 1_024, output_tokens_max: 8_192, sentences_min: 1 };

fn group(sentences: &[usize]) -> SentenceGroup {
    SentenceGroup { sentences: sentences.to_vec(), attempt: LimitStep::First }
}

proptest! {
    #[test]
    fn fc_09_every_sentence_is_received_asked_again_or_a_hole_and_pieces_get_smaller(
        asked in proptest::sample::subsequence((0..SENTENCES).collect::<Vec<_>>(), 1..=SENTENCES),
        sids in proptest::collection::vec(0u32..10, 0..12),
        why in proptest::option::of(shortfall()),
        unfit in 0usize..2,
        attempt in prop_oneof![Just(LimitStep::First), Just(LimitStep::Raised), Just(LimitStep::Split)],
    ) {
        let group = SentenceGroup { sentences: asked.clone(), attempt };
        let answer = match why {
            Some(why) => StructuredAnswer::Partial { complete: cards(&sids), why },
            None => {
                let whole = json!({ "flashcards": cards(&sids) });
                StructuredAnswer::Whole(serde_json::from_value::<Flashcards>(whole).unwrap())
            }
        };
        let settled = settle(&manifest(), &group, WITH, Ok(EmitOutput { answer, history: history(unfit) }));
        if settled.stop.is_some() {
            prop_assert!(settled.holes.is_empty() && settled.again.is_empty());
            prop_assert!(settled.results.keys().all(|index| asked.contains(index)));
        } else {
            prop_assert_eq!(&spoken_of(&settled), &asked);
        }
        for again in &settled.again {
            let raised = (attempt, again.attempt) == (LimitStep::First, LimitStep::Raised);
            prop_assert!(raised || again.sentences.len() < asked.len());
        }
        prop_assert!(settled.holes.len() <= 1, "a hole is one sentence that was asked alone");
    }
}

#[test]
fn cards_between_which_some_may_be_missing_make_no_sentence_complete() {
    let group = group(&[0, 1, 2]);
    let settled = |unfit| {
        let answer = StructuredAnswer::Partial {
            complete: cards(&[0, 1, 2]),
            why: AnswerFault::OutputLimit { tokens: 9 },
        };
        settle(&manifest(), &group, WITH, Ok(EmitOutput { answer, history: history(unfit) }))
    };
    assert_eq!(settled(0).results.len(), 2);
    assert_eq!(settled(1).results.len(), 0);
}

#[test]
fn one_sentence_alone_leaves_a_hole_with_the_cards_that_came() {
    let answer = StructuredAnswer::Partial {
        complete: cards(&[3]),
        why: AnswerFault::OutputLimit { tokens: 9 },
    };
    let group = SentenceGroup { attempt: LimitStep::Raised, ..group(&[3]) };
    let settled = settle(&manifest(), &group, WITH, Ok(EmitOutput { answer, history: history(0) }));
    let hole = &settled.holes[0];
    assert_eq!((hole.index, hole.code), (3, ErrorCode::MaxTokens));
    assert_eq!(hole.kept.as_ref().unwrap().cards.len(), 1);
}

#[test]
fn a_group_is_not_split_below_the_smallest() {
    let with = AskedWith { sentences_min: 2, ..WITH };
    let refused = || {
        let why = AnswerFault::Refused { text: String::new() };
        EmitOutput {
            answer: StructuredAnswer::Partial { complete: Vec::new(), why },
            history: history(0),
        }
    };
    let four = settle(&manifest(), &group(&[0, 1, 2, 3]), with, Ok(refused()));
    assert_eq!(four.again, [group(&[0, 1]), group(&[2, 3])]);
    let two = settle(&manifest(), &group(&[0, 1]), with, Ok(refused()));
    assert_eq!((two.holes.len(), two.again.len()), (2, 0));
}

#[test]
fn fc_08_a_card_for_another_sentence_is_counted_and_an_empty_list_is_no_bad_json() {
    let whole = json!({ "flashcards": cards(&[0, 7, 9]) });
    let answer = StructuredAnswer::Whole(serde_json::from_value::<Flashcards>(whole).unwrap());
    let emitted = EmitOutput { answer, history: history(0) };
    let outcome = settle(&manifest(), &group(&[0]), WITH, Ok(emitted));
    assert_eq!((outcome.strays, outcome.results.len(), outcome.usable), (2, 1, Usable::Yes));
    let complaint = |keyword: &str| dialect::Complaint {
        pointer: "/flashcards".to_owned(),
        keyword: keyword.to_owned(),
        message: "too short".to_owned(),
    };
    let check = |keyword: &str, expected: ErrorCode| {
        let why = AnswerFault::Unfit { complaints: vec![complaint(keyword)] };
        let answer = StructuredAnswer::Partial { complete: Vec::new(), why };
        let emitted = EmitOutput { answer, history: history(0) };
        let outcome = settle(&manifest(), &group(&[0]), WITH, Ok(emitted));
        assert_eq!((outcome.holes[0].code, outcome.usable), (expected, Usable::No));
    };
    check("minItems", ErrorCode::NoCards);
    check("type", ErrorCode::BadJson);
}
