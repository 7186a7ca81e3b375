//! Decides whether the lines of a block are sentences, as in poems, lists and subtitles, or
//! parts of wrapped paragraphs.
//!
//! In a wrapped paragraph a line ends where the next word did not fit. Where lines end before
//! that, somebody ended them.

use super::judge::{is_closer, is_stop};

/// Lines of poems and lists are hardly ever longer.
const SHORT_CHARS_MAX: usize = 45;

/// Is each of these lines a sentence, or more than one?
pub(super) fn are_sentences(lines: &[&str]) -> bool {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let ends: Vec<(&str, &str)> = lines
        .windows(2)
        .filter_map(|pair| match pair {
            [line, next] if !stops(line) => Some((*line, *next)),
            _ => None,
        })
        .collect();
    if ends.is_empty() {
        return false;
    }
    // A list, or a poem without any full stop.
    if width <= SHORT_CHARS_MAX && !lines.iter().any(|line| has_stop(line)) {
        return true;
    }
    let (first, rest) = (lines.first(), lines.get(1..).unwrap_or_default());
    if !first.is_some_and(|line| begins_anew(line)) || !rest.iter().all(|line| begins_anew(line)) {
        return false;
    }
    let on_purpose = ends.iter().filter(|(line, next)| has_room(line, next, width)).count();
    let verse = lines.len() >= 3 && width <= SHORT_CHARS_MAX && lines.iter().all(|l| has_case(l));
    verse || on_purpose * 2 >= ends.len() && on_purpose > 0
}

/// Would the first word of the next line have fitted? A comma in a script without capitals says
/// that the sentence goes on.
fn has_room(line: &str, next: &str, width: usize) -> bool {
    if !has_case(line) && line.ends_with(['،', '؛', '、', '，', ',', ':', '：']) {
        return false;
    }
    let word = match is_spaced(next) {
        true => next.split_whitespace().next().map_or(0, |word| word.chars().count()),
        // A script without spaces breaks its lines anywhere.
        false => 1,
    };
    line.chars().count() + 1 + word <= width
}

/// Does the line end as a sentence does?
fn stops(line: &str) -> bool {
    line.trim_end_matches(is_closer).ends_with(is_stop)
}

/// Is there the end of a sentence anywhere in the line? A full stop inside of a word or number
/// is none.
fn has_stop(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find(is_stop) {
        let after = rest.get(at..).unwrap_or_default().trim_start_matches(is_stop);
        if after.trim_start_matches(is_closer).chars().next().is_none_or(char::is_whitespace)
            || !is_spaced(line)
        {
            return true;
        }
        rest = after;
    }
    false
}

/// A capital letter, a number, or a letter of a script without capitals.
fn begins_anew(line: &str) -> bool {
    let letter = line.chars().find(|c| c.is_alphanumeric());
    letter.is_some_and(|c| !c.is_lowercase())
}

fn has_case(line: &str) -> bool {
    line.chars().any(|c| c.is_lowercase() || c.is_uppercase())
}

/// Does the script put spaces between words?
fn is_spaced(line: &str) -> bool {
    const UNSPACED: [std::ops::RangeInclusive<char>; 3] =
        ['\u{3040}'..='\u{30ff}', '\u{3400}'..='\u{9fff}', '\u{e00}'..='\u{e7f}'];
    !line.chars().any(|c| UNSPACED.iter().any(|script| script.contains(&c)))
}
