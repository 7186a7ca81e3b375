//! Tests name only acceptance rows that `docs/reference/acceptance.md` has.
//!
//! `fn tk_04_…` refers to the row TK-04. A reference to a numbered requirement, as in `(R9)`,
//! points to a document outside the repository and is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const PAGE: &str = "docs/reference/acceptance.md";

pub(super) fn check(root: &Path, files: &[PathBuf], broken: &mut Vec<String>) -> Result<()> {
    let rows = rows(&fs::read_to_string(root.join(PAGE)).context(PAGE)?);
    for path in files {
        let text = fs::read_to_string(path)?;
        for (index, line) in text.lines().enumerate() {
            let place = || format!("{}:{}", super::shown(root, path), index + 1);
            for row in referred(line, &rows).filter(|row| !rows.contains(row)) {
                broken.push(format!("{}: {PAGE} has no row {row}", place()));
            }
            if let Some(requirement) = requirement(line) {
                broken.push(format!(
                    "{}: `{requirement}` points outside the repository; say it in words",
                    place()
                ));
            }
        }
    }
    Ok(())
}

/// The ids in the first column of the page's tables.
fn rows(page: &str) -> BTreeSet<String> {
    let first = |line: &str| line.strip_prefix("| ")?.split(' ').next().map(str::to_owned);
    page.lines().filter_map(first).filter(|id| is_row(id)).collect()
}

/// The rows that names on this line refer to: `tk_04_…`, where the page has rows `TK-…`.
fn referred<'a>(line: &'a str, rows: &'a BTreeSet<String>) -> impl Iterator<Item = String> + 'a {
    let names = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    names.filter_map(|name| {
        let mut parts = name.splitn(3, '_');
        let (set, number, _) = (parts.next()?, parts.next()?, parts.next()?);
        let id = format!("{}-{number}", set.to_ascii_uppercase());
        let known = rows.iter().any(|row| {
            row.split_once('-').map(|(known, _)| known) == id.split_once('-').map(|(set, _)| set)
        });
        (known && is_row(&id) && set.chars().all(|c| c.is_ascii_lowercase())).then_some(id)
    })
}

/// `(R9)`: a requirement of a document that is not here.
fn requirement(line: &str) -> Option<&str> {
    line.match_indices("(R").find_map(|(at, _)| {
        let inner = line[at + 1..].split(')').next()?;
        let is_number = inner.len() > 1 && inner[1..].chars().all(|c| c.is_ascii_digit());
        is_number.then_some(inner)
    })
}

/// `TK-04`: capitals, a dash, two digits.
fn is_row(id: &str) -> bool {
    id.split_once('-').is_some_and(|(set, number)| {
        !set.is_empty()
            && set.chars().all(|c| c.is_ascii_uppercase())
            && number.len() == 2
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests;
