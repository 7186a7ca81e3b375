//! The rhythm: lengths of sentences and paragraphs, blank lines between them.

use serde::{Deserialize, Serialize};

use super::numbers::{Spread, autocorrelation, burstiness, mean, rounded, share};
use crate::text::{lines, paragraphs, sentences, words};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rhythm {
    /// Words in a sentence.
    pub sentence_words: Spread,
    /// Of all sentences, those of at most four words.
    pub fragment_share: f64,
    pub burstiness: f64,
    pub autocorrelation: f64,
    /// The smallest and largest mean of a single post.
    pub post_mean_range: (f64, f64),
    pub paragraph_words: Spread,
    pub paragraph_sentences: Spread,
    /// Of all lines, the empty ones.
    pub blank_line_share: f64,
    /// Of all lines with words, those that are one sentence.
    pub sentence_per_line_share: f64,
}

pub(crate) fn sentence_texts<'a>(posts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    posts.iter().flat_map(|post| sentences(post).into_iter().map(|span| &post[span]))
}

/// The words of each sentence.
pub(crate) fn sentence_lengths(post: &str) -> Vec<usize> {
    sentences(post).into_iter().map(|span| words(&post[span]).count()).collect()
}

impl Rhythm {
    pub(crate) fn of(posts: &[&str]) -> Self {
        let by_post: Vec<Vec<usize>> = posts.iter().map(|post| sentence_lengths(post)).collect();
        let all: Vec<usize> = by_post.iter().flatten().copied().collect();
        let sentence_words = Spread::of(&all);
        let means = by_post.iter().filter(|one| !one.is_empty()).map(|one| mean(one));
        let range = means
            .fold((f64::MAX, 0.0), |(low, high): (f64, f64), mean| (low.min(mean), high.max(mean)));
        let blocks: Vec<&str> = posts
            .iter()
            .flat_map(|post| paragraphs(post).into_iter().map(|span| &post[span]))
            .collect();
        let of_blocks = |count: fn(&str) -> usize| {
            Spread::of(&blocks.iter().map(|block| count(block)).collect::<Vec<_>>())
        };
        let (mut blank, mut full, mut single, mut lines_all) = (0, 0, 0, 0);
        for post in posts {
            for line in lines(post) {
                lines_all += 1;
                match sentences(&post[line.clone()]).len() {
                    _ if post[line].trim().is_empty() => blank += 1,
                    0 => {}
                    1 => {
                        full += 1;
                        single += 1;
                    }
                    _ => full += 1,
                }
            }
        }
        Rhythm {
            burstiness: burstiness(&sentence_words),
            autocorrelation: autocorrelation(&all),
            fragment_share: share(all.iter().filter(|words| **words <= 4).count(), all.len()),
            post_mean_range: (rounded(range.0.min(range.1)), rounded(range.1)),
            sentence_words,
            paragraph_words: of_blocks(|block| words(block).count()),
            paragraph_sentences: of_blocks(|block| sentences(block).len()),
            blank_line_share: share(blank, lines_all),
            sentence_per_line_share: share(single, full),
        }
    }
}
