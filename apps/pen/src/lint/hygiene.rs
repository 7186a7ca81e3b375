//! Finds what does not belong to a draft: preambles, headings, fences, offers of help.

use std::ops::Range;

use super::{Level, Report, Rule};
use crate::text::{fold, lines};

const PREAMBLES: [&str; 26] = [
    "ось ваш пост",
    "ось пост",
    "ось твій пост",
    "ось чернетка",
    "ось варіант",
    "ось текст",
    "ось готовий",
    "звісно",
    "звичайно, ось",
    "із задоволенням",
    "генерую",
    "читаю профіль",
    "чернетка:",
    "пост:",
    "варіант 1",
    "here is your",
    "here's your",
    "here is a",
    "here's a",
    "here is the",
    "here's the",
    "sure",
    "certainly",
    "of course,",
    "draft:",
    "post:",
];
const AFTERWORDS: [&str; 18] = [
    "хочете, щоб я",
    "хочеш, щоб я",
    "чи потрібно щось змінити",
    "дайте знати",
    "якщо потрібно, можу",
    "що скажете про цей варіант",
    "зберегти чи",
    "зберігаємо",
    "чи подобається вам",
    "можу адаптувати",
    "let me know if",
    "would you like me",
    "want me to",
    "feel free to",
    "i can adjust",
    "shall i",
    "does this work",
    "hope this helps",
];
const PREAMBLE_CHARS_MAX: usize = 200;

pub(super) fn check(draft: &str, report: &mut Report) {
    let hint = report.say("lint.only_text");
    for span in stray_lines(draft) {
        report.find(Rule::Hygiene, Level::Error, draft, span, hint.to_owned());
    }
    for line in lines(draft) {
        if is_markup(draft[line.clone()].trim()) {
            report.find(Rule::Hygiene, Level::Error, draft, line, hint.to_owned());
        }
    }
    if let Some(at) = draft.find("**") {
        let hint = report.say("lint.markdown");
        report.find(Rule::Hygiene, Level::Error, draft, at..at + 2, hint.to_owned());
    }
}

/// A preamble in the first line, an offer in the last.
fn stray_lines(draft: &str) -> Vec<Range<usize>> {
    let full: Vec<_> = lines(draft).filter(|line| !draft[line.clone()].trim().is_empty()).collect();
    let mut stray = Vec::new();
    if let (Some(first), true) = (full.first(), full.len() > 1)
        && is_preamble(&draft[first.clone()])
    {
        stray.push(first.clone());
    }
    if let (Some(last), true) = (full.last(), full.len() > 1) {
        let text = fold(&draft[last.clone()]);
        if AFTERWORDS.iter().any(|words| text.contains(words)) {
            stray.push(last.clone());
        }
    }
    stray
}

fn is_preamble(line: &str) -> bool {
    let folded = fold(line);
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_short = text.chars().count() < PREAMBLE_CHARS_MAX;
    let starts = |words: &&str| {
        let rest = text.strip_prefix(*words);
        let ends_well = |rest: &str| {
            !words.ends_with(char::is_alphanumeric)
                || rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
        };
        rest.is_some_and(ends_well)
    };
    // «Ось пост, який…» can be a sentence of the post; a preamble announces and stops.
    let yes = ["sure", "certainly", "звісно"].iter().any(|yes| text.starts_with(yes));
    let announces =
        text.trim_end().ends_with([':', '!', '…']) || !yes && text.split_whitespace().count() <= 6;
    is_short && announces && PREAMBLES.iter().any(starts)
}

fn is_markup(line: &str) -> bool {
    let heading = line.trim_start_matches('#');
    let is_heading = heading.len() < line.len() && heading.starts_with(' ');
    let is_rule = line.len() >= 3 && line.chars().all(|c| c == '-' || c == '*' || c == '_');
    is_heading || is_rule || line.starts_with("```")
}

/// Removes what a model puts around a draft, and changes nothing inside.
pub fn cleaned(answer: &str) -> String {
    let mut text = answer.trim();
    if let Some(inside) = fenced(text) {
        text = inside.trim();
    }
    loop {
        let before = text;
        let mut all = lines(text);
        if let Some(first) = all.next()
            && text.contains('\n')
            && (is_preamble(&text[first.clone()]) || is_rule(&text[first.clone()]))
        {
            text = text[first.end..].trim();
        }
        if let Some(last) = lines(text).last()
            && text.contains('\n')
        {
            let line = fold(&text[last.clone()]);
            if AFTERWORDS.iter().any(|words| line.contains(words)) || is_rule(&text[last.clone()]) {
                text = text[..last.start].trim();
            }
        }
        if text == before {
            return text.to_owned();
        }
    }
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|c| c == '-')
}

/// The text in a fence around the whole answer.
fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    Some(inside.split_once('\n')?.1)
}
