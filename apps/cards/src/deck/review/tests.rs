//! When cards are due again.

use super::{Learning, Memory, Rating, Recall, Review, ReviewRecord};
use crate::library::OldKeys;

const DAY: u64 = 86_400_000;
const NOW: u64 = 1_800_000_000_000;
const MEANING: Recall = Recall::Meaning;

fn review(word: &str, rating: Rating, at: u64) -> Review {
    let key = format!("lv:uk:word:{word}").parse().unwrap();
    Review { key, recall: MEANING, rating, at, id: None }
}

fn memory(log: Vec<ReviewRecord>) -> Memory {
    Memory::new(log, OldKeys::default())
}

#[test]
fn a_card_that_is_known_comes_ever_later_and_one_that_is_not_comes_soon() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let mut memory = Memory::default();
    assert_eq!((memory.due(&key, MEANING), memory.learning(&key, MEANING)), (None, Learning::New));
    let [again, hard, good, easy] = memory.intervals(&key, MEANING, NOW);
    assert!(again < hard && hard < good && good < easy);
    let mut at = NOW;
    let mut last = 0;
    for _ in 0..4 {
        memory.add(&review("suns", Rating::Good, at));
        let next = memory.due(&key, MEANING).unwrap();
        assert!(next - at > last, "each wait is longer");
        (last, at) = (next - at, next);
    }
    assert!(last > 5 * DAY);
    assert_eq!(memory.learning(&key, MEANING), Learning::Known);
    memory.add(&review("suns", Rating::Again, at));
    assert!(memory.due(&key, MEANING).unwrap() - at < DAY);
    assert_eq!(memory.learning(&key, MEANING), Learning::Relearning);
}

fn log() -> Vec<ReviewRecord> {
    [(Rating::Good, 0), (Rating::Hard, 1), (Rating::Easy, 9)]
        .map(|(rating, day)| ReviewRecord::Given(review("suns", rating, NOW + day * DAY)))
        .to_vec()
}

#[test]
fn the_log_alone_gives_the_same_memory() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let one = memory(log());
    assert_eq!(one.due(&key, MEANING), memory(log()).due(&key, MEANING));
    assert_eq!((one.begun_since(NOW), one.begun_since(NOW + 1)), (1, 0));
    assert_eq!((one.reviews_since(NOW), one.reviews_since(NOW + DAY)), (3, 2));
}

#[test]
fn a_review_that_arrives_late_counts_at_the_time_it_was_made() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let mut late = log();
    late.rotate_left(1);
    assert_eq!(memory(late).due(&key, MEANING), memory(log()).due(&key, MEANING));
}

#[test]
fn an_undone_review_never_happened_wherever_its_undo_is_in_the_log() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let mut slip = review("suns", Rating::Again, NOW + 20 * DAY);
    slip.id = Some("slip".parse().unwrap());
    let undone = ReviewRecord::Undone { undone: "slip".parse().unwrap(), at: NOW + 20 * DAY };
    let before = memory(log()).due(&key, MEANING);
    let mut with = log();
    with.push(ReviewRecord::Given(slip));
    assert_ne!(memory(with.clone()).due(&key, MEANING), before);
    for place in [0, with.len()] {
        let mut all = with.clone();
        all.insert(place, undone.clone());
        let memory = memory(all);
        assert_eq!((memory.due(&key, MEANING), memory.reviews_since(NOW)), (before, 3));
    }
}

#[test]
fn the_word_and_the_gap_are_remembered_apart_from_the_meaning() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let mut other = review("suns", Rating::Easy, NOW);
    other.recall = Recall::Word;
    let memory = memory(vec![ReviewRecord::Given(other)]);
    assert_eq!(memory.learning(&key, MEANING), Learning::New);
    assert_eq!(memory.learning(&key, Recall::Gap), Learning::New);
    assert!(memory.due(&key, Recall::Word).unwrap() > NOW + DAY);
}

#[test]
fn records_of_earlier_versions_are_reviews_of_the_meaning() {
    let old = r#"{"key":"lv:word:suns","rating":"good","at":1}"#;
    let record: ReviewRecord = serde_json::from_str(old).unwrap();
    let ReviewRecord::Given(review) = &record else { panic!("{record:?}") };
    assert_eq!((review.recall, &review.id), (MEANING, &None));
    assert_eq!(serde_json::to_string(&record).unwrap(), old);
}

#[test]
fn an_id_is_short_and_plain() {
    for (id, fits) in [("a-B_9", true), ("", false), ("a b", false), (&"x".repeat(65), false)] {
        assert_eq!(id.parse::<super::ReviewId>().is_ok(), fits, "{id}");
    }
}
