//! A code block of a text, and whether it is an artifact.
//!
//! The first word of the line after the fence is the language. A name follows as
//! `title="Sales report"`, `file=app.py`, as a word that looks like a file (`app.py`), or behind
//! a colon (`js:src/app.js`).

use super::kind::Kind;
use super::name;

/// A code block of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeBlock {
    pub info: Info,
    pub code: String,
}

/// What the line after the fence says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Info {
    pub language: String,
    pub name: Option<String>,
}

/// What an artifact is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Labels {
    pub kind: Kind,
    pub language: String,
    pub title: String,
    pub file: String,
    pub name: Option<String>,
}

/// From when on a block is an artifact: so many lines or so many bytes.
struct Size {
    lines: usize,
    bytes: usize,
}

/// What can be drawn is worth it when it is short, and a block with a name when it is not tiny.
const DRAWN: Size = Size { lines: 2, bytes: 80 };
const NAMED: Size = Size { lines: 5, bytes: 300 };
const OTHER: Size = Size { lines: 15, bytes: 1_000 };

impl CodeBlock {
    /// None if it is no artifact.
    pub(crate) fn labels(&self) -> Option<Labels> {
        let Self { info: Info { language, name }, code } = self;
        let kind = Kind::of(language, code);
        let size = match name {
            _ if kind.is_drawn() => DRAWN,
            Some(_) => NAMED,
            None => OTHER,
        };
        if code.len() < size.bytes && code.lines().count() < size.lines {
            return None;
        }
        let title = name.clone().unwrap_or_else(|| name::title(kind, language, code));
        let file = name::file(name.as_deref().unwrap_or_default(), &title, language);
        Some(Labels { kind, language: language.clone(), title, file, name: name.clone() })
    }
}

const KEYS: [&str; 4] = ["title", "filename", "file", "name"];

impl Info {
    pub(crate) fn of(info: &str) -> Self {
        let end = info.find([' ', ',', '{', '\t']).unwrap_or(info.len());
        let (first, rest) = info.split_at_checked(end).unwrap_or((info, ""));
        let (language, behind) = match first.split_once(':') {
            Some((language, behind)) => (language, Some(behind)),
            None => (first, None),
        };
        let name = behind.map(str::to_owned).or_else(|| named(rest)).map(|name| name::clean(&name));
        let name = name.filter(|name| !name.is_empty());
        Self { language: language.to_owned(), name }
    }
}

/// The value of the first known key, or a word that looks like a file.
fn named(rest: &str) -> Option<String> {
    let by_key = KEYS.iter().find_map(|key| value_of(rest, key));
    let is_file = |word: &&str| {
        let end = word.rsplit_once('.').map(|(stem, end)| (stem.is_empty(), end));
        end.is_some_and(|(is_bare, end)| {
            !is_bare
                && (1..=10).contains(&end.len())
                && end.chars().all(|c| c.is_ascii_alphanumeric())
        }) && !word.contains(['=', '"', '{', '}'])
    };
    by_key.or_else(|| rest.split([' ', ',', '\t']).find(is_file).map(str::to_owned))
}

/// `key=value` or `key="some words"`.
fn value_of(rest: &str, key: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = rest.get(from..)?.find(key) {
        let (start, end) = (from + found, from + found + key.len());
        from = end;
        let before = rest.get(..start)?.chars().next_back();
        let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
        let Some(value) = rest.get(end..)?.strip_prefix('=').filter(|_| is_word) else { continue };
        let quote = value.chars().next().filter(|c| "\"'".contains(*c));
        return match quote {
            Some(quote) => value.get(1..)?.split(quote).next().map(str::to_owned),
            None => value.split([' ', ',', '}', '\t']).next().map(str::to_owned),
        };
    }
    None
}
