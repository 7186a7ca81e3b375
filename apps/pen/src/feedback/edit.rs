//! A concrete edit: the part of the draft, and what to do with it.
//!
//! Must hold: everything outside the part keeps its bytes, whatever a model answers.

use std::ops::Range;

use crate::text::emoji::emoji;
use crate::text::{first_line, fold, hashtags, last_line, paragraphs, sentences, words};

/// A part of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Hook,
    Closing,
    /// By number; the first is 1, negative ones count from the end.
    Paragraph(i32),
    Sentence(i32),
    Hashtags,
    Emoji,
    /// These exact words.
    Phrase(String),
}

/// The change of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub part: Part,
    /// The new text where the person gave it; empty to remove.
    pub with: Option<String>,
}

/// The result of an edit without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The draft after it.
    Done(String),
    /// Only a model can write the new text of this span.
    Write(Range<usize>),
    /// The draft has no such part.
    NoPart,
}

const CHANGE: [&str; 32] = [
    "зроби",
    "заміни",
    "змін",
    "перепиш",
    "переформул",
    "скорот",
    "подовж",
    "переробл",
    "перероби",
    "прибер",
    "видал",
    "забер",
    "викин",
    "виправ",
    "посил",
    "додай",
    "make",
    "replace",
    "change",
    "rewrite",
    "rephrase",
    "shorten",
    "remove",
    "delete",
    "drop",
    "cut",
    "fix",
    "edit",
    "tighten",
    "swap",
    "improve",
    "поліпш",
];
const REMOVE: [&str; 9] =
    ["прибер", "видал", "забер", "викин", "без ", "remove", "delete", "drop", "cut"];

impl Edit {
    /// Reads an edit; none if the line names no part or no change.
    pub fn parse(line: &str) -> Option<Self> {
        let folded = fold(line);
        let starts =
            |wanted: &&&str| words(&folded).any(|word| word.text.starts_with(wanted.trim()));
        let removes = REMOVE.iter().any(|word| starts(&word));
        if !removes && !CHANGE.iter().any(|word| starts(&word)) {
            return None;
        }
        if let Some((from, to)) = replacement(line) {
            return Some(Edit { part: Part::Phrase(from), with: Some(to) });
        }
        let quoted = quoted(line);
        if let (true, [only]) = (removes, quoted.as_slice()) {
            return Some(Edit { part: Part::Phrase(only.clone()), with: Some(String::new()) });
        }
        let part = part_of(&folded)?;
        let with = (removes && part != Part::Hook && part != Part::Closing).then(String::new);
        Some(Edit { part, with })
    }

    /// Applies the edit if it needs no model.
    pub fn apply(&self, draft: &str) -> Applied {
        match (&self.part, &self.with) {
            (Part::Phrase(phrase), Some(with)) => replace_phrase(draft, phrase, with),
            (Part::Hashtags, Some(_)) => {
                let spans: Vec<_> = hashtags(draft).into_iter().map(|tag| tag.span).collect();
                without(draft, &spans)
            }
            (Part::Emoji, Some(_)) => without(draft, &emoji(draft)),
            (part, with) => match (part.span(draft), with) {
                (None, _) => Applied::NoPart,
                (Some(span), Some(_)) => without(draft, &[span]),
                (Some(span), None) => Applied::Write(span),
            },
        }
    }
}

/// A line of this length in both texts is not a coincidence.
const TELLING_LINE_CHARS: usize = 12;

impl Edit {
    /// The new text of the part from a model's answer. If the answer is the whole post, the part
    /// is taken from it; none if there is nothing to take.
    pub fn part_of_answer(&self, draft: &str, span: &Range<usize>, answer: &str) -> Option<String> {
        let outside = [&draft[..span.start], &draft[span.end..]];
        let mut others = outside.iter().flat_map(|text| text.lines()).map(str::trim);
        let is_whole =
            others.any(|line| line.chars().count() >= TELLING_LINE_CHARS && answer.contains(line));
        let part = match is_whole {
            true => &answer[self.part.span(answer)?],
            false => answer.trim(),
        };
        (!part.is_empty() && part.len() <= draft.len()).then(|| part.to_owned())
    }
}

