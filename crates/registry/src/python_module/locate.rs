//! Finds the parts of the reader's report in the source of a module.
//!
//! The report has values, not locations. An item is found by the line `"name": "…"` of its
//! schema, and a key inside it by the next quoted key. What is built by code cannot be
//! found; then the item's own line is used.

use contract::Pointer;

use crate::fault::SourceLocation;
use crate::python_module::ModuleItem;
use crate::source::json::Span;
use crate::source::text::Text;

/// The part of a file that belongs to one item.
pub(crate) struct Region<'a> {
    text: &'a Text,
    /// The item's name, or its line.
    anchor: Span,
    start: usize,
    end: usize,
}

/// One region per item, in order.
pub(crate) fn regions<'a>(text: &'a Text, items: &[ModuleItem]) -> Vec<Region<'a>> {
    let anchors: Vec<_> = items.iter().map(|item| anchor(text, item)).collect();
    let list = find_word(&text.content, "TOOLS").unwrap_or_default();
    let region = |anchor: &Span| {
        let before = anchors.iter().map(|other| other.end).filter(|end| *end <= anchor.start);
        let after = anchors.iter().map(|other| other.start).filter(|start| *start >= anchor.end);
        Region {
            text,
            anchor: anchor.clone(),
            start: before.max().unwrap_or(list).min(anchor.start),
            end: after.min().unwrap_or(text.content.len()),
        }
    };
    anchors.iter().map(region).collect()
}

impl Region<'_> {
    /// The item as a whole.
    pub(crate) fn item(&self) -> SourceLocation {
        self.text.place(self.anchor.clone())
    }

    /// A key of the item, or of its schema.
    pub(crate) fn key(&self, key: &str) -> SourceLocation {
        let content = &self.text.content;
        let ahead = quoted(&content[self.anchor.end..self.end], key)
            .map(|span| span.start + self.anchor.end..span.end + self.anchor.end);
        let behind = || {
            quoted(&content[self.start..self.anchor.start], key)
                .map(|span| span.start + self.start..span.end + self.start)
        };
        ahead.or_else(behind).map_or_else(|| self.item(), |span| self.text.place(span))
    }

    /// A location inside `parameters`, as far as its keys can be found.
    pub(crate) fn parameter(&self, pointer: &Pointer) -> SourceLocation {
        let content = &self.text.content;
        let mut found = None;
        let mut at = self.anchor.end;
        for step in pointer.steps() {
            let Some(span) = quoted(&content[at..self.end], step) else { continue };
            let span = span.start + at..span.end + at;
            at = span.end;
            found = Some(span);
        }
        found.map_or_else(|| self.item(), |span| self.text.place(span))
    }
}

/// `"name": "calculator"`, in either kind of quotes; otherwise the line that the reader reported.
fn anchor(text: &Text, item: &ModuleItem) -> Span {
    let content = &text.content;
    let mut from = 0;
    while let Some(key) = quoted(&content[from..], "name") {
        let after = from + key.end;
        let value = content[after..].trim_start().strip_prefix(':').map(str::trim_start);
        if let Some(value) = value {
            let start = content.len() - value.len();
            if let Some(span) = quoted(value, &item.name).filter(|span| span.start == 0) {
                return start..start + span.end;
            }
        }
        from = after;
    }
    line_span(content, item.line)
}

/// The text of a line (from 1) without its indent; the start of the file for line 0.
pub(crate) fn line_span(content: &str, line: usize) -> Span {
    let mut start = 0;
    for (number, text) in content.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let shown = text.trim_end();
            let indent = shown.len() - shown.trim_start().len();
            return start + indent..start + shown.len();
        }
        start += text.len();
    }
    0..0
}

/// The first occurrence of a word in quotes.
fn quoted(content: &str, word: &str) -> Option<Span> {
    ['"', '\'']
        .into_iter()
        .filter_map(|quote| {
            let wanted = format!("{quote}{word}{quote}");
            content.find(&wanted).map(|start| start..start + wanted.len())
        })
        .min_by_key(|span| span.start)
}

/// The first occurrence of a whole word.
pub(crate) fn find_word(content: &str, word: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    content.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = content[..*at].chars().next_back();
        let after = content[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
