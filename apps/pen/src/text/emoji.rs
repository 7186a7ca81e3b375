//! Emoji as people count them: whole sequences, found by grapheme cluster.

use std::ops::Range;

use icu_properties::CodePointSetData;
use icu_properties::props::{EmojiPresentation, ExtendedPictographic};
use unicode_segmentation::UnicodeSegmentation;

/// The places of the emoji in a text.
pub(crate) fn emoji(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() {
        return Vec::new();
    }
    let clusters = text.grapheme_indices(true);
    let found = clusters.filter(|(_, cluster)| is_emoji(cluster) || is_pictograph(cluster));
    found.map(|(at, cluster)| at..at + cluster.len()).collect()
}

/// Is this cluster always drawn as an emoji?
pub(crate) fn is_emoji(cluster: &str) -> bool {
    let Some(first) = cluster.chars().next() else { return false };
    let pictographic = CodePointSetData::new::<ExtendedPictographic>().contains(first);
    let drawn = CodePointSetData::new::<EmojiPresentation>().contains(first);
    let has = |wanted: char| cluster.contains(wanted);
    let flag = ('\u{1f1e6}'..='\u{1f1ff}').contains(&first) && cluster.chars().count() == 2;
    let keycap = has('\u{20e3}');
    flag || keycap
        || drawn && first.len_utf8() > 2
        || pictographic && (has('\u{fe0f}') || has('\u{200d}'))
}

/// Text symbols that people use as emoji: `❤`, `☺`.
fn is_pictograph(cluster: &str) -> bool {
    let set = CodePointSetData::new::<ExtendedPictographic>();
    cluster.chars().next().is_some_and(|first| first >= '\u{2600}' && set.contains(first))
}

/// Signs that a profile may list beside emoji: arrows.
pub(crate) fn is_arrow(c: char) -> bool {
    matches!(c, '↓' | '→' | '↑' | '←' | '➜' | '➔' | '⟶' | '⇒')
}
