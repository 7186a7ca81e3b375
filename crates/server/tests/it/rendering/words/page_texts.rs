//! Finds the texts in the page's modules: those that go through `t`, and those that people may
//! see and that do not.
//!
//! A literal is for people if it stands where they see it (a child of `h`, a label, a toast), or
//! if it reads like words: a capital and small letters, or two words. Selectors, class names and
//! the like are left out by where they stand.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use tree_sitter::{Node, Parser};

/// Something in a module that concerns the tables.
pub(super) enum Text {
    /// `t("…")`, and texts of the server as `known("…")`.
    Key { key: String, line: usize },
    /// A literal that people may see.
    Plain { text: String, line: usize },
    /// `t(name)`.
    Computed { line: usize },
}

/// Literals that read like words, and are names of other things.
const NOT_FOR_PEOPLE: &[&str] = &[
    // Names of products, systems and protocols.
    "Android",
    "Anthropic",
    "Anthropic Messages",
    "Chrome",
    "Edge",
    "Excel",
    "Firefox",
    "Gemini generateContent",
    "Ghostpad",
    "Ghostpad: ",
    "Ghostpad …",
    "Google Gemini",
    "JSON",
    "Linux",
    "Ollama",
    "OpenAI",
    "OpenAI Responses",
    "OpenDocument",
    "Opera",
    "PowerPoint",
    "Safari",
    "Windows",
    "Word",
    "rehearsal",
    "…… · Ghostpad",
    // Languages, each in itself.
    "English",
    "Русский",
    "Українська",
    // Keys of the keyboard.
    "Alt M",
    "ArrowLeft",
    "ArrowRight",
    "Ctrl K",
    "Ctrl Shift O",
    "Enter",
    "Esc",
    "Shift Enter",
    // Addresses and commands, and words for programs.
    "AbortError",
    "failed to show an event",
    "ghosthand ledger resolve …",
    "ghosthand mcp import …",
    "ghosthand mcp login …",
    "http://127.0.0.1:8080/v1",
    "https://tracker.example/mcp",
    "lg tall",
    "local",
    "tracker",
    "uvx",
];

/// Calls whose texts people see: the name, and which arguments are texts.
const SHOWN_BY: [(&str, RangeInclusive<usize>); 8] = [
    ("h", 2..=usize::MAX),
    ("iconButton", 1..=1),
    ("toggle", 0..=0),
    ("toast", 0..=0),
    ("announce", 0..=0),
    ("confirmDialog", 0..=3),
    ("attachMenu", 2..=2),
    ("Notification", 0..=0),
];

/// Fields whose texts people see.
const SHOWN_FIELDS: [&str; 10] = [
    "title",
    "aria-label",
    "placeholder",
    "label",
    "alt",
    "message",
    "fix",
    "hint",
    "description",
    "textContent",
];

/// Calls whose literals are names for programs.
const NAMED_BY: &[&str] = &[
    "AudioWorkletNode",
    "addEventListener",
    "call",
    "closest",
    "emit",
    "get",
    "getAttribute",
    "getElementById",
    "getPropertyValue",
    "icon",
    "import",
    "includes",
    "matches",
    "on",
    "open",
    "post",
    "put",
    "querySelector",
    "querySelectorAll",
    "remove",
    "replace",
    "replaceAll",
    "setAttribute",
    "setRequestHeader",
    "startsWith",
    "test",
];

/// Fields whose values are names for programs.
const NAMED_FIELDS: [&str; 9] =
    ["class", "className", "type", "role", "accept", "Accept", "Content-Type", "href", "pattern"];

/// All modules of the page, of its voice view and of the page after a login, with their texts.
pub(super) fn modules() -> Vec<(String, String)> {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["page", "../voice-web/page", "../mcp-web/page"].map(|one| server.join(one)) {
        collect(&folder, &mut files);
    }
    // It defines `t`.
    files.retain(|file| !file.ends_with("page/words.js"));
    files.sort();
    let name = |file: &Path| {
        let path = file.to_string_lossy();
        path.rsplit_once("crates/")
            .map_or(path.to_string(), |(_, rest)| rest.replace("server/../", ""))
    };
    let read = |file: &PathBuf| (name(file), fs::read_to_string(file).unwrap());
    files.iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|kind| kind == "js") => files.push(path),
            false => {}
        }
    }
}

/// The texts `{{…}}` of an HTML file.
pub(super) fn html_texts(html: &str) -> Vec<String> {
    let texts = html.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0));
    texts.map(str::to_owned).collect()
}

/// The texts `….text("…")` of a Rust file.
pub(super) fn rust_texts(code: &str) -> Vec<String> {
    let texts = code.split(".text(\"").skip(1).filter_map(|rest| Some(rest.split_once("\")")?.0));
    texts.map(str::to_owned).collect()
}

/// The texts of a module, in their order.
pub(super) fn texts(code: &str) -> Vec<Text> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).unwrap();
    let tree = parser.parse(code, None).unwrap();
    let mut found = Vec::new();
    visit(tree.root_node(), code, &mut found);
    found
}

