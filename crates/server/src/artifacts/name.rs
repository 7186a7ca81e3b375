//! Titles and file names: from the code block's name, else from what the text says of itself.

use super::Kind;
use super::kind::extension;

const TITLE_CHARS_MAX: usize = 80;
const FILE_CHARS_MAX: usize = 80;
/// How far a title is searched.
const HEAD_BYTES_MAX: usize = 4 << 10;

/// What people call it: the page's title, the document's heading, or its language.
pub(super) fn title(kind: Kind, language: &str, code: &str) -> String {
    let head = code.get(..code.floor_char_boundary(HEAD_BYTES_MAX)).unwrap_or_default();
    let said = match kind {
        Kind::Html | Kind::Svg => between(head, "<title>", "</title>"),
        Kind::Markdown => head.lines().find_map(|line| line.strip_prefix("# ")),
        Kind::Mermaid | Kind::Csv | Kind::Code => None,
    };
    let said = said.map(clean).filter(|title| !title.is_empty());
    said.unwrap_or_else(|| match kind {
        Kind::Html => "Page".to_owned(),
        Kind::Svg => "Drawing".to_owned(),
        Kind::Mermaid => "Diagram".to_owned(),
        Kind::Csv => "Table".to_owned(),
        Kind::Markdown => "Document".to_owned(),
        Kind::Code if language.is_empty() => "Text".to_owned(),
        Kind::Code => format!("Code in {language}"),
    })
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let from = lower.find(start)? + start.len();
    let to = from + lower.get(from..)?.find(end)?;
    text.get(from..to)
}

/// On one line, and not too long.
pub(super) fn clean(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(TITLE_CHARS_MAX).collect()
}

/// The name to save it under: the last part of its own name, or its title as one.
pub(super) fn file(name: &str, title: &str, language: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |c: &char| !c.is_control() && !":*?\"<>|`".contains(*c);
    let last: String = last.chars().filter(is_plain).take(FILE_CHARS_MAX).collect();
    let last = last.trim().trim_matches('.');
    match (last, has_extension(last)) {
        ("", _) => format!("{}.{}", slug(title), extension(language)),
        (last, true) => last.to_owned(),
        (last, false) => format!("{}.{}", slug(last), extension(language)),
    }
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=10).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Letters and digits with dashes between them.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    let slug: String = slug.chars().take(FILE_CHARS_MAX).collect();
    if slug.is_empty() { "artifact".to_owned() } else { slug }
}
