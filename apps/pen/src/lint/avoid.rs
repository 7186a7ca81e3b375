//! Checks the rules of `voice.avoid` as far as possible.

use std::ops::Range;

use super::ai_phrases::dashes;
use super::avoid_rule::{Checkable, Thing, read};
use super::{Level, LintContext, Report, Rule};
use crate::posts::length::links;
use crate::style::stylometry::is_list_line;
use crate::text::emoji::emoji;
use crate::text::stem::stem;
use crate::text::{fold, hashtags, lines, paragraphs, sentences, words};

/// Stems of this length may differ in their last letter: `прокач-ай`, `прокач-ати`.
const LOOSE_STEM_CHARS: usize = 6;

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    for rule in against.profile.voices("avoid") {
        let read = read(rule);
        for check in &read.checks {
            match check {
                Checkable::Phrase(phrase) => check_phrase(draft, phrase, rule, against, report),
                Checkable::AtMost(max, thing) => check_number(draft, *max, *thing, rule, report),
                Checkable::None(thing) => check_none(draft, *thing, rule, report),
            }
        }
        match (read.checks.is_empty(), read.has_more) {
            (true, _) => report.unchecked.push(format!("avoid: {rule}")),
            (false, true) => {
                let part = report.say("lint.only_quoted");
                report.unchecked.push(format!("avoid: {rule} ({part})"));
            }
            (false, false) => {}
        }
    }
}

fn check_phrase(
    draft: &str,
    phrase: &str,
    rule: &str,
    against: &LintContext<'_>,
    report: &mut Report,
) {
    let in_examples = against
        .profile
        .examples()
        .iter()
        .any(|example| !find_all(&example.text, phrase).is_empty());
    for span in find_all(draft, phrase) {
        let (level, hint) = match in_examples {
            true => {
                let own = report.say("lint.own_example");
                (Level::Warn, format!("{own}; {}", report.rule(rule)))
            }
            false => (Level::Error, report.rule(rule)),
        };
        report.find(Rule::AvoidWord, level, draft, span, hint);
    }
}

/// The places of a phrase: one word in all its forms, several words literally.
pub(crate) fn find_all(text: &str, phrase: &str) -> Vec<Range<usize>> {
    let wanted: Vec<String> = words(phrase).map(|word| fold(word.text)).collect();
    let found: Vec<_> = words(text).collect();
    match wanted.as_slice() {
        [] => Vec::new(),
        [only] => {
            let wanted = stem(only);
            let fits = |word: &&crate::text::Word<'_>| same_stem(&wanted, &stem(word.text));
            found.iter().filter(fits).map(|word| word.start..word.end()).collect()
        }
        several => found
            .windows(several.len())
            .filter(|run| {
                run.iter().zip(several).all(|(word, wanted)| same_word(&fold(word.text), wanted))
                    && !text[run[0].start..run[run.len() - 1].end()].contains(['.', '\n', '!', '?'])
            })
            .map(|run| run[0].start..run[run.len() - 1].end())
            .collect(),
    }
}

fn same_stem(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    one == other
        || short.chars().count() >= LOOSE_STEM_CHARS
            && long.strip_prefix(short).is_some_and(|rest| rest.chars().count() == 1)
}

/// Ukrainian writes `в` or `у`, `з`, `із` or `зі` for the sake of sound.
fn same_word(one: &str, other: &str) -> bool {
    let plain = |word: &str| match word {
        "у" => "в".to_owned(),
        "із" | "зі" => "з".to_owned(),
        "й" => "і".to_owned(),
        word => word.to_owned(),
    };
    plain(one) == plain(other)
}

/// Does a text break one of these rules?
pub fn collides(text: &str, avoid: &[String]) -> bool {
    avoid.iter().any(|rule| {
        read(rule).checks.iter().any(|check| match check {
            Checkable::Phrase(phrase) => !find_all(text, phrase).is_empty(),
            Checkable::AtMost(max, thing) => places(text, *thing).len() > *max,
            Checkable::None(thing) => !places(text, *thing).is_empty(),
        })
    })
}

fn check_number(draft: &str, max: usize, thing: Thing, rule: &str, report: &mut Report) {
    let spans = places(draft, thing);
    if let (true, Some(extra)) = (spans.len() > max, spans.get(max)) {
        let hint = report.there_are(spans.len(), &report.rule(rule));
        report.find(Rule::AvoidNumber, Level::Error, draft, extra.clone(), hint);
    }
}

fn check_none(draft: &str, thing: Thing, rule: &str, report: &mut Report) {
    for span in places(draft, thing) {
        let hint = report.rule(rule);
        report.find(Rule::AvoidStructure, Level::Error, draft, span, hint);
    }
}

fn places(draft: &str, thing: Thing) -> Vec<Range<usize>> {
    let marks = |marks: &[&str]| {
        let mut found: Vec<Range<usize>> = marks
            .iter()
            .flat_map(|mark| draft.match_indices(mark).map(|(at, text)| at..at + text.len()))
            .collect();
        found.sort_by_key(|span| span.start);
        found
    };
    match thing {
        Thing::Emoji => emoji(draft),
        Thing::Hashtag => hashtags(draft).into_iter().map(|tag| tag.span).collect(),
        Thing::HashtagInside => {
            hashtags(draft).into_iter().filter(|tag| !tag.at_end).map(|tag| tag.span).collect()
        }
        Thing::Exclamation => marks(&["!"]),
        Thing::Question => marks(&["?"]),
        Thing::ListLine => lines(draft).filter(|line| is_list_line(&draft[line.clone()])).collect(),
        Thing::Capitals => words(draft)
            .filter(|word| {
                word.text.chars().count() >= 4 && word.text.chars().all(char::is_uppercase)
            })
            .map(|word| word.start..word.end())
            .collect(),
        Thing::Dash => {
            let mut found = dashes(draft);
            found.extend(marks(&[" – "]));
            found.sort_by_key(|span| span.start);
            found
        }
        Thing::Ellipsis => marks(&["…", "..."]),
        Thing::Link => links(draft),
        Thing::Word => words(draft).map(|word| word.start..word.end()).collect(),
        Thing::Sentence => sentences(draft),
        Thing::Paragraph => paragraphs(draft),
    }
}
