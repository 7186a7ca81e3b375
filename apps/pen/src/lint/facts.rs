//! Numbers and quotations that came from nowhere.

use std::collections::HashSet;

use super::{Against, Level, Report, Rule};
use crate::text::{fold, words};

const QUOTE_WORDS_MIN: usize = 4;

pub(super) fn check(draft: &str, against: &Against<'_>, report: &mut Report) {
    let Some(given) = against.given else {
        report.unchecked.push("facts: there is nothing to compare them with".to_owned());
        return;
    };
    let known: HashSet<String> =
        given.iter().flat_map(|text| words(text)).map(|word| fold(word.text)).collect();
    for word in words(draft) {
        let first = word.text.chars().next().unwrap_or_default();
        let is_tag = draft[..word.start].ends_with('#');
        if first.is_ascii_digit()
            && !is_tag
            && !is_small(word.text)
            && !known.contains(&fold(word.text))
        {
            let hint = "no source has this number: name one, or leave it out".to_owned();
            report.find(Rule::Facts, Level::Warn, draft, word.start..word.end(), hint);
        }
    }
    let sources: Vec<String> = given.iter().map(|text| fold(text)).collect();
    for quote in crate::feedback::quoted_in(draft) {
        let folded = fold(&quote);
        let is_long = words(&quote).count() >= QUOTE_WORDS_MIN;
        if is_long && !sources.iter().any(|source| source.contains(&folded)) {
            let hint = "no source has this quotation: check who said it".to_owned();
            report.whole(Rule::Facts, Level::Warn, quote, hint);
        }
    }
}

/// One digit is a manner of speaking more often than a fact.
fn is_small(word: &str) -> bool {
    word.len() == 1
}
