//! When cards are due again.

use super::{Learning, Memory, Rating, Review};
use crate::library::OldKeys;

const DAY: u64 = 86_400_000;
const NOW: u64 = 1_800_000_000_000;

fn review(word: &str, rating: Rating, at: u64) -> Review {
    Review { key: format!("lv:uk:word:{word}").parse().unwrap(), rating, at }
}

#[test]
fn a_card_that_is_known_comes_ever_later_and_one_that_is_not_comes_soon() {
    let key = "lv:uk:word:suns".parse().unwrap();
    let mut memory = Memory::default();
    assert_eq!((memory.due(&key), memory.learning(&key)), (None, Learning::New));
    let [again, hard, good, easy] = memory.intervals(&key, NOW);
    assert!(again < hard && hard < good && good < easy);
    let mut at = NOW;
    let mut last = 0;
    for _ in 0..4 {
        memory.add(&review("suns", Rating::Good, at));
        let next = memory.due(&key).unwrap();
        assert!(next - at > last, "each wait is longer");
        (last, at) = (next - at, next);
    }
    assert!(last > 5 * DAY);
    assert_eq!(memory.learning(&key), Learning::Known);
    memory.add(&review("suns", Rating::Again, at));
    assert!(memory.due(&key).unwrap() - at < DAY);
    assert_eq!(memory.learning(&key), Learning::Relearning);
}

#[test]
fn the_log_alone_gives_the_same_memory() {
    let log: Vec<_> = [(Rating::Good, 0), (Rating::Hard, 1), (Rating::Easy, 9)]
        .map(|(rating, day)| review("suns", rating, NOW + day * DAY))
        .to_vec();
    let key = "lv:uk:word:suns".parse().unwrap();
    let memory = |log: Vec<Review>| Memory::new(log, OldKeys::default());
    let one = memory(log.clone());
    assert_eq!(one.due(&key), memory(log).due(&key));
    assert_eq!((one.begun_since(NOW), one.begun_since(NOW + 1)), (1, 0));
}
