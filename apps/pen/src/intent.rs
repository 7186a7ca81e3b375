//! What a person means at a prompt, in Ukrainian, Russian or English, with or without politeness.
//!
//! In: a line. Out: an [`Intent`], if the whole line says nothing else. Must hold: a line with one
//! word outside the lexicon is never an intent, so that a value or a wish is not taken for a yes;
//! a yes and a no in one line are [`Intent::Unclear`].
//!
//! Every prompt of Ghostpen reads its answer here. The lexicon is in `lexicon.rs`.

mod lexicon;

use lexicon::{Signal, lookup, phrase_words_max};

use crate::text::{fold, is_apostrophe};

/// What a line means as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    Yes,
    /// A yes to a change: «онови», `apply it`.
    Update,
    No,
    /// Not now.
    Later,
    /// End, without saving.
    Stop,
    Save,
    SaveToNotion,
    Help,
    Undo,
    Redo,
    /// Another draft.
    StartOver,
    /// The person edits the text by hand.
    EditByHand,
    /// An empty line.
    Nothing,
    /// Words without a decision: «хм», «не знаю», a yes and a no at once.
    Unclear,
}

impl Intent {
    /// The meaning of the whole line; none if it says something else.
    pub fn of(line: &str) -> Option<Self> {
        let tokens = tokens(line);
        if tokens.is_empty() {
            return Some(if line.trim().is_empty() { Intent::Nothing } else { Intent::Unclear });
        }
        let signals = signals(&tokens)?;
        let asks = line.trim_end().ends_with('?');
        combined(&signals, asks)
    }

    /// Is this a plain yes?
    pub fn is_yes(line: &str) -> bool {
        matches!(Self::of(line), Some(Intent::Yes | Intent::Update))
    }
}

/// The words, signs and emoji of a line, folded. Hyphens separate: «ні-ні».
fn tokens(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for chunk in fold(line).split_whitespace() {
        let bare = chunk.trim_matches(|c: char| ".,!…;()\"«»„“”".contains(c));
        // Commands and single signs are tokens as they are: `:q`, `/help`, `?`, `+`, `-`.
        if bare.starts_with(['/', ':']) || matches!(bare, "?" | "??" | "+" | "-") {
            found.push(bare.to_owned());
            continue;
        }
        let mut word = String::new();
        for c in bare.chars().filter(|c| !is_modifier(*c)) {
            if c.is_alphanumeric() || is_apostrophe(c) {
                word.push(c);
                continue;
            }
            found.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            if !c.is_ascii_punctuation() && !"…—–«»“”„’".contains(c) {
                found.push(c.to_string());
            }
        }
        found.extend(Some(word).filter(|word| !word.is_empty()));
    }
    found
}

/// Skin tones and variation selectors do not change what an emoji means.
fn is_modifier(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c) || c == '\u{fe0f}' || c == '\u{200d}'
}

/// The signals of all tokens, longest phrases first; none if one token has no meaning here.
fn signals(tokens: &[String]) -> Option<Vec<Signal>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let longest = phrase_words_max().min(tokens.len() - at);
        let hit = (1..=longest).rev().find_map(|length| {
            let phrase = tokens.get(at..at + length)?.join(" ");
            Some((lookup(&phrase)?, length))
        });
        let (signal, length) = hit?;
        found.push(signal);
        at += length;
    }
    Some(negated(found))
}

/// «не» before a verb turns it into a no: «не зберігай», `don't save`.
fn negated(signals: Vec<Signal>) -> Vec<Signal> {
    let mut found: Vec<Signal> = Vec::with_capacity(signals.len());
    let mut not = false;
    for signal in signals {
        match (not, signal) {
            (false, Signal::Not) => not = true,
            (true, Signal::Not | Signal::Filler) => {}
            (true, Signal::Later) => {
                found.push(Signal::Unclear);
                not = false;
            }
            (true, _) => {
                found.push(Signal::No);
                not = false;
            }
            (false, signal) => found.push(signal),
        }
    }
    if not {
        found.push(Signal::No);
    }
    found
}

/// One meaning of several signals; none for lines that only look like an answer.
fn combined(signals: &[Signal], asks: bool) -> Option<Intent> {
    let has = |signal: Signal| signals.contains(&signal);
    let agrees = has(Signal::Yes) || has(Signal::Agree) || has(Signal::Praise);
    let decided = [
        (Signal::Help, Intent::Help),
        (Signal::Redo, Intent::Redo),
        (Signal::Undo, Intent::Undo),
        (Signal::StartOver, Intent::StartOver),
        (Signal::EditByHand, Intent::EditByHand),
    ];
    if let Some((_, intent)) = decided.iter().find(|(signal, _)| has(*signal)) {
        return Some(*intent);
    }
    if asks || has(Signal::Unclear) {
        return Some(Intent::Unclear);
    }
    Some(match () {
        () if has(Signal::Later) => Intent::Later,
        () if has(Signal::No) && (agrees || has(Signal::Update)) => Intent::Unclear,
        () if has(Signal::No) && has(Signal::Stop) => Intent::Stop,
        () if has(Signal::No) => Intent::No,
        () if has(Signal::Notion) && (has(Signal::Save) || agrees || signals.len() <= 2) => {
            Intent::SaveToNotion
        }
        () if has(Signal::Save) => Intent::Save,
        () if has(Signal::Stop) => Intent::Stop,
        () if agrees => Intent::Yes,
        () if has(Signal::Update) => Intent::Update,
        () => Intent::Unclear,
    })
}

#[cfg(test)]
mod tests;
