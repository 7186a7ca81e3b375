//! Finds numbers and quotations without a source.

use std::collections::HashSet;

use super::{Level, LintContext, Report, Rule};
use crate::text::{fold, words};

const QUOTE_WORDS_MIN: usize = 4;

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let Some(given) = against.given else {
        let why = report.say("lint.no_sources");
        report.unchecked.push(format!("facts: {why}"));
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
            let hint = report.say("lint.number");
            let span = word.start..word.end();
            report.find(Rule::Facts, Level::Warn, draft, span, hint.to_owned());
        }
    }
    let sources: Vec<String> = given.iter().map(|text| fold(text)).collect();
    for quote in crate::feedback::quoted_in(draft) {
        let folded = fold(&quote);
        let is_long = words(&quote).count() >= QUOTE_WORDS_MIN;
        if is_long && !sources.iter().any(|source| source.contains(&folded)) {
            let hint = report.say("lint.quotation");
            report.whole(Rule::Facts, Level::Warn, quote, hint.to_owned());
        }
    }
}

/// A single digit is rarely a fact.
fn is_small(word: &str) -> bool {
    word.len() == 1
}
