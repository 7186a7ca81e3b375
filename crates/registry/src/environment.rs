//! The Python packages that a handler needs: from `requirements.txt`, or metadata inside the file.
//!
//! In: a file below the tools directory. Out: an [`Environment`] whose id is a hash of its
//! requirements, so that files with the same requirements share one. A file's own folder takes
//! precedence over the tools directory; a `# /// script` block adds to either. Nothing is installed here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use contract::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::de::DeTable;

use crate::fault::Faults;
use crate::source::text::Text;
use crate::source::{read_text, slashed};

pub const REQUIREMENTS_FILE: &str = "requirements.txt";
/// The file beside the tools with the installed version of each package.
pub const PYTHON_LOCK_FILE: &str = "python.lock";
const LOCK_BYTES_MAX: u64 = 4 << 20;
const BYTES_MAX: u64 = 64 << 10;
const LINES_MAX: usize = 500;

/// The id of a set of packages: 16 hex digits of the hash of its requirements.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvironmentId(Box<str>);

impl EnvironmentId {
    const DIGITS: usize = 16;

    fn of(requirements: &[String]) -> Self {
        EnvironmentId(Digest::of(requirements.join("\n").as_bytes()).hex(Self::DIGITS).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is not an environment id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an environment id; it has 16 hex digits")]
pub struct BadEnvironmentId(String);

impl FromStr for EnvironmentId {
    type Err = BadEnvironmentId;
    fn from_str(text: &str) -> Result<Self, BadEnvironmentId> {
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        match text.len() == Self::DIGITS && text.bytes().all(hex) {
            true => Ok(EnvironmentId(text.into())),
            false => Err(BadEnvironmentId(text.to_owned())),
        }
    }
}

contract::serde_as_text!(EnvironmentId);

impl fmt::Display for EnvironmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A set of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    pub id: EnvironmentId,
    /// As the authors write them, sorted: `httpx>=0.27`.
    pub requirements: Vec<String>,
    /// The file that lists them, as messages show it.
    pub asked_in: String,
}

/// What the handler or module `file`, below `tools_dir`, needs; none for the standard
/// library alone. Faults in the files are reported by `check`.
pub fn environment_of(tools_dir: &Path, file: &str) -> Option<Environment> {
    let path = tools_dir.join(file);
    let source = read_text(&path, 1 << 20).ok().flatten().unwrap_or_default();
    let text = Text::new(slashed(&path), &source);
    needs(tools_dir, &path, &text, &mut Faults::default())
}

/// The same, with every fault; `text` is the source of the file.
pub(crate) fn needs(
    tools_dir: &Path,
    path: &Path,
    text: &Text,
    faults: &mut Faults,
) -> Option<Environment> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let listed = listed(folder, faults).or_else(|| match folder == tools_dir {
        true => None,
        false => listed(tools_dir, faults),
    });
    let inline = inline(text, faults);
    let asked_in = match (&listed, inline.is_empty()) {
        (Some((shown, _)), true) => shown.clone(),
        _ => text.path.clone(),
    };
    let mut requirements = listed.map(|(_, lines)| lines).unwrap_or_default();
    requirements.extend(inline);
    requirements.sort_unstable();
    requirements.dedup();
    match requirements.is_empty() {
        true => None,
        false => Some(Environment { id: EnvironmentId::of(&requirements), requirements, asked_in }),
    }
}

/// The versions that `python.lock` beside the tools records for each environment. An unreadable
/// lock counts as empty here; the installer reports it.
pub(crate) fn locked_versions(tools_dir: &Path) -> BTreeMap<EnvironmentId, Value> {
    #[derive(Deserialize)]
    struct PythonLock {
        environments: BTreeMap<EnvironmentId, Value>,
    }
    let text = read_text(&tools_dir.join(PYTHON_LOCK_FILE), LOCK_BYTES_MAX).ok().flatten();
    let lock = text.and_then(|text| serde_json::from_str::<PythonLock>(&text).ok());
    lock.map(|lock| lock.environments).unwrap_or_default()
}

/// The lines of a folder's `requirements.txt`, without comments.
fn listed(folder: &Path, faults: &mut Faults) -> Option<(String, Vec<String>)> {
    let path = folder.join(REQUIREMENTS_FILE);
    let shown = slashed(&path);
    let raw = match read_text(&path, BYTES_MAX) {
        Ok(raw) => raw?,
        Err(fault) => {
            faults.not_read(&shown, BYTES_MAX, &fault);
            return None;
        }
    };
    let text = Text::new(shown.clone(), &raw);
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.content.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let code = line.split(" #").next().unwrap_or_default().trim();
        match code {
            "" => {}
            comment if comment.starts_with('#') => {}
            refused if is_refused(refused) => faults.bad_requirement(&text, start..end, refused),
            requirement => found.push(requirement.to_owned()),
        }
        start += line.len();
    }
    if found.len() > LINES_MAX {
        faults.too_many_requirements(&text, found.len(), LINES_MAX);
        found.truncate(LINES_MAX);
    }
    Some((shown, found))
}

/// With options and files, the hash would not cover what is installed.
fn is_refused(requirement: &str) -> bool {
    requirement.starts_with(['-', '.', '/', '\\']) || requirement.ends_with('\\')
}

/// The `dependencies` of a `# /// script` block.
fn inline(text: &Text, faults: &mut Faults) -> Vec<String> {
    const OPEN: &str = "# /// script";
    let mut start = 0;
    let mut block: Option<(usize, String)> = None;
    for line in text.content.split_inclusive('\n') {
        let shown = line.trim_end();
        match &mut block {
            None if shown == OPEN => block = Some((start, String::new())),
            None => {}
            Some((at, toml)) if shown == "# ///" => {
                return dependencies(text, *at..*at + OPEN.len(), toml, faults);
            }
            Some((_, toml)) if shown == "#" || shown.starts_with("# ") => {
                toml.push_str(shown.get(2..).unwrap_or_default());
                toml.push('\n');
            }
            Some(_) => break,
        }
        start += line.len();
    }
    if let Some((at, _)) = block {
        let why = "the block is not closed by a line `# ///`";
        faults.bad_script_block(text, at..at + OPEN.len(), why);
    }
    Vec::new()
}

fn dependencies(
    text: &Text,
    span: std::ops::Range<usize>,
    toml: &str,
    faults: &mut Faults,
) -> Vec<String> {
    let table = match DeTable::parse(toml) {
        Ok(table) => table,
        Err(error) => {
            faults.bad_script_block(text, span, error.message());
            return Vec::new();
        }
    };
    let Some(value) = table.get_ref().get("dependencies") else { return Vec::new() };
    let items = value.get_ref().as_array();
    let words: Option<Vec<&str>> =
        items.and_then(|items| items.iter().map(|item| item.get_ref().as_str()).collect());
    let Some(words) = words else {
        faults.bad_script_block(text, span, "`dependencies` is not a list of strings");
        return Vec::new();
    };
    let (refused, good): (Vec<_>, Vec<_>) =
        words.into_iter().map(str::trim).partition(|word| is_refused(word));
    for requirement in refused {
        faults.bad_requirement(text, span.clone(), requirement);
    }
    good.into_iter().take(LINES_MAX).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
