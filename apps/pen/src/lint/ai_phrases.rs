//! Finds phrases that are typical of language models, unless the author uses them.

use std::ops::Range;

use super::{Level, LintContext, Report, Rule};
use crate::text::{fold, words};

/// Single words and fixed phrases, in both languages.
const PHRASES: [&str; 64] = [
    "у сучасному світі",
    "в сучасному світі",
    "у світі, що швидко змінюється",
    "важливо зазначити",
    "варто зазначити",
    "варто підкреслити",
    "необхідно зазначити",
    "не секрет, що",
    "підсумовуючи",
    "отже, можна зробити висновок",
    "відіграє важливу роль",
    "відіграє ключову роль",
    "ключову роль",
    "невід'ємною частиною",
    "невід'ємна частина",
    "відкриває нові можливості",
    "нові горизонти",
    "розкрити потенціал",
    "розкриває потенціал",
    "занурмося",
    "зануримося",
    "давайте зануримося",
    "гобелен",
    "симфонія",
    "багатогранн",
    "у цифрову епоху",
    "крок за кроком до",
    "справжній гейм-чейнджер",
    "синергія",
    "безпрецедентн",
    "in today's fast-paced world",
    "in today's world",
    "in the ever-evolving",
    "ever-evolving landscape",
    "it's important to note",
    "it is important to note",
    "it's worth noting",
    "in conclusion",
    "to sum up",
    "plays a crucial role",
    "plays a vital role",
    "plays a pivotal role",
    "a testament to",
    "stands as a testament",
    "delve",
    "tapestry",
    "unlock the power",
    "unlock your potential",
    "unlock the potential",
    "game-changer",
    "game changer",
    "let's dive in",
    "dive deep into",
    "navigate the complexities",
    "in the realm of",
    "seamlessly",
    "leverage",
    "elevate your",
    "transformative",
    "groundbreaking",
    "a beacon of",
    "embark on a journey",
    "fosters a sense",
    "underscores the importance",
];

/// Candidates for `avoid`: those that none of the posts has.
pub(crate) fn unused_words(all: &str) -> Vec<String> {
    let folded = fold(all);
    let is_cyrillic = crate::text::language::spoken(all) != "en";
    let same_script =
        |phrase: &&&str| phrase.chars().next().is_some_and(|c| c.is_ascii() != is_cyrillic);
    let unused = PHRASES.iter().filter(same_script).filter(|phrase| !folded.contains(**phrase));
    // `у` and `в` are variants of one word.
    let unused = unused.filter(|phrase| !phrase.starts_with("в сучасному"));
    unused.take(8).map(|phrase| (*phrase).to_owned()).collect()
}

pub(crate) fn first_person(word: &str) -> bool {
    matches!(
        word,
        "я" | "мене"
            | "мені"
            | "мною"
            | "мій"
            | "моя"
            | "моє"
            | "мої"
            | "моїх"
            | "моїм"
            | "ми"
            | "нас"
            | "нам"
            | "наш"
            | "наша"
            | "наші"
            | "i"
            | "i'm"
            | "i've"
            | "i'd"
            | "my"
            | "me"
            | "we"
            | "our"
            | "us"
    )
}

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let own: String = against.profile.examples().iter().map(|one| fold(&one.text)).collect();
    let folded = fold(draft);
    for phrase in PHRASES.into_iter().filter(|phrase| folded.contains(phrase)) {
        for span in places(draft, phrase) {
            if !own.contains(phrase) {
                let hint = report.say("lint.tell");
                report.find(Rule::Tell, Level::Warn, draft, span, hint.to_owned());
            }
        }
    }
    for span in contrasts(draft) {
        if contrasts(&own).is_empty() {
            let hint = report.say("lint.contrast");
            report.find(Rule::Tell, Level::Warn, draft, span, hint.to_owned());
        }
    }
    check_dashes(draft, &own, report);
}

/// The places of a phrase, at the start of a word.
fn places(draft: &str, phrase: &str) -> Vec<Range<usize>> {
    let first = words(phrase).next();
    let starts: Vec<usize> = words(draft).map(|word| word.start).collect();
    let fits = |start: &usize| {
        let rest: String = draft[*start..].chars().take(phrase.chars().count()).collect();
        fold(&rest) == phrase
    };
    let end = |start: usize| {
        let chars = phrase.chars().count();
        draft[start..].char_indices().nth(chars).map_or(draft.len(), |(at, _)| start + at)
    };
    match first {
        Some(_) => starts.into_iter().filter(fits).map(|start| start..end(start)).collect(),
        None => Vec::new(),
    }
}

/// `not just … but`, «не просто …, а», «це не про …, це про», in one sentence.
fn contrasts(text: &str) -> Vec<Range<usize>> {
    const TURNS: [(&str, &[&str]); 8] = [
        ("not just ", &[" but ", ", it's ", " – it's ", " — it's ", "; it's "]),
        ("not only ", &[" but "]),
        ("isn't just ", &[", it's ", " — it's ", " – it's ", "; it's ", ". it's "]),
        ("isn't about ", &[", it's about ", " — it's about ", ". it's about "]),
        ("не просто ", &[", а ", " — це ", ", це "]),
        ("не лише ", &[", а й ", ", але й "]),
        ("не тільки ", &[", а й ", ", але й "]),
        ("не про ", &[", це про ", " — це про ", ". це про ", ", а про "]),
    ];
    let mut found = Vec::new();
    for line in crate::text::lines(text) {
        let folded = fold(&text[line.clone()]);
        for (start, ends) in TURNS {
            let Some(at) = folded.find(start) else { continue };
            let rest = &folded[at + start.len()..];
            if ends.iter().any(|end| rest.find(end).is_some_and(|far| far < 160)) {
                found.push(line.clone());
                break;
            }
        }
    }
    found
}

/// The dashes inside lines; one that begins a line marks an item of a list, or speech.
pub(super) fn dashes(text: &str) -> Vec<Range<usize>> {
    let inside = |at: &usize| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        !line.trim().is_empty()
    };
    let found = text.match_indices('—').map(|(at, _)| at).filter(inside);
    found.map(|at| at..at + '—'.len_utf8()).collect()
}

const DASHES_MIN: usize = 4;
const DASHES_PER_1000_MAX: f64 = 8.0;

fn check_dashes(draft: &str, own: &str, report: &mut Report) {
    let rate =
        |text: &str| dashes(text).len() as f64 * 1_000.0 / text.chars().count().max(1) as f64;
    let count = dashes(draft).len();
    if count >= DASHES_MIN && rate(draft) > DASHES_PER_1000_MAX && rate(draft) > 2.0 * rate(own) {
        let hint = report.say("lint.dashes_fix");
        let text = report.lang.fill("lint.dashes", &[("count", &count)]);
        report.whole(Rule::Tell, Level::Warn, text, hint.to_owned());
    }
}
