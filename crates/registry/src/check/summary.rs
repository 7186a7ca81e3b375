//! `doc_summary.md`: one to four lines, at most 250 characters.

use crate::fault::Faults;
use crate::source::text::Text;

pub(crate) const CHARS_MAX: usize = 250;
pub(crate) const LINES_MAX: usize = 4;

/// The summary as the model will read it. Characters are counted, not bytes.
pub(crate) fn check(text: &Text, faults: &mut Faults) -> String {
    let summary = text.content.trim();
    let start = text.content.len() - text.content.trim_start().len();
    if summary.is_empty() {
        faults.summary_empty(text);
    }
    let chars = summary.chars().count();
    if let Some((over, _)) = summary.char_indices().nth(CHARS_MAX) {
        faults.summary_too_long(text, start + over..text.content.len(), chars, CHARS_MAX);
    }
    let lines = summary.lines().count();
    if lines > LINES_MAX {
        let fifth = summary.split_inclusive('\n').take(LINES_MAX).map(str::len).sum::<usize>();
        faults.summary_lines(text, start + fifth..text.content.len(), lines, LINES_MAX);
    }
    summary.to_owned()
}
