//! Ranks passages: by the words of a question (BM25), by its meaning (cosine), and by both
//! (reciprocal rank fusion). No I/O.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::search::Source;
use crate::vectors::{DocumentVectors, Vector};
use crate::words::Word;

/// The usual constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// How much a stem counts beside its exact word.
const STEM_WEIGHT: f64 = 0.5;
/// The usual constant of reciprocal rank fusion.
const FUSION: f64 = 60.0;
/// How many passages of each ranking count in the fusion.
const FUSED_MAX: usize = 50;

/// The number of a source, and of a passage in it.
pub(crate) type PassageAt = (usize, u32);

/// Every passage that has a word of the question, the best first.
pub(crate) fn by_words(sources: &[Source], terms: &[Word]) -> Vec<(PassageAt, f64)> {
    let spans: usize = sources.iter().map(|source| source.index.spans.len()).sum();
    let all_words: u64 = sources.iter().map(|source| source.index.words()).sum();
    let average = (float(all_words) / float(count(spans.max(1)))).max(1.0);
    let mut scores: BTreeMap<PassageAt, f64> = BTreeMap::new();
    for (term, weight) in weighted(terms) {
        let found: usize = sources.iter().map(|source| source.index.postings(term).len()).sum();
        if found == 0 {
            continue;
        }
        let (all, found) = (float(count(spans)), float(count(found)));
        let rarity = (1.0 + (all - found + 0.5) / (found + 0.5)).ln();
        for (at, source) in sources.iter().enumerate() {
            for posting in source.index.postings(term) {
                let span = source.index.spans.get(posting.span as usize);
                let length = span.map_or(0.0, |span| f64::from(span.words));
                let times = f64::from(posting.count);
                let fit = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / average));
                *scores.entry((at, posting.span)).or_default() += weight * rarity * fit;
            }
        }
    }
    sorted(scores.into_iter().collect())
}

fn weighted(terms: &[Word]) -> impl Iterator<Item = (&str, f64)> {
    terms.iter().flat_map(|word| {
        let stem = word.stem.as_deref().map(|stem| (stem, STEM_WEIGHT));
        std::iter::once((word.exact.as_str(), 1.0)).chain(stem)
    })
}

/// Every passage that has a vector, the nearest to the question first. The vectors are those of
/// the sources, in their order.
pub(crate) fn by_meaning(
    sources: &[Source],
    vectors: &[Arc<DocumentVectors>],
    query: &Vector,
) -> Vec<(PassageAt, f64)> {
    let mut scores = Vec::new();
    for (at, (source, vectors)) in sources.iter().zip(vectors).enumerate() {
        for (number, id) in (0_u32..).zip(source.index.passage_ids()) {
            if let Some(vector) = vectors.by_passage.get(id) {
                scores.push(((at, number), vector.cosine(query)));
            }
        }
    }
    sorted(scores)
}

/// Both rankings as one. What is first in both has the score 1. Of two with the same score the
/// one with the words comes first: the nearest in meaning may still be far.
pub(crate) fn fused(
    by_words: &[(PassageAt, f64)],
    by_meaning: &[(PassageAt, f64)],
) -> Vec<(PassageAt, f64)> {
    let mut scores: BTreeMap<PassageAt, (f64, f64)> = BTreeMap::new();
    for (is_words, ranking) in [(true, by_words), (false, by_meaning)] {
        for (rank, (at, _)) in (1_u32..).zip(ranking.iter().take(FUSED_MAX)) {
            let share = (FUSION + 1.0) / (FUSION + f64::from(rank)) / 2.0;
            let (score, of_words) = scores.entry(*at).or_default();
            *score += share;
            *of_words += if is_words { share } else { 0.0 };
        }
    }
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(|(a, x), (b, y)| y.0.total_cmp(&x.0).then(y.1.total_cmp(&x.1)).then(a.cmp(b)));
    scores.into_iter().map(|(at, (score, _))| (at, score)).collect()
}

fn sorted(mut scores: Vec<(PassageAt, f64)>) -> Vec<(PassageAt, f64)> {
    scores.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
    scores
}

#[expect(clippy::cast_precision_loss, reason = "a score needs no more digits")]
fn float(number: u64) -> f64 {
    number as f64
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
