//! Percentiles of measured times.

use super::Percentiles;

/// TK-18
#[test]
fn tk_18_percentiles_are_right_for_one_two_and_a_thousand() {
    let check = |samples: Vec<u64>, expected: [u64; 5]| {
        let Percentiles { min, p50, p95, p99, max, .. } = Percentiles::of(samples);
        assert_eq!([min, p50, p95, p99, max], expected);
    };
    check(vec![], [0; 5]);
    check(vec![7], [7; 5]);
    check(vec![9, 1], [1, 1, 9, 9, 9]);
    check((1..=1000).rev().collect(), [1, 500, 950, 990, 1000]);
}
