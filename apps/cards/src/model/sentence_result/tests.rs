//! FC-09: what is kept of a truncated answer; any prefix yields complete cards only.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Extent, Sorted, sort};
use crate::model::prompt::Flashcard;
use crate::text::manifest::{Chunking, Manifest};

const TEXT: &str = "Suns rej. Kaķis skrien. Putns dzied. Zivs peld.";

fn manifest() -> Manifest {
    Manifest::of(TEXT, &"lv".parse().unwrap(), "t", Chunking::usual())
}

fn card(word: &str, sid: u32) -> Value {
    json!({ "base_form": word, "contexts": [{ "sid": sid, "translation": format!("t{sid}") }] })
}

fn sorted(cards: &[Value], asked: &[usize], extent: Extent) -> Sorted {
    let read = |card: &Value| serde_json::from_value::<Flashcard>(card.clone()).unwrap();
    sort(&manifest(), asked, &cards.iter().map(read).collect::<Vec<_>>(), extent)
}

#[track_caller]
fn check(cards: &[Value], extent: Extent, complete: &[usize], partial: &[usize]) {
    let sorted = sorted(cards, &[0, 1, 2, 3], extent);
    assert_eq!(sorted.complete.keys().copied().collect::<Vec<_>>(), complete);
    assert_eq!(sorted.partial.keys().copied().collect::<Vec<_>>(), partial);
}

#[test]
fn fc_09_of_a_cut_answer_only_sentences_before_the_last_one_are_complete() {
    let cards = [card("suns", 0), card("riet", 0), card("kaķis", 1), card("skriet", 1)];
    check(&cards, Extent::Whole, &[0, 1], &[]);
    check(&cards, Extent::Cut, &[0], &[1]);
    check(&cards, Extent::Holed, &[], &[0, 1]);
    // Out of order nothing is certain.
    check(&[card("kaķis", 1), card("suns", 0)], Extent::Cut, &[], &[0, 1]);
}

#[test]
fn a_card_of_several_sentences_is_in_each_of_them() {
    let card = json!({ "base_form": "un", "contexts": [{ "sid": 0 }, { "sid": 2 }] });
    let sorted = sorted(&[card], &[0, 1, 2], Extent::Whole);
    assert_eq!(sorted.complete.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(sorted.complete[&0].sig, manifest().sentences[0].sig);
}

#[test]
fn fc_08_a_card_of_no_sentence_of_the_question_is_counted_and_left_out() {
    let sorted = sorted(&[card("x", 3), card("y", 99), card("suns", 0)], &[0, 1], Extent::Whole);
    assert_eq!((sorted.strays, sorted.complete.len()), (2, 1));
}

proptest! {
    /// The text of a valid answer, cut anywhere, salvaged as the program does it.
    #[test]
    fn fc_09_any_prefix_yields_all_whole_cards_and_no_half_one(
        sids in proptest::collection::vec(0u32..4, 1..8),
        words in proptest::collection::vec("[a-zā\"\\\\{}\\[\\],:]{1,8}", 8),
        cut in 0.0..1.0f64,
    ) {
        let mut sids = sids;
        sids.sort_unstable();
        let cards: Vec<Value> =
            sids.iter().zip(&words).map(|(sid, word)| card(word, *sid)).collect();
        let text = json!({ "flashcards": cards }).to_string();
        let at = text.floor_char_boundary((text.len() as f64 * cut) as usize);
        let prefix = &text[..at];
        let saved = models::salvage(prefix);
        let saved: Vec<Value> = saved
            .and_then(|value| value.get("flashcards").and_then(Value::as_array).cloned())
            .unwrap_or_default();
        // How many cards end before the cut, counted from the text itself.
        let mut whole = 0;
        let mut end = "{\"flashcards\":[".len();
        for card in &cards {
            end += card.to_string().len();
            whole += usize::from(end <= at);
            end += 1;
        }
        prop_assert_eq!(&saved[..], &cards[..whole]);
        let sorted = sorted(&saved, &[0, 1, 2, 3], Extent::Cut);
        let last = saved.last().map(|card| card["contexts"][0]["sid"].as_u64().unwrap());
        for (index, result) in &sorted.complete {
            prop_assert!((*index as u64) < last.unwrap());
            let wanted = cards.iter().filter(|card| card["contexts"][0]["sid"] == *index).count();
            prop_assert_eq!(result.cards.len(), wanted, "a complete sentence has all its cards");
        }
    }
}