fn visit(node: Node, code: &str, found: &mut Vec<Text>) {
    let line = node.start_position().row + 1;
    match node.kind() {
        "import_statement" | "comment" | "regex" => return,
        "call_expression" if is_lookup(node, code) => {
            let arguments = node.child_by_field_name("arguments");
            let first = arguments.and_then(|arguments| arguments.named_child(0));
            let key = first.filter(|first| first.kind() == "string");
            found.push(match key {
                Some(key) => Text::Key { key: literal(key, code), line },
                None => Text::Computed { line },
            });
        }
        "string" | "template_string" => {
            let text = literal(node, code);
            if is_for_people(node, code, &text) && !NOT_FOR_PEOPLE.contains(&text.as_str()) {
                found.push(Text::Plain { text, line });
            }
        }
        _ => {}
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        visit(child, code, found);
    }
}

fn is_lookup(call: Node, code: &str) -> bool {
    matches!(called(call, code), "t" | "withParts" | "known")
}

/// What is called: `box.querySelector` of `box.querySelector(…)`.
fn called<'a>(call: Node, code: &'a str) -> &'a str {
    let function = call.child_by_field_name("function").or(call.child_by_field_name("constructor"));
    function.map_or("", |function| &code[function.byte_range()])
}

/// Its last name.
fn callee<'a>(call: Node, code: &'a str) -> &'a str {
    called(call, code).rsplit(['.', '?']).next().unwrap_or_default()
}

/// The value of a literal; `…` stands for what a template fills in.
fn literal(node: Node, code: &str) -> String {
    let mut cursor = node.walk();
    let pieces = node.named_children(&mut cursor).map(|piece| match piece.kind() {
        "string_fragment" => code[piece.byte_range()].to_owned(),
        "escape_sequence" => unescaped(&code[piece.byte_range()]),
        _ => "…".to_owned(),
    });
    pieces.collect()
}

fn unescaped(escape: &str) -> String {
    match escape {
        "\\n" => "\n".to_owned(),
        other => other.trim_start_matches('\\').to_owned(),
    }
}

/// Where a literal stands.
enum Place {
    Shown,
    Named,
    Elsewhere,
}

fn is_for_people(node: Node, code: &str, text: &str) -> bool {
    let has_letters = text.chars().any(char::is_alphabetic);
    match place(node, code) {
        Place::Shown => has_letters,
        Place::Named => false,
        Place::Elsewhere => reads_like_words(text),
    }
}

/// Goes up from a literal through what passes its value on: `a ? "x" : "y"`, `a ?? "x"`.
fn place(literal: Node, code: &str) -> Place {
    let mut node = literal;
    while let Some(parent) = node.parent() {
        let kind = parent.kind();
        let field = |name: &str| parent.child_by_field_name(name) == Some(node);
        match kind {
            "call_expression" if is_lookup(parent, code) => return Place::Named,
            // A tagged template, such as path`…`.
            "call_expression" => return Place::Named,
            "arguments" => return place_of_argument(parent, node, code),
            "pair" if field("key") => return Place::Named,
            "pair" => return place_of_field(&parent, code),
            // `"a b c".split(" ")`
            "subscript_expression" | "member_expression" => return Place::Named,
            "assignment_expression" if field("right") => {
                let left = parent.child_by_field_name("left").map(|left| &code[left.byte_range()]);
                let name = left.and_then(|left| left.rsplit('.').next()).unwrap_or_default();
                return place_of_name(name);
            }
            "binary_expression" => {
                let operator = parent.child_by_field_name("operator").map(|one| one.kind());
                match operator {
                    Some("===" | "!==" | "in") => return Place::Named,
                    _ => node = parent,
                }
            }
            "ternary_expression" if field("condition") => return Place::Named,
            "ternary_expression" | "parenthesized_expression" => node = parent,
            _ => return Place::Elsewhere,
        }
    }
    Place::Elsewhere
}

fn place_of_argument(arguments: Node, node: Node, code: &str) -> Place {
    let Some(call) = arguments.parent() else { return Place::Elsewhere };
    let mut cursor = arguments.walk();
    let at = arguments.named_children(&mut cursor).position(|one| one == node).unwrap_or_default();
    if is_lookup(call, code) && at == 0 {
        return Place::Named;
    }
    match SHOWN_BY.iter().find(|(shown, _)| *shown == called(call, code)) {
        Some((_, shown)) if shown.contains(&at) => Place::Shown,
        Some(_) => Place::Named,
        None if NAMED_BY.contains(&callee(call, code)) => Place::Named,
        None => Place::Elsewhere,
    }
}

fn place_of_field(pair: &Node, code: &str) -> Place {
    let key = pair.child_by_field_name("key").map(|key| &code[key.byte_range()]);
    place_of_name(key.unwrap_or_default().trim_matches('"'))
}

fn place_of_name(name: &str) -> Place {
    match name {
        shown if SHOWN_FIELDS.contains(&shown) => Place::Shown,
        named if NAMED_FIELDS.contains(&named) => Place::Named,
        _ => Place::Elsewhere,
    }
}

/// A capital with small letters after it, or two words.
fn reads_like_words(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let is_capital = matches!(letters.as_slice(), [first, second, ..] if first.is_uppercase() && second.is_lowercase());
    let words = text.split_whitespace().filter(|word| {
        word.chars().all(|c| c.is_alphabetic() || ".,:;?!'…".contains(c))
            && word.chars().any(char::is_alphabetic)
    });
    is_capital || words.count() >= 2
}
