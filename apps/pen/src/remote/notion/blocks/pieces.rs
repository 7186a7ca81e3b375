//! Splits a text into elements of rich text.

use serde_json::{Value, json};

/// UTF-16 units of one element.
pub(crate) const UNITS_MAX: usize = 2_000;

/// The text as elements; joined, they are the text.
pub(crate) fn rich_text(text: &str) -> Vec<Value> {
    let element = |piece: &str| json!({ "type": "text", "text": { "content": piece } });
    pieces(text).into_iter().map(element).collect()
}

/// Cut after a sentence if there is one in the second half, else after a space.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while let Some(end) = end_of_units(rest) {
        let (most, _) = rest.split_at(end);
        let after = |marks: &[&str]| {
            let last = |mark: &&str| most.rfind(*mark).map(|at| at + mark.len());
            marks.iter().filter_map(last).max().filter(|at| *at > end / 2)
        };
        let cut = after(&["\n", ". ", "! ", "? ", "… "]).or_else(|| after(&[" "])).unwrap_or(end);
        let (piece, left) = rest.split_at(cut);
        pieces.push(piece);
        rest = left;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// The end of one element, if the text continues. A mark that belongs to the previous character
/// (an accent, a skin tone, a joiner) stays with it.
fn end_of_units(text: &str) -> Option<usize> {
    let mut units = 0;
    let mut end = 0;
    for (at, character) in text.char_indices() {
        if !joins(character) && !text.get(..at).is_some_and(|before| before.ends_with('\u{200d}')) {
            end = at;
        }
        units += character.len_utf16();
        if units > UNITS_MAX {
            return Some(if end == 0 { at } else { end });
        }
    }
    None
}

fn joins(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
        || matches!(character, '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}' | '\u{e0020}'..='\u{e007f}')
}