impl Part {
    /// The place of the part in a draft.
    pub fn span(&self, draft: &str) -> Option<Range<usize>> {
        let found = match self {
            Part::Hook => Some(first_line(draft)),
            Part::Closing => Some(last_line(draft)),
            Part::Paragraph(number) => nth(paragraphs(draft), *number),
            Part::Sentence(number) => nth(sentences(draft), *number),
            Part::Hashtags => {
                let tags = hashtags(draft);
                tags.first().zip(tags.last()).map(|(first, last)| first.span.start..last.span.end)
            }
            Part::Emoji => {
                let all = emoji(draft);
                all.first().zip(all.last()).map(|(first, last)| first.start..last.end)
            }
            Part::Phrase(phrase) => find_phrase(draft, phrase),
        };
        found.filter(|span| !span.is_empty())
    }
}

fn nth(spans: Vec<Range<usize>>, number: i32) -> Option<Range<usize>> {
    let index = match number {
        0 => return None,
        1.. => usize::try_from(number - 1).ok()?,
        _ => spans.len().checked_sub(usize::try_from(-number).ok()?)?,
    };
    spans.into_iter().nth(index)
}

fn part_of(folded: &str) -> Option<Part> {
    let has = |wanted: &[&str]| {
        words(folded).any(|word| wanted.iter().any(|start| word.text.starts_with(start)))
    };
    let number = ordinal(folded);
    if has(&["абзац", "параграф", "paragraph"]) {
        return number.map(Part::Paragraph);
    }
    if has(&["речен", "sentence", "рядок", "рядк", "line"]) {
        return number.map(Part::Sentence);
    }
    if has(&["хештег", "гештег", "hashtag"]) {
        return Some(Part::Hashtags);
    }
    if has(&["emoji", "емодз", "смайл"]) {
        return Some(Part::Emoji);
    }
    if has(&["hook", "хук", "зачин", "початок", "вступ", "opening", "intro"]) {
        return Some(Part::Hook);
    }
    if has(&["кінцівк", "закінчен", "кінец", "фінал", "closing", "ending", "cta", "заклик"])
    {
        return Some(Part::Closing);
    }
    None
}

/// «третє», `2-й`, `last`.
fn ordinal(folded: &str) -> Option<i32> {
    const NAMED: [(&[&str], i32); 12] = [
        (&["передостан", "penultimate"], -2),
        (&["остан", "last"], -1),
        (&["перш", "first"], 1),
        (&["друг", "second"], 2),
        (&["трет", "third"], 3),
        (&["четверт", "fourth"], 4),
        (&["п'ят", "fifth"], 5),
        (&["шост", "sixth"], 6),
        (&["сьом", "seventh"], 7),
        (&["восьм", "eighth"], 8),
        (&["дев'ят", "ninth"], 9),
        (&["десят", "tenth"], 10),
    ];
    let digits = words(folded).find_map(|word| {
        let end = word.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.text.len());
        word.text[..end].parse::<i32>().ok().filter(|number| (1..=200).contains(number))
    });
    let named = NAMED.iter().find(|(starts, _)| {
        words(folded).any(|word| starts.iter().any(|start| word.text.starts_with(start)))
    });
    named.map(|(_, number)| *number).or(digits)
}

