//! Decides whether a sentence ends at one place.
//!
//! In: what stands before the place since the last end, and what follows. Must hold: words
//! are compared whole, so `vairāk.` is not the abbreviation `k.`; at most the last three
//! words of the left side are read.

use super::brackets::{goes_on_after, is_inside};
use super::rules::{Rules, begins};

pub(crate) fn ends(left: &str, right: &str, rules: &Rules) -> bool {
    let said = left.trim_end();
    let bare = said.trim_end_matches(is_closer);
    let Some(stop) = Stop::of(bare) else {
        // Only a line broke here.
        return false;
    };
    if is_inside(left, right) || goes_on_after(left, right) {
        return false;
    }
    let next = Next::of(right);
    match (stop, &next) {
        (_, Next::Nothing) => true,
        (_, Next::Lower) => false,
        (_, Next::Word(word)) if said.len() > bare.len() && rules.says.contains(word) => false,
        (Stop::Strong, _) => true,
        (Stop::Full, _) => {
            let closed = said.len() > bare.len();
            full_stop_ends(bare, closed, &next, rules)
        }
    }
}

/// How the left side stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// `!`, `?`, `…`, or several signs.
    Strong,
    /// One full stop: also the sign of abbreviations, ordinals and initials.
    Full,
}

impl Stop {
    fn of(bare: &str) -> Option<Self> {
        let before = bare.trim_end_matches(is_stop);
        match bare.get(before.len()..)? {
            "" => None,
            "." => Some(Stop::Full),
            _ => Some(Stop::Strong),
        }
    }
}

/// Does a number end with a full stop, as in a date?
#[derive(Debug, PartialEq, Eq)]
enum Dotted {
    Yes,
    No,
}

/// What the right side begins with.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Nothing,
    /// A small letter: the sentence goes on.
    Lower,
    Number(Dotted),
    /// A capital, or a letter of a script without capitals; the word in small letters.
    Word(String),
    /// One capital with a full stop: `S. Puškins`.
    Initial(String),
    /// A number in Roman letters.
    Roman(String),
    Other,
}

impl Next {
    fn of(right: &str) -> Self {
        let right = right.trim_start();
        // A speaker's dash goes on if a small letter follows: «– Jā! – viņš teica.»
        let begin = right.trim_start_matches(|c: char| is_opener(c) || c.is_whitespace());
        match begin.chars().next() {
            None if right.is_empty() => Next::Nothing,
            None => Next::Other,
            Some(c) if c.is_lowercase() => Next::Lower,
            Some(c) if c.is_numeric() => {
                let rest = begin.trim_start_matches(char::is_numeric);
                Next::Number(if rest.starts_with('.') { Dotted::Yes } else { Dotted::No })
            }
            Some(c) if c.is_alphabetic() => {
                let word: String = begin.chars().take_while(|c| is_wordy(*c)).collect();
                let small = word.to_lowercase();
                let dotted = begin.get(word.len()..).is_some_and(|rest| rest.starts_with('.'));
                match word.chars().count() {
                    1 if dotted && c.is_uppercase() => Next::Initial(small),
                    2.. if is_number(&word) => Next::Roman(small),
                    _ => Next::Word(small),
                }
            }
            Some(_) => Next::Other,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Next::Word(word) | Next::Initial(word) | Next::Roman(word) => Some(word),
            Next::Nothing | Next::Lower | Next::Number(_) | Next::Other => None,
        }
    }
}

fn full_stop_ends(bare: &str, closed: bool, next: &Next, rules: &Rules) -> bool {
    let words = LastWords::of(bare);
    if is_number(words.last) {
        return !goes_on_after_number(&words, next, rules);
    }
    // `J. Bērziņš`, `A. S. Puškins`, but `plāns B. Tad`: few sentences begin with a name.
    if is_initial(&words, rules)
        && let Some(word) = next.word()
    {
        return rules.starters.contains(word) && !matches!(next, Next::Initial(_));
    }
    match shortening(&words, next, rules) {
        Shortening::None => true,
        Shortening::Inside => false,
        // In brackets it is the brackets' end: «(maize u.c.) Tad».
        Shortening::MayEnd if closed => false,
        Shortening::MayEnd => {
            next.word().is_some_and(|word| !begins(&rules.names, word) && !is_month(word, rules))
        }
    }
}

/// `1990. gada`, `28. September`, `12. 05. 2020`, and the numbers of a list.
fn goes_on_after_number(words: &LastWords<'_>, next: &Next, rules: &Rules) -> bool {
    let short = words.last.chars().count() <= 4;
    match next {
        Next::Nothing | Next::Other => false,
        Next::Lower => true,
        Next::Number(dotted) => {
            let listed = words.before.is_empty() || ends_with_number(words.before);
            short && (listed || *dotted == Dotted::Yes)
        }
        Next::Word(word) | Next::Initial(word) | Next::Roman(word) => {
            words.before.is_empty()
                || is_month(word, rules)
                || begins(&rules.ordinal_nouns, word)
                || (short && rules.before_ordinal.contains(&words.before.to_lowercase()))
        }
    }
}

