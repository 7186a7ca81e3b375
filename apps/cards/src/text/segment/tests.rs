//! FC-06: sentences of eight languages.

mod cases;
mod corpus;
mod properties;

use super::{Segmentation, segment};

fn sentences<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let Segmentation { sentences, .. } = segment(text, &language.parse().unwrap());
    sentences.iter().map(|span| &text[span.range()]).collect()
}

/// Sentences are parted by ` | ` in the case; that is where the text must be cut.
#[track_caller]
fn check(language: &str, case: &str) {
    let text = case.replace(" | ", " ");
    let expected: Vec<_> = case.split(" | ").map(str::trim).collect();
    assert_eq!(sentences(&text, language), expected, "{text}");
}
