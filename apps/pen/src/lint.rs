//! Checks a draft against a profile and a platform, without a model.
//!
//! In: a draft and its context. Out: a [`Report`]: findings with their place and a hint, and
//! the rules that cannot be checked offline. Must hold: the same draft gets the same report; a
//! rule that was not checked is listed, never counted as passed.

pub(crate) mod ai_phrases;
mod avoid;
mod avoid_rule;
mod copying;
mod emoji_hashtags;
mod facts;
mod hygiene;
mod russisms;
mod structure;

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use avoid::collides;
pub(crate) use emoji_hashtags::{range_in as hashtag_range, says_never as says_no_emoji};
pub use hygiene::cleaned;

use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::emoji::emoji;
use crate::text::language::Lang;

/// What a draft is checked against.
#[derive(Debug, Clone, Copy)]
pub struct LintContext<'a> {
    pub profile: &'a Profile,
    pub platform: Platform,
    /// Posts that must not be copied, besides the profile's examples.
    pub past: &'a [&'a str],
    /// The sources of facts: the request, notes, search results. None: facts are not checked.
    pub given: Option<&'a [&'a str]>,
    /// The language of hints.
    pub lang: Lang,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Error,
    Warn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    Length,
    AvoidWord,
    AvoidNumber,
    AvoidStructure,
    Emoji,
    Hashtags,
    Signature,
    Hook,
    Closing,
    Rhythm,
    Copying,
    Tell,
    Russism,
    Facts,
    Hygiene,
}

impl Rule {
    pub const ALL: [Rule; 15] = [
        Rule::Length,
        Rule::AvoidWord,
        Rule::AvoidNumber,
        Rule::AvoidStructure,
        Rule::Emoji,
        Rule::Hashtags,
        Rule::Signature,
        Rule::Hook,
        Rule::Closing,
        Rule::Rhythm,
        Rule::Copying,
        Rule::Tell,
        Rule::Russism,
        Rule::Facts,
        Rule::Hygiene,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Length => "length",
            Rule::AvoidWord => "avoid-word",
            Rule::AvoidNumber => "avoid-number",
            Rule::AvoidStructure => "avoid-structure",
            Rule::Emoji => "emoji",
            Rule::Hashtags => "hashtags",
            Rule::Signature => "signature",
            Rule::Hook => "hook",
            Rule::Closing => "closing",
            Rule::Rhythm => "rhythm",
            Rule::Copying => "copying",
            Rule::Tell => "tell",
            Rule::Russism => "russism",
            Rule::Facts => "facts",
            Rule::Hygiene => "hygiene",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place, in bytes of the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// One violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: Rule,
    pub level: Level,
    pub span: Span,
    /// The text it is about.
    pub text: String,
    pub fix_hint: String,
}

/// The violations, and the rules that were not checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    pub violations: Vec<Finding>,
    pub unchecked: Vec<String>,
    #[serde(skip)]
    lang: Lang,
}

impl Report {
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.violations.iter().filter(|finding| finding.level == Level::Error)
    }

    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// A hint in the language of the report.
    fn say(&self, key: &str) -> &'static str {
        self.lang.say(key)
    }

    fn rule(&self, rule: &str) -> String {
        self.lang.fill("lint.rule", &[("rule", &rule)])
    }

    fn profile_says(&self, wish: &str) -> String {
        self.lang.fill("lint.profile_says", &[("wish", &wish)])
    }

    fn there_are(&self, count: usize, why: &str) -> String {
        self.lang.fill("lint.there_are", &[("count", &count), ("why", &why)])
    }

    /// A finding about a piece of the draft.
    fn find(&mut self, rule: Rule, level: Level, draft: &str, span: Range<usize>, hint: String) {
        let text: String = draft[span.clone()].chars().take(120).collect();
        let span = Span { start: span.start, end: span.end };
        self.violations.push(Finding { rule, level, span, text, fix_hint: hint });
    }

    /// A finding about the draft as a whole.
    fn whole(&mut self, rule: Rule, level: Level, text: String, hint: String) {
        let span = Span { start: 0, end: 0 };
        self.violations.push(Finding { rule, level, span, text, fix_hint: hint });
    }
}

/// Checks a draft.
pub fn lint(draft: &str, against: &LintContext<'_>) -> Report {
    let mut report = Report { lang: against.lang, ..Report::default() };
    hygiene::check(draft, &mut report);
    structure::check_length(draft, against, &mut report);
    avoid::check(draft, against, &mut report);
    emoji_hashtags::check_emoji(draft, against, &mut report);
    emoji_hashtags::check_hashtags(draft, against, &mut report);
    structure::check_signature(draft, against, &mut report);
    structure::check_hook(draft, against, &mut report);
    structure::check_closing(draft, against, &mut report);
    structure::check_rhythm(draft, against, &mut report);
    copying::check(draft, against, &mut report);
    ai_phrases::check(draft, against, &mut report);
    russisms::check(draft, against, &mut report);
    facts::check(draft, against, &mut report);
    report.violations.sort_by_key(|finding| (finding.level, finding.span.start, finding.rule));
    once_each(&mut report.violations);
    report
}

/// One place, one finding: a rule of `avoid` and a field of the profile often say the same. The
/// first of the sorted findings stays, so that an error is never hidden by a warning.
fn once_each(violations: &mut Vec<Finding>) {
    let says_same = |rule: Rule| match rule {
        Rule::AvoidWord
        | Rule::AvoidNumber
        | Rule::AvoidStructure
        | Rule::Emoji
        | Rule::Hashtags
        | Rule::Tell
        | Rule::Russism => true,
        Rule::Length
        | Rule::Signature
        | Rule::Hook
        | Rule::Closing
        | Rule::Rhythm
        | Rule::Copying
        | Rule::Facts
        | Rule::Hygiene => false,
    };
    let is_emoji = |finding: &Finding| !emoji(&finding.text).is_empty();
    // Two limits for the number of emoji mark different places.
    let counted = violations.iter().any(|one| one.rule == Rule::AvoidNumber && is_emoji(one));
    violations.retain(|one| !(counted && one.rule == Rule::Emoji && one.level == Level::Warn));
    // A rule of `avoid` has counted the hashtags already.
    let is_count = |one: &Finding| one.rule == Rule::AvoidNumber && one.text.starts_with('#');
    let tags_counted = violations.iter().any(is_count);
    violations.retain(|one| !(tags_counted && one.rule == Rule::Hashtags && one.span.end == 0));
    let mut seen: Vec<usize> = Vec::new();
    violations.retain(|one| {
        // A finding about the whole draft has no place.
        if !says_same(one.rule) || one.span.end == 0 {
            return true;
        }
        let is_new = !seen.contains(&one.span.start);
        seen.push(one.span.start);
        is_new
    });
}

/// The findings of `after` that `before` does not have, each as often as it is new.
pub fn new_findings(before: &[Finding], after: &[Finding]) -> Vec<Finding> {
    // A finding about the whole draft names a number that changes with every edit.
    let key = |finding: &Finding| {
        let is_whole = finding.span == Span { start: 0, end: 0 };
        (finding.rule, finding.level, if is_whole { String::new() } else { finding.text.clone() })
    };
    let mut known: Vec<_> = before.iter().map(key).collect();
    let is_new = |finding: &&Finding| match known.iter().position(|one| *one == key(finding)) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    };
    after.iter().filter(is_new).cloned().collect()
}

#[cfg(test)]
mod tests;
