//! X's weighted length: weights by code point, links as 23, a whole emoji as 2.
//!
//! The weights are X's own configuration, `x-config-v3.json`, read once.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::emoji::is_emoji;

mod link;

pub(crate) use link::links;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    max_weighted_tweet_length: usize,
    scale: usize,
    default_weight: usize,
    #[serde(rename = "transformedURLLength")]
    transformed_url_length: usize,
    ranges: Vec<Weights>,
}

#[derive(Debug, Deserialize)]
struct Weights {
    start: u32,
    end: u32,
    weight: usize,
}

/// The file is compiled in; a test reads every field of it.
static CONFIG: LazyLock<Config> =
    LazyLock::new(|| serde_json::from_str(include_str!("x-config-v3.json")).unwrap_or_default());

pub(crate) fn limit() -> usize {
    CONFIG.max_weighted_tweet_length
}

pub(crate) fn weighted_length(text: &str) -> usize {
    let composed = icu_normalizer::ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let links = links(&composed);
    let mut weight = links.len() * CONFIG.transformed_url_length * CONFIG.scale;
    for piece in between(&composed, &links) {
        weight += piece.graphemes(true).map(weight_of).sum::<usize>();
    }
    weight / CONFIG.scale.max(1)
}

fn weight_of(cluster: &str) -> usize {
    if is_emoji(cluster) {
        return CONFIG.default_weight;
    }
    cluster.chars().map(|c| weight_of_char(u32::from(c))).sum()
}

fn weight_of_char(point: u32) -> usize {
    let range = CONFIG.ranges.iter().find(|range| (range.start..=range.end).contains(&point));
    range.map_or(CONFIG.default_weight, |range| range.weight)
}

/// The text with each link as 23 characters, for platforms that shorten links.
pub(crate) fn with_short_links(text: &str) -> String {
    let links = links(text);
    let short = "x".repeat(CONFIG.transformed_url_length);
    between(text, &links).collect::<Vec<_>>().join(&short)
}

/// The text before, between and after the links.
fn between<'a>(text: &'a str, links: &'a [Range<usize>]) -> impl Iterator<Item = &'a str> {
    let starts = std::iter::once(0).chain(links.iter().map(|link| link.end));
    let ends = links.iter().map(|link| link.start).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end])
}
