//! The plan depends only on the seed.

use super::random::Random;

#[test]
fn the_same_seed_gives_the_same_plan() {
    let numbers = |seed: u64| {
        let mut random = Random::new(seed);
        [(); 4].map(|()| random.below(1_000))
    };
    assert_eq!(numbers(7), numbers(7));
    assert_ne!(numbers(7), numbers(8));
}
