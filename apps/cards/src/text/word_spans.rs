//! Finds the words of cards in a sentence: whole words, case-insensitively.
//!
//! Must hold: the pieces put together are the sentence, byte for byte; no two marks overlap;
//! a phrase wins over a word, and a longer form over a shorter one.

use std::ops::Range;

/// A form to look for; `T` says to what it belongs.
pub(crate) struct WantedForm<T> {
    pub form: String,
    pub is_phrase: bool,
    pub of: T,
}

/// Where the wanted forms occur, in order.
pub(crate) fn find<T>(text: &str, wanted: &[WantedForm<T>]) -> Vec<(Range<usize>, usize)> {
    let folded = Folded::of(text);
    let mut order: Vec<(usize, Vec<char>)> = Vec::new();
    for (index, one) in wanted.iter().enumerate() {
        let form: Vec<char> = one.form.trim().chars().flat_map(char::to_lowercase).collect();
        if !form.is_empty() {
            order.push((index, form));
        }
    }
    let phrase = |index: usize| wanted.get(index).is_some_and(|one| one.is_phrase);
    order.sort_by_key(|(index, form)| (!phrase(*index), std::cmp::Reverse(form.len()), *index));
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, form) in order {
        for range in folded.find(&form) {
            let free = |(taken, _): &(Range<usize>, usize)| {
                taken.end <= range.start || range.end <= taken.start
            };
            if found.iter().all(free) {
                found.push((range, index));
            }
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// A lower-case text that remembers the place of each letter.
struct Folded {
    letters: Vec<(char, usize)>,
    end: usize,
}

impl Folded {
    fn of(text: &str) -> Self {
        let fold = |(at, c): (usize, char)| c.to_lowercase().map(move |small| (small, at));
        Self { letters: text.char_indices().flat_map(fold).collect(), end: text.len() }
    }

    /// Every place where the form is a whole word.
    fn find(&self, form: &[char]) -> Vec<Range<usize>> {
        let fits = |at: &usize| {
            let here = self.letters.get(*at..*at + form.len()).unwrap_or_default();
            let same = here.len() == form.len() && here.iter().zip(form).all(|(a, b)| a.0 == *b);
            same && self.is_edge(*at) && self.is_edge(at + form.len())
        };
        let last = (self.letters.len() + 1).saturating_sub(form.len());
        let range = |at: usize| self.byte(at)..self.byte(at + form.len());
        (0..last).filter(fits).map(range).collect()
    }

    fn byte(&self, at: usize) -> usize {
        self.letters.get(at).map_or(self.end, |(_, byte)| *byte)
    }

    /// Is this place not inside a word?
    fn is_edge(&self, at: usize) -> bool {
        let wordy = |at: Option<usize>| {
            let letter = at.and_then(|at| self.letters.get(at));
            letter.is_some_and(|(c, _)| c.is_alphanumeric() || is_mark(*c))
        };
        // A letter whose lower case is two letters is one place.
        let split = at > 0 && at < self.letters.len() && self.byte(at) == self.byte(at - 1);
        let inside = wordy(at.checked_sub(1)) && wordy(Some(at));
        !split && !inside
    }
}

/// Combining marks.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Escapes the text for HTML and puts marked places between `open` and `close`.
pub(crate) fn html(text: &str, places: &[Range<usize>], open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for place in places {
        out += &escape(text.get(at..place.start).unwrap_or_default());
        out += open;
        out += &escape(text.get(place.clone()).unwrap_or_default());
        out += close;
        at = place.end;
    }
    out + &escape(text.get(at..).unwrap_or_default())
}

/// Escapes a text for HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
