//! Reads an edit from a line of feedback, in Ukrainian, Russian or English.
//!
//! Must hold: a removal is literal only if the line says nothing else; «перепиши другий абзац
//! без пафосу» and «прибери пафос з другого абзацу» go to a model with that part.

use super::{Change, Edit, Part};
use crate::feedback::quotes::{Quotation, quotations};
use crate::text::{fold, words};

const REPLACE: [&str; 10] =
    ["замін", "заміт", "змін", "помін", "замен", "измен", "помен", "replac", "chang", "swap"];
const REMOVE: [&str; 14] = [
    "прибер",
    "прибра",
    "видал",
    "забер",
    "викин",
    "викресл",
    "убер",
    "удал",
    "выкин",
    "вычеркн",
    "remov",
    "delet",
    "drop",
    "cut",
];
const REWRITE: [&str; 27] = [
    "перепиш",
    "переформул",
    "переробл",
    "перероби",
    "скорот",
    "подовж",
    "зроби",
    "виправ",
    "посил",
    "поліпш",
    "покращ",
    "спрост",
    "розгорн",
    "передел",
    "сократ",
    "сдела",
    "исправ",
    "улучш",
    "упрост",
    "make",
    "rewrit",
    "rephras",
    "shorten",
    "fix",
    "tighten",
    "improv",
    "edit",
];
const ADD: [&str; 8] = ["дода", "встав", "допиш", "добав", "add", "insert", "append", "дорис"];

/// Words that add nothing to a removal.
const EMPTY: [&str; 46] = [
    "будь",
    "ласка",
    "дякую",
    "прошу",
    "пожалуйста",
    "спасибо",
    "please",
    "thanks",
    "the",
    "a",
    "an",
    "of",
    "in",
    "from",
    "my",
    "this",
    "that",
    "whole",
    "entire",
    "all",
    "весь",
    "цілий",
    "усі",
    "всі",
    "все",
    "усе",
    "цей",
    "це",
    "ці",
    "той",
    "та",
    "і",
    "й",
    "з",
    "із",
    "в",
    "у",
    "пост",
    "поста",
    "посту",
    "текст",
    "тексту",
    "post",
    "text",
    "draft",
    "there",
];
/// Words that name what a quotation or a single word is.
const WORD_NAMES: [&str; 9] =
    ["слово", "слова", "фразу", "вираз", "выражение", "word", "phrase", "words", "слів"];

impl Edit {
    /// Reads an edit; none if the line names no part or no change.
    pub fn parse(line: &str) -> Option<Self> {
        let request = Request::of(line);
        let verb = request.verb()?;
        let part = part_of(&request.outside);
        let quotes = request.quotes.as_slice();
        match (verb, quotes, part) {
            (Verb::Replace, [from, to], within) => {
                let words = request.quoted(from);
                let within = within.map(Box::new);
                let change = Change::Replace(request.quoted(to));
                Some(Edit { part: Part::Phrase { words, within }, change })
            }
            (Verb::Replace, [text], Some(part)) if request.gives(text) => {
                Some(Edit { part, change: Change::Replace(request.quoted(text)) })
            }
            (Verb::Replace, [], None) => request.single_words(),
            (Verb::Remove, [_, ..], within) => {
                // Several quotations are several words; the first one is removed here.
                let [only] = quotes else { return None };
                let words = request.quoted(only);
                let part = Part::Phrase { words, within: within.map(Box::new) };
                Some(Edit { part, change: Change::Remove })
            }
            (Verb::Remove, [], None) => {
                let words = request.named_word()?;
                Some(Edit { part: Part::Phrase { words, within: None }, change: Change::Remove })
            }
            (Verb::Remove, [], Some(part)) => {
                let change = match request.says_nothing_else() {
                    true => Change::Remove,
                    false => Change::Rewrite,
                };
                Some(Edit { part, change })
            }
            (Verb::Add, quotes, part) => added(&request, quotes, part),
            (Verb::Replace | Verb::Rewrite, _, Some(part)) => {
                Some(Edit { part, change: Change::Rewrite })
            }
            (Verb::Replace | Verb::Rewrite, _, None) => None,
        }
    }
}

