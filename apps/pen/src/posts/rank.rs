//! Which posts answer a question: by the stems they share with it, then by their day.

use super::index::Index;
use super::search::Query;
use crate::posts::length::Platform;
use crate::text::stem::stem;
use crate::text::words;

const KEYWORDS_MAX: usize = 50;

/// The posts that have at least one keyword: those with more first, then the newest.
pub(super) fn ranked(index: &Index, query: &Query) -> Vec<u32> {
    let mut hits = vec![0_u32; index.entries.len()];
    for keyword in query.keywords.iter().take(KEYWORDS_MAX) {
        for post in with_all_words(index, keyword) {
            if let Some(count) = hits.get_mut(post as usize) {
                *count += 1;
            }
        }
    }
    let entry = |post: u32| index.entries.get(post as usize).filter(|one| !one.file.is_empty());
    let platform = query.platform.map(Platform::as_str);
    let mut posts: Vec<u32> = (0_u32..)
        .zip(&hits)
        .filter(|(_, count)| **count > 0)
        .map(|(post, _)| post)
        .filter(|post| {
            entry(*post).is_some_and(|entry| platform.is_none_or(|name| entry.platform == name))
        })
        .collect();
    let key = |post: &u32| {
        (hits.get(*post as usize), entry(*post).map(|entry| (&entry.created, &entry.file)))
    };
    // Only the first ones are shown: the rest need not be sorted.
    if posts.len() > query.limit && query.limit > 0 {
        posts.select_nth_unstable_by(query.limit - 1, |one, other| key(other).cmp(&key(one)));
        posts[..query.limit].sort_unstable_by(|one, other| key(other).cmp(&key(one)));
    } else {
        posts.sort_unstable_by(|one, other| key(other).cmp(&key(one)));
    }
    posts
}

/// The posts with the most words of a text, counted by stems.
pub(super) fn most_alike(index: &Index, text: &str, limit: usize) -> Vec<u32> {
    let mut stems: Vec<String> = words(text).map(|word| stem(word.text)).collect();
    stems.sort_unstable();
    stems.dedup();
    let mut hits = vec![0_u32; index.entries.len()];
    for stem in &stems {
        for post in index.posts_with(stem) {
            if let Some(count) = hits.get_mut(post as usize) {
                *count += 1;
            }
        }
    }
    let there =
        |post: u32| index.entries.get(post as usize).is_some_and(|one| !one.file.is_empty());
    let counted = (0_u32..).zip(hits).filter(|(post, count)| *count > 0 && there(*post));
    let mut posts: Vec<(u32, u32)> = counted.collect();
    posts.sort_unstable_by_key(|(post, count)| (std::cmp::Reverse(*count), *post));
    posts.into_iter().take(limit).map(|(post, _)| post).collect()
}

/// The posts that have every word of a keyword.
fn with_all_words(index: &Index, keyword: &str) -> Vec<u32> {
    let mut lists: Vec<Vec<u32>> =
        words(keyword).map(|word| index.posts_with(&stem(word.text))).collect();
    lists.sort_by_key(Vec::len);
    let Some((first, rest)) = lists.split_first() else { return Vec::new() };
    let everywhere = |post: &&u32| rest.iter().all(|posts| posts.binary_search(post).is_ok());
    first.iter().filter(everywhere).copied().collect()
}
