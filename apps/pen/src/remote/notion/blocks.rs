//! Converts a text to Notion blocks, and splits them into requests within Notion's limits.
//!
//! Must hold: pure; nothing is lost or reordered; no text is longer than Notion's limit, which
//! counts UTF-16 units.

mod pieces;

use serde_json::{Value, json};

pub(crate) use pieces::rich_text;

use super::Text;

/// Of one rich text, and of one list of children.
const ELEMENTS_MAX: usize = 100;
/// Bytes of text in one request. Notion accepts 500 KB in all, including the properties.
pub(crate) const REQUEST_TEXT_BYTES_MAX: usize = 400_000;

/// The languages of code blocks that Notion accepts.
const LANGUAGES: &[&str] = &[
    "bash",
    "c",
    "c++",
    "css",
    "diff",
    "go",
    "html",
    "java",
    "javascript",
    "json",
    "kotlin",
    "markdown",
    "php",
    "python",
    "ruby",
    "rust",
    "shell",
    "sql",
    "swift",
    "toml",
    "typescript",
    "xml",
    "yaml",
];

/// Parses the kind of block of a line, and its text.
type Reader = fn(&str) -> Option<(&'static str, &str)>;

/// The blocks of a text.
pub(crate) fn of_text(text: &Text) -> Vec<Value> {
    let (text, read, keeps_blanks): (_, Reader, _) = match text {
        Text::Post(text) => (text, heading, true),
        Text::Markdown(text) => (text, marked, false),
    };
    let text = text.replace("\r\n", "\n");
    let mut laid = Laid { blocks: Vec::new(), paragraph: None, parted: false, keeps_blanks };
    let mut lines = text.trim_end().split('\n');
    while let Some(line) = lines.next() {
        match (line.strip_prefix("```"), read(line)) {
            _ if line.trim().is_empty() => {
                laid.blank();
                continue;
            }
            (Some(language), _) if !keeps_blanks => laid.code(language, &mut lines),
            (_, Some((kind, rest))) => laid.block(kind, rest),
            (_, None) => laid.line(line),
        }
        laid.parted = false;
    }
    laid.close();
    laid.blocks
}

/// Blocks that are being built.
struct Laid {
    blocks: Vec<Value>,
    paragraph: Option<String>,
    /// Was the previous line blank?
    parted: bool,
    keeps_blanks: bool,
}

impl Laid {
    fn line(&mut self, line: &str) {
        match &mut self.paragraph {
            Some(paragraph) => *paragraph = format!("{paragraph}\n{line}"),
            None => self.paragraph = Some(line.to_owned()),
        }
    }

    /// One blank line separates blocks; in a post each further one is an empty paragraph.
    fn blank(&mut self) {
        self.close();
        if self.parted && self.keeps_blanks && !self.blocks.is_empty() {
            self.blocks.push(json!({ "type": "paragraph", "paragraph": { "rich_text": [] } }));
        }
        self.parted = true;
    }

    fn block(&mut self, kind: &str, text: &str) {
        self.close();
        if kind == "divider" {
            self.blocks.push(json!({ "type": "divider", "divider": {} }));
            return;
        }
        let pieces = rich_text(text);
        for part in pieces.chunks(ELEMENTS_MAX) {
            let mut content = json!({ "rich_text": part });
            if let Some(done) = kind.strip_prefix("to_do ") {
                content["checked"] = (done == "x").into();
            }
            let kind = kind.split(' ').next().unwrap_or_default();
            self.blocks.push(json!({ "type": kind, kind: content }));
        }
    }

    fn code<'a>(&mut self, language: &str, lines: &mut impl Iterator<Item = &'a str>) {
        self.close();
        let text: Vec<_> = lines.take_while(|line| !line.starts_with("```")).collect();
        let language = LANGUAGES.iter().find(|known| **known == language.trim());
        let language = language.unwrap_or(&"plain text");
        for part in rich_text(&text.join("\n")).chunks(ELEMENTS_MAX) {
            let content = json!({ "rich_text": part, "language": language });
            self.blocks.push(json!({ "type": "code", "code": content }));
        }
    }

    fn close(&mut self) {
        if let Some(paragraph) = self.paragraph.take() {
            self.block("paragraph", &paragraph);
        }
    }
}

/// A heading; `#tag` is not one.
fn heading(line: &str) -> Option<(&'static str, &str)> {
    let kinds = [("# ", "heading_1"), ("## ", "heading_2"), ("### ", "heading_3")];
    let found = kinds.into_iter().find(|(mark, _)| line.starts_with(mark));
    found.and_then(|(mark, kind)| Some((kind, line.strip_prefix(mark)?.trim())))
}

/// Markdown blocks; inline marks stay as they are.
fn marked(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim();
    let kinds = [
        ("- [ ] ", "to_do _"),
        ("- [x] ", "to_do x"),
        ("- ", "bulleted_list_item"),
        ("* ", "bulleted_list_item"),
        ("> ", "quote"),
        ("#### ", "heading_4"),
    ];
    if matches!(line, "---" | "***" | "___") {
        return Some(("divider", ""));
    }
    let plain = || kinds.iter().find_map(|(mark, kind)| Some((*kind, line.strip_prefix(mark)?)));
    let numbered = || {
        let (number, rest) = line.split_once(". ")?;
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        is_number.then_some(("numbered_list_item", rest))
    };
    heading(line).or_else(plain).or_else(numbered)
}

/// Splits blocks into requests.
pub(crate) fn batches(blocks: Vec<Value>) -> Vec<Vec<Value>> {
    let mut batches: Vec<Vec<Value>> = Vec::new();
    let mut bytes = 0;
    for block in blocks {
        let size = block.to_string().len();
        match batches.last_mut() {
            Some(last) if last.len() < ELEMENTS_MAX && bytes + size <= REQUEST_TEXT_BYTES_MAX => {
                bytes += size;
                last.push(block);
            }
            _ => {
                bytes = size;
                batches.push(vec![block]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests;
