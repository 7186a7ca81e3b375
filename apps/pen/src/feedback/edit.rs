//! A concrete edit: the part of the draft, and what to do with it.
//!
//! Must hold: everything outside the part keeps its bytes, whatever a model answers; without a
//! model only what the author spelled out is changed.

mod parse;
mod phrase;

use std::ops::Range;

pub use phrase::word_forms;

use crate::text::diff::{LineChange, line_changes};
use crate::text::emoji::emoji;
use crate::text::{first_line, hashtags, last_line, paragraphs, sentences};

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
    /// These exact words, as whole words; all of them, or those inside another part.
    Phrase {
        words: String,
        within: Option<Box<Part>>,
    },
    /// Everything.
    Whole,
}

/// What happens to the part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Remove,
    /// The author gave the new text.
    Replace(String),
    /// A model writes the part again.
    Rewrite,
    /// A model writes something new that belongs here.
    Add,
    /// The author gave the text to add.
    Insert(String),
}

/// The change of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub part: Part,
    pub change: Change,
}

/// The result of an edit without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The draft after it.
    Done(String),
    /// Only a model can write the new text of this span.
    Write(Range<usize>),
    /// Only a model can write what is inserted here, with this before and after it.
    Insert { at: usize, before: &'static str, after: &'static str },
    /// The draft has no such part.
    NoPart,
    /// The draft does not have these words as whole words.
    NoWords(String),
}

/// A line of this length in both texts is not a coincidence.
const TELLING_LINE_CHARS: usize = 12;

impl Edit {
    /// Applies the edit if it needs no model.
    pub fn apply(&self, draft: &str) -> Applied {
        match (&self.part, &self.change) {
            (Part::Phrase { words, within }, change) => {
                let scope = match within.as_deref().map(|part| part.span(draft)) {
                    None => 0..draft.len(),
                    Some(Some(span)) => span,
                    Some(None) => return Applied::NoPart,
                };
                apply_to_phrase(draft, words, scope, change)
            }
            (Part::Hashtags, Change::Remove) => {
                let spans: Vec<_> = hashtags(draft).into_iter().map(|tag| tag.span).collect();
                without(draft, &spans)
            }
            (Part::Emoji, Change::Remove) => without(draft, &emoji(draft)),
            (part, Change::Add) => part.insertion(draft),
            (part, Change::Insert(text)) => {
                let place = part.insertion(draft);
                let Applied::Insert { at, before, after } = place else { return place };
                let mut longer = draft.to_owned();
                longer.insert_str(at, &format!("{before}{text}{after}"));
                Applied::Done(longer)
            }
            (part, change) => match (part.span(draft), change) {
                (None, _) => Applied::NoPart,
                (Some(span), Change::Remove) => without(draft, &[span]),
                (Some(span), Change::Replace(text)) => {
                    let mut changed = draft.to_owned();
                    changed.replace_range(span, text);
                    Applied::Done(changed)
                }
                (Some(span), Change::Rewrite | Change::Add | Change::Insert(_)) => {
                    Applied::Write(span)
                }
            },
        }
    }

    /// The new text of the part from a model's answer. If the answer is the whole post, the part
    /// is taken from it; none if there is nothing to take.
    pub fn part_of_answer(&self, draft: &str, span: &Range<usize>, answer: &str) -> Option<String> {
        if self.part == Part::Whole {
            return Some(answer.trim().to_owned()).filter(|text| !text.is_empty());
        }
        let outside = [&draft[..span.start], &draft[span.end..]];
        let part = match repeats(&outside, answer) {
            true => &answer[self.part.span(answer)?],
            false => answer.trim(),
        };
        let one_line = matches!(self.part, Part::Hook | Part::Closing | Part::Sentence(_));
        let part = match one_line && !draft[span.clone()].contains('\n') {
            true => part.split_whitespace().collect::<Vec<_>>().join(" "),
            false => part.to_owned(),
        };
        (!part.is_empty() && part.len() <= draft.len().max(400)).then_some(part)
    }

    /// What a model added. If the answer is the whole post, only its new lines count.
    pub fn addition_of_answer(&self, draft: &str, answer: &str) -> Option<String> {
        let text = match repeats(&[draft], answer) {
            true => {
                let added = line_changes(draft, answer).into_iter().filter_map(|line| match line {
                    LineChange::Added(line) => Some(line),
                    LineChange::Removed(_) => None,
                });
                added.collect::<Vec<_>>().join("\n")
            }
            false => answer.trim().to_owned(),
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

/// Does an answer repeat a telling line of these texts?
fn repeats(texts: &[&str], answer: &str) -> bool {
    let mut lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    lines.any(|line| line.chars().count() >= TELLING_LINE_CHARS && answer.contains(line))
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
            Part::Phrase { words, .. } => {
                phrase::places(draft, words, 0..draft.len()).into_iter().next()
            }
            Part::Whole => Some(0..draft.len()),
        };
        found.filter(|span| !span.is_empty())
    }

    /// Where something new of this kind goes.
    fn insertion(&self, draft: &str) -> Applied {
        let body_end = match hashtags(draft).iter().find(|tag| tag.at_end) {
            Some(tag) => draft[..tag.span.start].trim_end().len(),
            None => draft.trim_end().len(),
        };
        match self {
            Part::Hook => Applied::Insert { at: 0, before: "", after: "\n\n" },
            Part::Hashtags => match self.span(draft) {
                // There are some already: the model adds to them.
                Some(span) => Applied::Write(span),
                None => Applied::Insert { at: body_end, before: "\n\n", after: "" },
            },
            Part::Closing | Part::Paragraph(_) | Part::Sentence(_) => {
                Applied::Insert { at: body_end, before: "\n\n", after: "" }
            }
            Part::Emoji | Part::Whole => Applied::Write(0..draft.len()),
            Part::Phrase { .. } => Applied::NoPart,
        }
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

fn apply_to_phrase(draft: &str, words: &str, scope: Range<usize>, change: &Change) -> Applied {
    let places = phrase::places(draft, words, scope);
    let Some(first) = places.first() else { return Applied::NoWords(words.to_owned()) };
    match change {
        Change::Remove => Applied::Done(phrase::removed(draft, &places)),
        Change::Replace(with) => Applied::Done(phrase::replaced(draft, &places, with)),
        Change::Rewrite | Change::Add | Change::Insert(_) => Applied::Write(first.clone()),
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
        if alone && rest.starts_with('\n') {
            // The line is empty now: it goes, and so does one of two blank lines around it.
            let blank = rest.len() - rest.trim_start_matches('\n').len();
            at += if text.is_empty() || text.ends_with("\n\n") { blank } else { 1 };
        } else if (alone || text.ends_with(' ')) && rest.starts_with(' ') {
            at += 1;
        } else if rest.is_empty() || rest.starts_with('\n') {
            text.truncate(text.trim_end_matches(' ').len());
        }
    }
    text.push_str(&draft[at..]);
    Applied::Done(text.trim_end().to_owned())
}
