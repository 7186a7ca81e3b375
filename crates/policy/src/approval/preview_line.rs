//! The lines of a preview: written as text, and read back for surfaces with their own layout.
//!
//! The text is stored, printed in terminals and bound to the approval. A page reads the lines
//! back from that text, so it cannot show anything else. Must hold: a line that is written reads
//! back as the same line.

use std::fmt;

use serde::Serialize;

use crate::display_text::visible;

/// One line of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewLine {
    pub kind: PreviewLineKind,
    /// Of an argument or an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewLineKind {
    /// A sentence.
    Text,
    /// What the tool does.
    Description,
    /// An argument; without a name, how many are left out.
    Argument,
    /// An answer that the handler has.
    Answer,
    /// Why a person is asked.
    Reason,
    /// The earlier outcome of the same call.
    Earlier,
}

const INDENT: &str = "  ";
const ANSWER: &str = "asked for ";
const NAME_CHARS_MAX: usize = 80;

impl PreviewLineKind {
    pub const ALL: [PreviewLineKind; 6] = [
        PreviewLineKind::Text,
        PreviewLineKind::Description,
        PreviewLineKind::Argument,
        PreviewLineKind::Answer,
        PreviewLineKind::Reason,
        PreviewLineKind::Earlier,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            PreviewLineKind::Text => "text",
            PreviewLineKind::Description => "description",
            PreviewLineKind::Argument => "argument",
            PreviewLineKind::Answer => "answer",
            PreviewLineKind::Reason => "reason",
            PreviewLineKind::Earlier => "earlier",
        }
    }

    /// What the line starts with.
    fn label(self) -> &'static str {
        match self {
            PreviewLineKind::Text => "",
            PreviewLineKind::Description => "what it does: ",
            PreviewLineKind::Argument | PreviewLineKind::Answer => INDENT,
            PreviewLineKind::Reason => "asked because: ",
            PreviewLineKind::Earlier => "before: ",
        }
    }
}

impl PreviewLine {
    pub(super) fn new(kind: PreviewLineKind, text: String) -> Self {
        Self { kind, name: None, text }
    }

    /// An argument or an answer. The name is escaped, so that it cannot look like another line.
    pub(super) fn named(kind: PreviewLineKind, name: &str, text: String) -> Self {
        let name = visible(name, NAME_CHARS_MAX).replace(':', "\\u{3a}");
        let name = match name.starts_with('[') || name.starts_with(ANSWER) {
            true => escape_first(&name),
            false => name,
        };
        Self { kind, name: Some(name), text }
    }

    fn parse(line: &str) -> Self {
        let named = |text: &str| {
            let (name, text) = text.split_once(": ")?;
            Some((Some(name.to_owned()), text.to_owned()))
        };
        if let Some(rest) = line.strip_prefix(INDENT) {
            let answer = rest.strip_prefix(ANSWER).and_then(named);
            let (kind, (name, text)) = match (answer, rest.starts_with('[')) {
                (Some(answer), _) => (PreviewLineKind::Answer, answer),
                (None, true) => (PreviewLineKind::Argument, (None, rest.to_owned())),
                (None, false) => {
                    (PreviewLineKind::Argument, named(rest).unwrap_or((None, rest.to_owned())))
                }
            };
            return Self { kind, name, text };
        }
        let labelled =
            [PreviewLineKind::Description, PreviewLineKind::Reason, PreviewLineKind::Earlier];
        let found =
            labelled.into_iter().find_map(|kind| Some((kind, line.strip_prefix(kind.label())?)));
        let (kind, text) = found.unwrap_or((PreviewLineKind::Text, line));
        Self::new(kind, text.to_owned())
    }
}

impl fmt::Display for PreviewLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, text } = self;
        let answer = if *kind == PreviewLineKind::Answer { ANSWER } else { "" };
        match name {
            Some(name) => write!(f, "{}{answer}{name}: {text}", kind.label()),
            None => write!(f, "{}{text}", kind.label()),
        }
    }
}

fn escape_first(text: &str) -> String {
    let mut rest = text.chars();
    let first: String = rest.by_ref().take(1).flat_map(char::escape_unicode).collect();
    first + rest.as_str()
}

/// Reads the text of a preview.
pub fn preview_lines(preview: &str) -> Vec<PreviewLine> {
    preview.lines().map(PreviewLine::parse).collect()
}

#[cfg(test)]
mod tests;
