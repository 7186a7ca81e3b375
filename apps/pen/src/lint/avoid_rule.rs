//! Parses one rule of `voice.avoid`: words in quotes, a number, a known structure, or none.

use crate::text::{fold, words};

/// The checkable part of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Checkable {
    /// Words that must not occur.
    Phrase(String),
    /// At most this many of a thing.
    AtMost(usize, Thing),
    /// Not at all.
    None(Thing),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Emoji,
    Hashtag,
    HashtagInside,
    Exclamation,
    Question,
    ListLine,
    Capitals,
    Dash,
    Ellipsis,
    Link,
    Word,
    Sentence,
    Paragraph,
}

/// A parsed rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AvoidRule {
    pub checks: Vec<Checkable>,
    /// Does the rule have a part that was not understood?
    pub has_more: bool,
}

/// After these words a rule says what to write instead.
const INSTEAD: [&str; 12] = [
    " — ",
    " – ",
    " -> ",
    " → ",
    "каже ",
    "кажу ",
    "пише ",
    "натомість",
    "замість цього",
    " use ",
    " says ",
    " instead",
];

/// Rules that begin with these consist of their quoted words only.
const ONLY_WORDS: [&str; 12] = [
    "слов",
    "фраз",
    "вираз",
    "звертан",
    "звернен",
    "word",
    "phrase",
    "the word",
    "the phrase",
    "saying",
    "вислов",
    "greeting",
];

pub(super) fn read(rule: &str) -> AvoidRule {
    let folded = fold(rule);
    let forbidden = before_instead(rule);
    let phrases = crate::feedback::quoted_in(forbidden);
    if !phrases.is_empty() {
        let outside = outside_quotes(&folded);
        let has_more = !ONLY_WORDS.iter().any(|start| outside.starts_with(start))
            && words(&outside).next().is_some();
        let checks = phrases.into_iter().map(Checkable::Phrase).collect();
        return AvoidRule { checks, has_more };
    }
    if let Some(check) = number_rule(&folded) {
        return AvoidRule { checks: vec![check], has_more: false };
    }
    match thing(&folded) {
        Some(thing) => AvoidRule { checks: vec![Checkable::None(thing)], has_more: false },
        None => AvoidRule { checks: Vec::new(), has_more: true },
    }
}

fn before_instead(rule: &str) -> &str {
    let ends = INSTEAD.iter().filter_map(|mark| rule.find(mark)).filter(|at| *at > 0);
    ends.min().and_then(|at| rule.get(..at)).unwrap_or(rule)
}

/// The rule without quotes and brackets.
fn outside_quotes(folded: &str) -> String {
    let mut outside = String::new();
    let mut inside = false;
    for c in folded.chars() {
        match c {
            '«' | '“' | '„' | '(' => inside = true,
            '»' | '”' | ')' => inside = false,
            '"' | '\'' => inside = !inside,
            _ if !inside => outside.push(c),
            _ => {}
        }
    }
    outside.trim().to_owned()
}

/// «більше 3 emoji», `more than 2 hashtags`.
fn number_rule(folded: &str) -> Option<Checkable> {
    const MORE: [&str; 8] =
        ["більше", "понад", "more than", "over ", "max", "максимум", "above", "більш ніж"];
    if !MORE.iter().any(|more| folded.contains(more)) {
        return None;
    }
    let number = words(folded).find_map(|word| word.text.parse::<usize>().ok())?;
    let named = thing(folded)?;
    let thing = if named == Thing::HashtagInside { Thing::Hashtag } else { named };
    Some(Checkable::AtMost(number, thing))
}

fn thing(folded: &str) -> Option<Thing> {
    let has = |starts: &[&str]| {
        starts.iter().any(|start| match start.contains(' ') {
            true => folded.contains(start),
            false => words(folded).any(|word| word.text.starts_with(start)),
        })
    };
    let inside = has(&[
        "всередин",
        "усередин",
        "посеред",
        "inside",
        "in the text",
        "in text",
        "mid",
        "body",
    ]);
    Some(if has(&["хештег", "гештег", "hashtag"]) {
        if inside { Thing::HashtagInside } else { Thing::Hashtag }
    } else if has(&["emoji", "емодз", "смайл"]) {
        Thing::Emoji
    } else if has(&["окли", "exclamation"]) {
        Thing::Exclamation
    } else if has(&["список", "списк", "маркован", "bullet", "list", "lists"]) {
        Thing::ListLine
    } else if has(&["капс", "caps", "великими літерами", "all capitals", "capital letters"])
    {
        Thing::Capitals
    } else if has(&["тире", "dash"]) {
        Thing::Dash
    } else if has(&["трикрап", "три крапки", "ellips", "three dots"]) {
        Thing::Ellipsis
    } else if has(&["посилан", "лінк", "link", "url"]) {
        Thing::Link
    } else if has(&["питальн", "знаки питання", "питань", "question"]) {
        Thing::Question
    } else if has(&["слів", "words"]) {
        Thing::Word
    } else if has(&["речень", "sentences"]) {
        Thing::Sentence
    } else if has(&["абзац", "paragraphs"]) {
        Thing::Paragraph
    } else {
        return None;
    })
}
