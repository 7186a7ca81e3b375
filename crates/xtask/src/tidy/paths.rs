//! Every path that a document names exists.
//!
//! A path is in backticks and ends with a known extension or a slash. It is relative to the
//! root, to `crates`, or to the folder of the previous path in the same line.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The documents that lead into the code.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
const ENDINGS: [&str; 9] = ["rs", "js", "py", "toml", "md", "html", "css", "mjs", "sh"];
/// Files of a project that uses the program, and of the build.
const ELSEWHERE: [&str; 7] =
    ["target", "tools", "prompts", "handler", "ghosthand.toml", "rules.toml", "doc.md"];

pub(super) fn check(root: &Path, broken: &mut Vec<String>) -> Result<()> {
    for document in DOCUMENTS {
        let text = fs::read_to_string(root.join(document)).context(document)?;
        for (index, line) in text.lines().enumerate() {
            for missing in missing(root, line) {
                broken.push(format!("{document}:{}: there is no `{missing}`", index + 1));
            }
        }
    }
    Ok(())
}

/// The paths of a line that do not exist.
pub(super) fn missing<'a>(root: &Path, line: &'a str) -> Vec<&'a str> {
    let mut before: Option<PathBuf> = None;
    let mut missing = Vec::new();
    for named in line.split('`').skip(1).step_by(2).filter(|named| is_path(named)) {
        let beside = before.as_ref().and_then(|path| path.parent().map(Path::to_owned));
        let folders = [Some(root.to_owned()), Some(root.join("crates")), beside.clone()];
        let above = beside.and_then(|folder| folder.parent().map(Path::to_owned));
        let found = folders.into_iter().chain([above]).flatten().map(|folder| folder.join(named));
        match found.into_iter().find(|path| path.exists()) {
            Some(path) => before = Some(path),
            None => missing.push(named),
        }
    }
    missing
}

fn is_path(named: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let first = named.split(['/', '.']).next().unwrap_or_default();
    let ending = named.rsplit_once('.').map_or("", |(_, ending)| ending);
    named.chars().all(plain)
        && !first.is_empty()
        && !ELSEWHERE.iter().any(|name| *name == first || *name == named)
        && (named.ends_with('/') || ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests;
