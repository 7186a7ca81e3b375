//! Small statistics: distributions, shares, variety. Rounded, so that files stay readable.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The distribution of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    pub mean: f64,
    pub sd: f64,
    pub p10: f64,
    pub p50: f64,
    pub p90: f64,
    pub max: f64,
}

impl Spread {
    pub(crate) fn of(values: &[usize]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let mean = mean(values);
        let variance = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum::<f64>()
            / values.len() as f64;
        let at = |share: f64| {
            let index = (share * (sorted.len() - 1) as f64).round() as usize;
            sorted.get(index).copied().unwrap_or_default() as f64
        };
        Self {
            mean: rounded(mean),
            sd: rounded(variance.sqrt()),
            p10: at(0.1),
            p50: at(0.5),
            p90: at(0.9),
            max: at(1.0),
        }
    }
}

pub(crate) fn mean(values: &[usize]) -> f64 {
    values.iter().sum::<usize>() as f64 / values.len().max(1) as f64
}

pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    rounded(part as f64 / whole.max(1) as f64)
}

/// Burstiness, B = (σ − μ) / (σ + μ): −1 for even steps, towards 1 for bursts.
pub(crate) fn burstiness(spread: &Spread) -> f64 {
    match spread.sd + spread.mean {
        0.0 => 0.0,
        sum => rounded((spread.sd - spread.mean) / sum),
    }
}

/// The autocorrelation of neighbouring numbers.
pub(crate) fn autocorrelation(values: &[usize]) -> f64 {
    let mean = mean(values);
    let off = |value: &usize| *value as f64 - mean;
    let whole: f64 = values.iter().map(|value| off(value).powi(2)).sum();
    let pairs: f64 = values.windows(2).map(|pair| off(&pair[0]) * off(&pair[1])).sum();
    if whole == 0.0 { 0.0 } else { rounded(pairs / whole) }
}

/// The share of distinct words in a moving window; over all words if there are fewer.
pub(crate) fn moving_variety(words: &[String], window: usize) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let window = window.min(words.len());
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut sum, mut windows) = (0.0, 0_usize);
    for (index, word) in words.iter().enumerate() {
        *counts.entry(word).or_default() += 1;
        if let Some(old) = index.checked_sub(window).and_then(|old| words.get(old))
            && let Some(count) = counts.get_mut(old.as_str())
        {
            *count -= 1;
            if *count == 0 {
                counts.remove(old.as_str());
            }
        }
        if index + 1 >= window {
            sum += counts.len() as f64 / window as f64;
            windows += 1;
        }
    }
    rounded(sum / windows.max(1) as f64)
}
