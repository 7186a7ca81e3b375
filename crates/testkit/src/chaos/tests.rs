//! The plan is the seed's alone.

use super::chance::Chance;

#[test]
fn a_seed_is_a_plan() {
    let numbers = |seed: u64| {
        let mut chance = Chance::new(seed);
        [(); 4].map(|()| chance.below(1_000))
    };
    assert_eq!(numbers(7), numbers(7));
    assert_ne!(numbers(7), numbers(8));
}
