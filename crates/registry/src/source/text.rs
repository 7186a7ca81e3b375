//! The text of a source file, with the positions of its lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::fault::SourceLocation;

/// The text of one file with normalised line ends, and its path for messages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub path: String,
    pub content: String,
}

impl Text {
    pub(crate) fn new(path: String, raw: &str) -> Self {
        Self { path, content: normalised(raw).into_owned() }
    }

    /// The location of a byte range, with the line it starts on.
    pub(crate) fn place(&self, span: Range<usize>) -> SourceLocation {
        let content = &self.content;
        let start = content.floor_char_boundary(span.start.min(content.len()));
        let line_start = content[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = content[start..].find('\n').map_or(content.len(), |at| start + at);
        let end = content.floor_char_boundary(span.end.clamp(start, line_end));
        SourceLocation {
            file: self.path.clone(),
            line: content[..line_start].matches('\n').count() + 1,
            column: content[line_start..start].chars().count() + 1,
            width: content[start..end].chars().count(),
            source: content[line_start..line_end].to_owned(),
        }
    }
}

/// Converts line ends to `\n` and removes a byte-order mark: neither is content.
pub(crate) fn normalised(raw: &str) -> Cow<'_, str> {
    let text = raw.strip_prefix('\u{feff}').unwrap_or(raw);
    match text.contains('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(text),
    }
}