/// «заміни X на Y», `replace X with Y`: quoted, or single words.
fn replacement(line: &str) -> Option<(String, String)> {
    if let [from, to] = quoted(line).as_slice() {
        return Some((from.clone(), to.clone()));
    }
    let tokens: Vec<&str> = line.split_whitespace().collect();
    let at =
        |wanted: &[&str]| tokens.iter().position(|token| wanted.contains(&fold(token).as_str()));
    let verb = at(&["заміни", "змініть", "зміни", "замінити", "replace", "change", "swap"])?;
    let glue = at(&["на", "with", "to", "for"])?;
    let noise = ["слово", "слова", "фразу", "the", "word", "phrase"];
    let clean = |tokens: &[&str]| {
        let words = tokens.iter().filter(|token| !noise.contains(&fold(token).as_str()));
        let joined = words.copied().collect::<Vec<_>>().join(" ");
        joined.trim_matches(['.', ',', '!', '"', '\'']).to_owned()
    };
    let from = clean(tokens.get(verb + 1..glue)?);
    let to = clean(tokens.get(glue + 1..)?);
    let names_a_part = part_of(&fold(&from)).is_some();
    let is_one_word = !from.contains(' ') && !from.is_empty() && !to.is_empty();
    (is_one_word && !names_a_part).then_some((from, to))
}

/// The text in quotes of any kind.
pub(crate) fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match open {
            Some((close, start)) if c == close => {
                let next = line[at + c.len_utf8()..].chars().next();
                // An apostrophe inside a word is not a closing quote.
                let inside = c == '\'' && next.is_some_and(char::is_alphanumeric);
                if !inside {
                    found.push(line[start..at].trim().to_owned());
                    open = None;
                }
            }
            Some(_) => {}
            None => {
                let close = match c {
                    '«' => Some('»'),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '"' => Some('"'),
                    '‘' => Some('’'),
                    '\'' if !before.is_alphanumeric() => Some('\''),
                    _ => None,
                };
                open = close.map(|close| (close, at + c.len_utf8()));
            }
        }
        before = c;
    }
    found.retain(|text| !text.is_empty());
    found
}

fn find_phrase(draft: &str, phrase: &str) -> Option<Range<usize>> {
    if let Some(at) = draft.find(phrase) {
        return Some(at..at + phrase.len());
    }
    // Case folding keeps the number of characters for the letters that posts have.
    let (draft_folded, phrase_folded) = (fold(draft), fold(phrase));
    let at = draft_folded.find(&phrase_folded)?;
    let start_chars = draft_folded[..at].chars().count();
    let chars = phrase_folded.chars().count();
    let mut places = draft.char_indices().map(|(at, _)| at).chain([draft.len()]);
    let start = places.nth(start_chars)?;
    let end = places.nth(chars.checked_sub(1)?)?;
    (fold(&draft[start..end]) == phrase_folded).then_some(start..end)
}

fn replace_phrase(draft: &str, phrase: &str, with: &str) -> Applied {
    let mut text = String::new();
    let mut rest = draft;
    let mut found = false;
    while let Some(span) = find_phrase(rest, phrase) {
        found = true;
        text.push_str(&rest[..span.start]);
        text.push_str(&cased(&rest[span.clone()], with));
        rest = &rest[span.end..];
        if with.is_empty() && text.ends_with([' ', '\n']) {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    text.push_str(rest);
    if found { Applied::Done(text) } else { Applied::NoPart }
}

/// Keeps the capital at the start of a sentence.
fn cased(old: &str, new: &str) -> String {
    let was_upper = old.chars().next().is_some_and(char::is_uppercase);
    let mut letters = new.chars();
    match letters.next() {
        Some(first) if was_upper => first.to_uppercase().chain(letters).collect(),
        _ => new.to_owned(),
    }
}

/// Removes these spans and the space they leave behind.
fn without(draft: &str, spans: &[Range<usize>]) -> Applied {
    if spans.is_empty() {
        return Applied::NoPart;
    }
    let mut text = String::with_capacity(draft.len());
    let mut at = 0;
    for span in spans {
        text.push_str(&draft[at..span.start]);
        at = span.end;
        let rest = &draft[at..];
        let alone = text.is_empty() || text.ends_with('\n');
        if alone && rest.starts_with('\n') && text.ends_with("\n\n") {
            at += rest.len() - rest.trim_start_matches('\n').len();
        } else if (alone || text.ends_with(' ')) && rest.starts_with(' ') {
            at += 1;
        }
    }
    text.push_str(&draft[at..]);
    Applied::Done(text.trim_end().to_owned())
}