fn is_month(word: &str, rules: &Rules) -> bool {
    begins(&rules.months, word)
}

/// What a word with a full stop may be short for.
enum Shortening {
    None,
    /// It does not end a sentence here.
    Inside,
    MayEnd,
}

fn shortening(words: &LastWords<'_>, next: &Next, rules: &Rules) -> Shortening {
    let last = words.last.to_lowercase();
    // `т. д.`, `z. B.`: one shortening in two words.
    let joined = format!("{}{last}", words.before.to_lowercase());
    let two = words.before.ends_with('.') && words.before.chars().count() <= 4;
    let word = match two && (rules.never.contains(&joined) || rules.may_end.contains(&joined)) {
        true => joined,
        false => last,
    };
    let (never, may_end) = (rules.never.contains(&word), rules.may_end.contains(&word));
    let after_number = ends_with_number(words.before);
    if rules.with_number.contains(&word) && !matches!(next, Next::Number(_) | Next::Roman(_))
        || rules.after_number.contains(&word) && !after_number && !never
    {
        return Shortening::None;
    }
    match (never, may_end) {
        (false, false) => Shortening::None,
        (true, true) if after_number => Shortening::MayEnd,
        (true, _) => {
            let starter = next.word().is_some_and(|word| rules.starters.contains(word));
            match starter && rules.ambiguous.contains(&word) {
                true => Shortening::None,
                false => Shortening::Inside,
            }
        }
        (false, true) => Shortening::MayEnd,
    }
}

/// One capital, or two that are written as one: `A.`, `Dz.` Behind another initial even a word
/// of one letter is one: `І. Я. Франко`.
fn is_initial(words: &LastWords<'_>, rules: &Rules) -> bool {
    let LastWords { last, before } = *words;
    let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let lone = last.chars().count() == 1 || rules.initials.contains(&last.to_lowercase());
    let first = before.strip_suffix('.').unwrap_or_default();
    let second = first.chars().count() == 1 && capital(first);
    capital(last) && lone && (second || !rules.not_initials.contains(last))
}

/// The last word before a full stop, and the one before that.
struct LastWords<'a> {
    last: &'a str,
    before: &'a str,
}

impl<'a> LastWords<'a> {
    fn of(bare: &'a str) -> Self {
        let text = bare.strip_suffix('.').unwrap_or(bare);
        let (rest, last) = split_last(text);
        let (_, before) = split_last(rest);
        let strip = |word: &'a str| word.trim_start_matches(|c: char| !is_wordy(c));
        Self { last: strip(last), before: strip(before) }
    }
}

fn split_last(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let at = text.rfind(char::is_whitespace).unwrap_or(0);
    let (rest, last) = text.split_at(at);
    (rest, last.trim_start())
}

fn is_number(word: &str) -> bool {
    let roman = |c: char| matches!(c, 'I' | 'V' | 'X' | 'L' | 'C' | 'M');
    let digits = word.chars().all(|c| c.is_ascii_digit());
    let roman = word.chars().count() > 1 && word.chars().all(roman);
    !word.is_empty() && (digits || roman)
}

fn ends_with_number(word: &str) -> bool {
    let bare = word.trim_end_matches('.');
    let numeral = bare.chars().next_back().is_some_and(|c| c.is_ascii_digit());
    numeral || is_number(bare)
}

pub(crate) fn is_stop(c: char) -> bool {
    let latin = matches!(c, '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉');
    latin || matches!(c, '。' | '．' | '！' | '？' | '｡' | '؟' | '۔' | '।')
}

/// Closing quotes and brackets.
pub(crate) fn is_closer(c: char) -> bool {
    let quote = matches!(c, '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | '«' | '›' | '‹');
    quote || matches!(c, ')' | ']' | '}' | '」' | '』' | '）' | '】' | '〉' | '》' | '〕')
}

/// Opening quotes and brackets, and the dash of a speaker.
fn is_opener(c: char) -> bool {
    let quote = matches!(c, '"' | '\'' | '„' | '‚' | '“' | '”' | '‘' | '’' | '«' | '»' | '‹' | '›');
    let bracket = matches!(c, '(' | '[' | '{' | '「' | '『' | '（' | '【' | '〈' | '《' | '〔');
    quote || bracket || matches!(c, '¿' | '¡' | '–' | '—' | '-' | '―')
}

fn is_wordy(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '’' | '\'' | '\u{301}')
}
