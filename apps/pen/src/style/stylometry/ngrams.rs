//! Character n-grams of three to five letters: a fingerprint without a dictionary.

use std::collections::HashMap;

use super::numbers::rounded;
use crate::text::fold;

const RUNS_MAX: usize = 40;

pub(crate) fn letter_runs(all: &str) -> Vec<(String, f64)> {
    let letters: Vec<char> =
        fold(all).split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let mut counts: HashMap<&[char], usize> = HashMap::new();
    for length in 3..=5 {
        for run in letters.windows(length) {
            *counts.entry(run).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    let rate = |count: usize| rounded(count as f64 * 1_000.0 / letters.len().max(1) as f64);
    let runs = counts.into_iter().take(RUNS_MAX);
    runs.map(|(run, count)| (run.iter().collect(), rate(count))).collect()
}
