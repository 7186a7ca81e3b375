//! How posts begin and end, by kinds that need no model.

use serde::{Deserialize, Serialize};

use crate::lint::ai_phrases::first_person;
use crate::text::{first_line, fold, last_line, lines, sentences, words};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    Question,
    Quote,
    Number,
    FirstPerson,
    /// At most eight words.
    ShortStatement,
    Statement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    Question,
    Call,
    Hashtags,
    ShortStatement,
    Statement,
}

const CALLS: [&str; 26] = [
    "збереж",
    "поділ",
    "пиш",
    "напиш",
    "підпис",
    "спробу",
    "переход",
    "дізнайт",
    "розкаж",
    "став",
    "коментуй",
    "скажіть",
    "приходь",
    "забирай",
    "тисн",
    "save",
    "share",
    "follow",
    "subscribe",
    "comment",
    "tell",
    "try",
    "dm",
    "join",
    "click",
    "let",
];

impl Opening {
    pub fn of(post: &str) -> Self {
        let line = &post[first_line(post)];
        let sentence = sentences(line).into_iter().next().map_or(line, |span| &line[span]);
        let has_number =
            words(sentence).any(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
        if sentence.trim_end_matches(['"', '»', '”']).ends_with('?') {
            Opening::Question
        } else if line.trim_start().starts_with(['«', '"', '“', '„']) {
            Opening::Quote
        } else if words(sentence).any(|word| first_person(&fold(word.text))) {
            Opening::FirstPerson
        } else if has_number {
            Opening::Number
        } else if words(sentence).count() <= 8 {
            Opening::ShortStatement
        } else {
            Opening::Statement
        }
    }
}

impl Closing {
    pub fn of(post: &str) -> Self {
        let last_full = lines(post).filter(|line| !post[line.clone()].trim().is_empty()).last();
        let line = &post[last_line(post)];
        let sentence = sentences(line).into_iter().last().map_or(line, |span| &line[span]);
        let calls = words(sentence).any(|word| {
            let word = fold(word.text);
            CALLS.iter().any(|call| word.starts_with(call))
        });
        if sentence.contains('?') {
            Closing::Question
        } else if calls {
            Closing::Call
        } else if last_full.is_some_and(|span| post[span].trim_start().starts_with('#')) {
            Closing::Hashtags
        } else if words(sentence).count() <= 8 {
            Closing::ShortStatement
        } else {
            Closing::Statement
        }
    }
}

/// The first line of the first post of each kind.
pub(crate) fn hook_candidates(posts: &[&str]) -> Vec<String> {
    let kinds = super::counted(posts.iter().map(|post| Opening::of(post)));
    let line = |kind: Opening| {
        let post = posts.iter().find(|post| Opening::of(post) == kind)?;
        Some(post[first_line(post)].trim().to_owned())
    };
    kinds.into_iter().filter_map(|(kind, _)| line(kind)).collect()
}

pub(crate) fn closing_candidates(posts: &[&str]) -> Vec<String> {
    let kinds = super::counted(posts.iter().map(|post| Closing::of(post)));
    let line = |kind: Closing| {
        let post = posts.iter().find(|post| Closing::of(post) == kind)?;
        Some(post[last_line(post)].trim().to_owned())
    };
    kinds.into_iter().filter_map(|(kind, _)| line(kind)).collect()
}
