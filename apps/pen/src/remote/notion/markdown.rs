//! Converts blocks to Markdown, for pages without Notion's own.
//!
//! In: [`Block`]s with their children. Out: text. Must hold: pure; no block is an error, and an
//! unknown one leaves a note in its place.

mod rich_text;
mod table;

use serde_json::Value;

pub use rich_text::plain;

/// A block with its children.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Notion's type, as in `heading_1`.
    pub kind: String,
    /// The object under that type.
    pub content: Value,
    pub children: Vec<Block>,
}

impl Block {
    /// From Notion's JSON, without children.
    pub fn new(json: &Value) -> Self {
        let kind = json["type"].as_str().unwrap_or("unsupported").to_owned();
        let content = json.get(&kind).cloned().unwrap_or_default();
        Self { kind, content, children: Vec::new() }
    }

    /// Are its children part of this page? Those of another page or a database are not.
    pub fn is_entered(&self) -> bool {
        !matches!(self.kind.as_str(), "child_page" | "child_database")
    }

    fn text(&self) -> String {
        rich_text::markdown(&self.content["rich_text"])
    }

    fn field(&self, name: &str) -> &str {
        self.content[name].as_str().unwrap_or_default()
    }
}

/// The text of a page.
pub fn of_blocks(blocks: &[Block]) -> String {
    let mut text = String::new();
    let mut before = None;
    let mut number = 0;
    for block in blocks {
        let list = List::of(&block.kind);
        number = match list {
            Some(List::Numbered) if before == Some(List::Numbered) => number + 1,
            Some(List::Numbered) => block.content["list_start_index"].as_u64().unwrap_or(1),
            Some(List::Bulleted | List::ToDo) | None => 0,
        };
        let lines = lines(block, number);
        if lines.is_empty() {
            before = None;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if list.is_some() && list == before { "\n" } else { "\n\n" });
        }
        text.push_str(&lines);
        before = list;
    }
    text
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Bulleted,
    Numbered,
    ToDo,
}

impl List {
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "bulleted_list_item" | "toggle" => Some(List::Bulleted),
            "numbered_list_item" => Some(List::Numbered),
            "to_do" => Some(List::ToDo),
            _ => None,
        }
    }
}

fn lines(block: &Block, number: u64) -> String {
    match block.kind.as_str() {
        "paragraph" => above(&block.text(), &block.children),
        "heading_1" => heading(1, block),
        "heading_2" => heading(2, block),
        "heading_3" => heading(3, block),
        "heading_4" => heading(4, block),
        "bulleted_list_item" | "toggle" => item("- ", "  ", block),
        "numbered_list_item" => {
            let mark = format!("{number}. ");
            item(&mark, &" ".repeat(mark.len()), block)
        }
        "to_do" if block.content["checked"] == true => item("- [x] ", "  ", block),
        "to_do" => item("- [ ] ", "  ", block),
        "quote" => quoted(&above(&block.text(), &block.children)),
        "callout" => {
            let icon = block.content["icon"]["emoji"].as_str().unwrap_or("💡");
            quoted(&above(&format!("{icon} {}", block.text()), &block.children))
        }
        "code" => code(block),
        "divider" => "---".to_owned(),
        "equation" => format!("$$\n{}\n$$", block.field("expression")),
        "table" => table::markdown(block),
        "image" | "video" | "file" | "pdf" | "audio" => media(block, ""),
        "embed" | "bookmark" | "link_preview" => media(block, block.field("url")),
        "child_page" | "child_database" => format!("[{}]", block.field("title")),
        "link_to_page" => linked(block),
        "column_list" | "column" | "synced_block" | "template" | "tab" => {
            above(&block.text(), &block.children)
        }
        "table_of_contents" | "breadcrumb" => String::new(),
        kind => format!("[unsupported: {kind}]"),
    }
}

/// Text with its children after it.
fn above(text: &str, children: &[Block]) -> String {
    let below = of_blocks(children);
    let parts: Vec<_> = [text, &below].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// A heading that can be opened has its children below it.
fn heading(level: usize, block: &Block) -> String {
    let text = block.text().replace('\n', " ");
    above(&format!("{} {text}", "#".repeat(level)), &block.children)
}

fn item(mark: &str, indent: &str, block: &Block) -> String {
    let below = of_blocks(&block.children);
    let text = block.text();
    let whole = match below.is_empty() {
        true => text,
        // A nested list follows directly, anything else after a blank line.
        false if block.children.first().is_some_and(|child| List::of(&child.kind).is_some()) => {
            format!("{text}\n{below}")
        }
        false => format!("{text}\n\n{below}"),
    };
    format!("{mark}{}", before_lines(&whole, indent, After::First))
}

fn quoted(text: &str) -> String {
    before_lines(text, "> ", After::Start)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Start,
    First,
}

/// Prefixes each line, or each but the first.
fn before_lines(text: &str, mark: &str, after: After) -> String {
    let marked = |(index, line): (usize, &str)| match (after, index, line) {
        (After::First, 0, line) => line.to_owned(),
        (_, _, "") => mark.trim_end().to_owned(),
        (_, _, line) => format!("{mark}{line}"),
    };
    text.split('\n').enumerate().map(marked).collect::<Vec<_>>().join("\n")
}

fn code(block: &Block) -> String {
    let text = plain(&block.content["rich_text"]);
    let fence = "`".repeat(rich_text::longest_run(&text).max(2) + 1);
    let language = match block.field("language") {
        "plain text" => "",
        language => language,
    };
    let fenced = format!("{fence}{language}\n{text}\n{fence}");
    match rich_text::markdown(&block.content["caption"]) {
        caption if caption.is_empty() => fenced,
        caption => format!("{fenced}\n{caption}"),
    }
}

fn media(block: &Block, url: &str) -> String {
    let caption = plain(&block.content["caption"]);
    let name = if caption.is_empty() { block.field("name") } else { &caption };
    let name = if name.is_empty() { block.kind.as_str() } else { name };
    let said = format!("[media: {name}]");
    if url.is_empty() { said } else { format!("{said}({url})") }
}

fn linked(block: &Block) -> String {
    let kind = block.field("type");
    let word = kind.strip_suffix("_id").unwrap_or(kind).replace('_', " ");
    format!("[{word} {}]", block.field(kind))
}
