//! Artifacts: whole files that a tool hands to the person, such as a page, a drawing or a table.
//!
//! In: the `artifacts` list of a handler's response, treated as hostile. Out: artifacts whose
//! names are names of files, or the reason why an entry is not one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One file of a tool. Surfaces show it beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The name of a file, without folders: `report.html`.
    pub name: String,
    /// The language of its text, as in Markdown: `html`, `csv`, `python`.
    pub language: String,
    pub text: String,
}

/// Why an entry of `artifacts` is not an artifact. The response is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("artifact {index}: {because}")]
pub struct ArtifactFault {
    pub index: usize,
    pub because: String,
}

const NAME_CHARS_MAX: usize = 100;
const LANGUAGE_CHARS_MAX: usize = 32;
/// These have a meaning for file systems, for Markdown or for terminals.
const NEVER_IN_NAMES: &str = "/\\:*?\"<>|`";
const FIELDS: [&str; 3] = ["name", "language", "text"];

impl Artifact {
    /// How many artifacts one response may have.
    pub const COUNT_MAX: usize = 8;
    /// How long the text of one may be.
    pub const TEXT_BYTES_MAX: usize = 512 << 10;

    /// Reads one entry of the `artifacts` list.
    pub fn from_entry(index: usize, entry: &Value) -> Result<Self, ArtifactFault> {
        read(entry).map_err(|because| ArtifactFault { index, because })
    }

    /// As Markdown: a fenced block with its name, which no text inside can close.
    pub fn to_markdown(&self) -> String {
        let longest = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let end = if self.text.ends_with('\n') { "" } else { "\n" };
        let Self { name, language, text } = self;
        format!("{fence}{language} title=\"{name}\"\n{text}{end}{fence}")
    }
}

fn read(entry: &Value) -> Result<Artifact, String> {
    let Value::Object(fields) = entry else {
        return Err("an artifact is an object with `name` and `text`".to_owned());
    };
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("`{unknown}` is unknown; write `name`, `text` and `language`"));
    }
    let name = text(fields, "name")?.to_owned();
    check_name(&name)?;
    let content = text(fields, "text")?;
    if content.len() > Artifact::TEXT_BYTES_MAX {
        let most = Artifact::TEXT_BYTES_MAX >> 10;
        return Err(format!("`text` has {} bytes; at most {most} KiB fit", content.len()));
    }
    let language = match fields.get("language") {
        None | Some(Value::Null) => language_of(&name),
        Some(_) => text(fields, "language")?.to_ascii_lowercase(),
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-_#".contains(c);
    let is_language = language.len() <= LANGUAGE_CHARS_MAX && language.chars().all(is_part);
    if language.is_empty() || !is_language {
        return Err("`language` is a word such as `html`, `csv` or `python`".to_owned());
    }
    Ok(Artifact { name, language, text: content.to_owned() })
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("`{name}` must be a string")),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| !c.is_control() && !NEVER_IN_NAMES.contains(c);
    let is_trimmed = name == name.trim() && !name.starts_with('.') && !name.ends_with('.');
    let is_name = !name.is_empty()
        && is_trimmed
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().all(is_plain);
    match is_name {
        true => Ok(()),
        false => Err("`name` is the name of a file without folders, such as `report.html`".into()),
    }
}

/// The end of the name, or plain text.
fn language_of(name: &str) -> String {
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    let is_word = |end: &String| {
        (1..=LANGUAGE_CHARS_MAX).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    };
    end.filter(is_word).unwrap_or_else(|| "text".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Artifact;

    #[test]
    fn an_artifact_has_the_name_of_a_file_a_language_and_a_text() {
        let read = |entry: Value| Artifact::from_entry(0, &entry);
        let made = read(json!({"name": "Report Q3.HTML", "text": "<p>"})).unwrap();
        assert_eq!(made.language, "html");
        let made = read(json!({"name": "notes", "text": "", "language": "Markdown"})).unwrap();
        assert_eq!(made.language, "markdown");
        assert_eq!(read(json!({"name": "notes", "text": ""})).unwrap().language, "text");
        let check = |entry: Value, expected: &str| {
            let fault = read(entry).unwrap_err().to_string();
            assert!(fault.contains(expected), "{fault}");
        };
        for name in ["", "../a", "a/b", ".bashrc", "a\"b", "a\nb", "a`b", " a", "c:d", "a."] {
            check(json!({"name": name, "text": ""}), "artifact 0: `name` is the name of a file");
        }
        check(json!({"name": "a".repeat(101), "text": ""}), "`name`");
        check(json!({"name": "a.txt"}), "`text` must be a string");
        check(json!({"name": "a.txt", "text": "", "language": "c c"}), "`language`");
        check(json!({"name": "a.txt", "text": "", "kind": "x"}), "`kind` is unknown");
        check(json!("a.txt"), "an object");
        let long = "a".repeat(Artifact::TEXT_BYTES_MAX + 1);
        check(json!({"name": "a.txt", "text": long}), "at most 512 KiB");
    }

    #[test]
    fn no_text_closes_the_fence_around_it() {
        let check = |text: &str, expected: &str| {
            let entry = json!({"name": "a.md", "text": text});
            assert_eq!(Artifact::from_entry(0, &entry).unwrap().to_markdown(), expected);
        };
        check("hello", "```md title=\"a.md\"\nhello\n```");
        check("a\n````\nb\n", "`````md title=\"a.md\"\na\n````\nb\n`````");
        check("", "```md title=\"a.md\"\n\n```");
    }
}
