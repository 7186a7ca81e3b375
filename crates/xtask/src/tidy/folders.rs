//! Limits how many files stand side by side, so that a folder can be read at a glance.
//!
//! `foo.rs` and its folder `foo/` count as one. [`EXCEPTIONS`] can only shrink: a folder that
//! has fewer files than its exception allows is reported as well.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// How many modules one folder may have.
const FILES_MAX: usize = 20;

/// Folders that may have more, with the reason. Lower the number with the folder.
const EXCEPTIONS: [(&str, usize, &str); 0] = [];

pub(super) fn check(root: &Path, broken: &mut Vec<String>) -> Result<()> {
    let mut folders = sources(root)?;
    while let Some(folder) = folders.pop() {
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| super::shown(root, &folder))? {
            let entry = entry?;
            names.push(entry.file_name().to_string_lossy().into_owned());
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
        if has_code(&names) {
            broken.extend(fault(&super::shown(root, &folder), count(&names), &EXCEPTIONS));
        }
    }
    Ok(())
}

/// The folders of every crate that hold its code and its tests.
fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for group in ["crates", "apps"] {
        for entry in fs::read_dir(root.join(group)).context(group)? {
            let member = entry?.path();
            let folders = ["src", "tests"].map(|name| member.join(name));
            found.extend(folders.into_iter().filter(|folder| folder.is_dir()));
        }
    }
    Ok(found)
}

/// A folder without Rust files holds data, such as recordings, and may have any number.
fn has_code(names: &[String]) -> bool {
    names.iter().any(|name| name.ends_with(".rs"))
}

/// Counts a module and its folder once.
fn count(names: &[String]) -> usize {
    let stems: BTreeSet<&str> =
        names.iter().map(|name| name.strip_suffix(".rs").unwrap_or(name)).collect();
    stems.len()
}

fn fault(folder: &str, files: usize, exceptions: &[(&str, usize, &str)]) -> Option<String> {
    let exception = exceptions.iter().find(|(path, ..)| *path == folder);
    let max = exception.map_or(FILES_MAX, |(_, max, _)| *max);
    match files {
        _ if files > max => Some(format!(
            "{folder}: {files} files side by side, at most {max} are allowed; group them"
        )),
        _ if exception.is_some() && files < max => Some(format!(
            "{folder}: the exception allows {max} files and the folder has {files}; lower it"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
