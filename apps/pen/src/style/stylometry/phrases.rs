//! Phrases that recur across posts: candidates for signature phrases.

use std::collections::{BTreeMap, BTreeSet};

use super::function_words::is_small;
use crate::text::{fold, sentences, words};

const CANDIDATES_MAX: usize = 12;

/// Phrases of two to five words in at least two posts, longest and most frequent first.
pub(crate) fn repeated(posts: &[&str]) -> Vec<String> {
    let mut seen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, post) in posts.iter().enumerate() {
        for sentence in sentences(post) {
            let run: Vec<String> = words(&post[sentence]).map(|word| fold(word.text)).collect();
            for length in 2..=5 {
                for phrase in run.windows(length) {
                    if phrase.iter().any(|word| !is_small(word)) {
                        seen.entry(phrase.join(" ")).or_default().insert(number);
                    }
                }
            }
        }
    }
    let mut found: Vec<(String, usize)> = seen
        .into_iter()
        .map(|(phrase, posts)| (phrase, posts.len()))
        .filter(|(_, posts)| *posts >= 2)
        .collect();
    found.sort_by_key(|(phrase, posts)| {
        (std::cmp::Reverse(*posts), std::cmp::Reverse(phrase.matches(' ').count()), phrase.clone())
    });
    let mut kept: Vec<(String, usize)> = Vec::new();
    for (phrase, posts) in found {
        // A part of an equally frequent longer phrase adds nothing.
        let is_part =
            kept.iter().any(|(longer, count)| *count >= posts && longer.contains(&phrase));
        if !is_part && kept.len() < CANDIDATES_MAX {
            kept.retain(|(shorter, count)| !(*count == posts && phrase.contains(shorter.as_str())));
            kept.push((phrase, posts));
        }
    }
    kept.into_iter().map(|(phrase, _)| phrase).collect()
}