/// «додай хештеги», «додай «…» в кінець», «додай приклад у другий абзац».
fn added(request: &Request<'_>, quotes: &[Quotation], part: Option<Part>) -> Option<Edit> {
    let place = part.or_else(|| request.end_or_start());
    match (quotes, place) {
        ([text], Some(part @ (Part::Hook | Part::Closing))) => {
            Some(Edit { part, change: Change::Insert(request.quoted(text)) })
        }
        ([], Some(part @ (Part::Hashtags | Part::Closing | Part::Hook))) => {
            Some(Edit { part, change: Change::Add })
        }
        ([], Some(Part::Emoji)) => Some(Edit { part: Part::Whole, change: Change::Rewrite }),
        (_, Some(part @ (Part::Paragraph(_) | Part::Sentence(_)))) => {
            Some(Edit { part, change: Change::Rewrite })
        }
        ([], None) if request.has(&["абзац", "параграф", "paragraph"]) => {
            Some(Edit { part: Part::Paragraph(-1), change: Change::Add })
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Replace,
    Remove,
    Rewrite,
    Add,
}

/// A line, taken apart.
struct Request<'a> {
    line: &'a str,
    quotes: Vec<Quotation>,
    /// The folded line without its quotations.
    outside: String,
}

impl<'a> Request<'a> {
    fn of(line: &'a str) -> Self {
        let quotes = quotations(line);
        let mut outside = String::new();
        let mut at = 0;
        for quote in &quotes {
            outside.push_str(&line[at..quote.whole.start]);
            outside.push(' ');
            at = quote.whole.end;
        }
        outside.push_str(&line[at..]);
        Self { line, quotes, outside: fold(&outside) }
    }

    fn quoted(&self, quote: &Quotation) -> String {
        self.line[quote.inside.clone()].trim().to_owned()
    }

    fn has(&self, starts: &[&str]) -> bool {
        words(&self.outside).any(|word| starts.iter().any(|start| word.text.starts_with(start)))
    }

    /// The first verb decides: «перепиши абзац, прибери дату» is a rewrite.
    fn verb(&self) -> Option<Verb> {
        let lists: [(Verb, &[&str]); 4] = [
            (Verb::Replace, &REPLACE),
            (Verb::Remove, &REMOVE),
            (Verb::Rewrite, &REWRITE),
            (Verb::Add, &ADD),
        ];
        words(&self.outside).find_map(|word| {
            let fits = |(_, starts): &&(Verb, &[&str])| {
                starts.iter().any(|start| word.text.starts_with(start))
            };
            lists.iter().find(fits).map(|(verb, _)| *verb)
        })
    }

    /// Is the quotation the new text: after «на», `with`, or a colon?
    fn gives(&self, quote: &Quotation) -> bool {
        let before = fold(&self.line[..quote.whole.start]);
        let last = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        matches!(last, "на" | "with" | "to" | "by" | "цим" | "так" | "таким") || last.ends_with(':')
    }

    /// Does the line hold nothing but the verb, the part and politeness?
    fn says_nothing_else(&self) -> bool {
        words(&self.outside).all(|word| {
            let text = word.text;
            EMPTY.contains(&text)
                || REMOVE.iter().any(|start| text.starts_with(start))
                || is_part_word(text)
                || ordinal(text).is_some()
        })
    }

    /// «заміни (слово) контент на пости»: single words without quotes.
    fn single_words(&self) -> Option<Edit> {
        let tokens: Vec<&str> = self.line.split_whitespace().collect();
        let at =
            |wanted: &dyn Fn(&str) -> bool| tokens.iter().position(|token| wanted(&fold(token)));
        let verb = at(&|token| REPLACE.iter().any(|start| token.starts_with(start)))?;
        let glue = at(&|token| matches!(token, "на" | "with" | "to" | "for" | "by"))?;
        let clean = |tokens: &[&str]| {
            let noise = |token: &&&str| {
                let folded = fold(token);
                !WORD_NAMES.contains(&folded.as_str()) && folded != "the"
            };
            let joined = tokens.iter().filter(noise).copied().collect::<Vec<_>>().join(" ");
            joined.trim_matches(['.', ',', '!', '"', '\'']).to_owned()
        };
        let from = clean(tokens.get(verb + 1..glue)?);
        let to = clean(tokens.get(glue + 1..)?);
        let is_one_word = words(&from).count() == 1 && words(&to).count() == 1;
        let part = Part::Phrase { words: from, within: None };
        is_one_word.then_some(Edit { part, change: Change::Replace(to) })
    }

    /// «прибери слово друзі»
    fn named_word(&self) -> Option<String> {
        let all: Vec<_> = words(&self.outside).collect();
        let at = all.iter().position(|word| WORD_NAMES.contains(&word.text))?;
        let rest: Vec<_> = all.iter().skip(at + 1).filter(|w| !EMPTY.contains(&w.text)).collect();
        match rest.as_slice() {
            [only] => Some(only.text.to_owned()),
            _ => None,
        }
    }

    fn end_or_start(&self) -> Option<Part> {
        if self.has(&["кінец", "кінці", "наприкінц", "конец", "конце", "end", "bottom"])
        {
            return Some(Part::Closing);
        }
        self.has(&["початок", "початку", "начал", "start", "beginning", "top"])
            .then_some(Part::Hook)
    }
}

const PARAGRAPH: [&str; 3] = ["абзац", "параграф", "paragraph"];
const SENTENCE: [&str; 6] = ["речен", "предложен", "sentence", "рядок", "рядк", "строк"];
const HASHTAGS: [&str; 5] = ["хештег", "гештег", "хэштег", "hashtag", "теги"];
const EMOJI: [&str; 5] = ["emoji", "емодз", "эмодз", "смайл", "emotic"];
const HOOK: [&str; 9] =
    ["hook", "хук", "гачок", "зачин", "вступ", "початок", "початк", "opening", "intro"];
const CLOSING: [&str; 9] =
    ["кінцівк", "закінчен", "концовк", "фінал", "closing", "ending", "cta", "заклик", "призыв"];

fn is_part_word(word: &str) -> bool {
    let lists: [&[&str]; 6] = [&PARAGRAPH, &SENTENCE, &HASHTAGS, &EMOJI, &HOOK, &CLOSING];
    lists.iter().any(|list| list.iter().any(|start| word.starts_with(start)))
        || matches!(word, "line" | "lines")
}

fn part_of(folded: &str) -> Option<Part> {
    let has = |wanted: &[&str]| {
        words(folded).any(|word| wanted.iter().any(|start| word.text.starts_with(start)))
    };
    let number = words(folded).find_map(|word| ordinal(word.text));
    if has(&PARAGRAPH) {
        return number.map(Part::Paragraph);
    }
    if has(&SENTENCE) || words(folded).any(|word| word.text == "line") {
        return number.map(Part::Sentence);
    }
    let named = [
        (&HASHTAGS[..], Part::Hashtags),
        (&EMOJI, Part::Emoji),
        (&HOOK, Part::Hook),
        (&CLOSING, Part::Closing),
    ];
    named.into_iter().find(|(names, _)| has(names)).map(|(_, part)| part)
}

/// «третє», `2-й`, `last`.
fn ordinal(word: &str) -> Option<i32> {
    const NAMED: [(&[&str], i32); 12] = [
        (&["передостан", "предпослед", "penultimate"], -2),
        (&["остан", "послед", "last", "final"], -1),
        (&["перш", "перв", "first"], 1),
        (&["други", "друго", "друге", "друга", "другу", "втор", "second"], 2),
        (&["трет", "third"], 3),
        (&["четверт", "fourth"], 4),
        (&["п'ят", "пят", "fifth"], 5),
        (&["шост", "шест", "sixth"], 6),
        (&["сьом", "седьм", "seventh"], 7),
        (&["восьм", "eighth"], 8),
        (&["дев'ят", "девят", "ninth"], 9),
        (&["десят", "tenth"], 10),
    ];
    let named = NAMED.iter().find(|(starts, _)| starts.iter().any(|start| word.starts_with(start)));
    if let Some((_, number)) = named {
        return Some(*number);
    }
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    word[..end].parse::<i32>().ok().filter(|number| (1..=200).contains(number))
}
