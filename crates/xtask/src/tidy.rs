//! Checks the rules of the repository.
//!
//! Sizes of files, folders and crates, opening sentences, allowed dependencies and licences,
//! up-to-date documents whose paths exist, the words of the glossary, acceptance rows that
//! exist, modules in reading order, no forgotten test file, no loose end without an issue.

mod acceptance;
mod crate_size;
mod folders;
mod licences;
mod paths;
mod reading_order;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::map::{self, Manifest};

/// A longer source file must be split.
const LINES_MAX: usize = 500;
const COLUMNS_MAX: usize = 110;

/// The table of `crates/xtask/allowed.toml`: what each crate may depend on.
#[derive(Deserialize)]
struct Allowed {
    dependencies: BTreeMap<String, BTreeSet<String>>,
}

/// Fails with every broken rule at once.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut broken = Vec::new();
    let files = rust_files(root)?;
    for path in &files {
        check_file(root, path, &mut broken)?;
    }
    folders::check(root, &mut broken)?;
    crate_size::check(root, &files, &mut broken)?;
    reading_order::check(root, &files, &mut broken)?;
    // These files have the words that they look for.
    let own = root.join("crates/xtask/src/tidy");
    let others: Vec<PathBuf> = files.into_iter().filter(|path| !path.starts_with(&own)).collect();
    words::check(root, &others, &mut broken)?;
    acceptance::check(root, &others, &mut broken)?;
    check_dependencies(root, &mut broken)?;
    licences::check(root, &mut broken)?;
    paths::check(root, &mut broken)?;
    for page in map::pages(root)? {
        let found = fs::read_to_string(&page.path).unwrap_or_default();
        if found != page.content {
            broken
                .push(format!("{} is out of date; run `cargo xtask map`", shown(root, &page.path)));
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => bail!("{}", broken.join("\n       ")),
    }
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/")
}

fn rust_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders =
        vec![root.join("crates"), root.join("apps"), root.join("benches"), root.join("fuzz")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| shown(root, &folder))? {
            let path = entry?.path();
            match path.is_dir() {
                true if path.ends_with("target") => {}
                true => folders.push(path),
                false if path.extension().is_some_and(|end| end == "rs") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

fn check_file(root: &Path, path: &Path, broken: &mut Vec<String>) -> Result<()> {
    let text = fs::read_to_string(path)?;
    let name = shown(root, path);
    let is_test = is_test(&name);
    if !text.starts_with("//! ") {
        broken.push(format!("{name}: open the file with a `//!` sentence about itself"));
    }
    if !is_test && text.lines().count() > LINES_MAX {
        broken.push(format!("{name}: more than {LINES_MAX} lines; split it"));
    }
    for (index, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if !is_test && line.chars().count() > COLUMNS_MAX {
            broken.push(format!("{place}: more than {COLUMNS_MAX} columns"));
        }
        let loose_end = ["TO", "FIX"]
            .map(|start| format!("{start}{}", if start == "TO" { "DO" } else { "ME" }));
        if loose_end.iter().any(|word| line.contains(word)) && !line.contains("(#") {
            broken.push(format!(
                "{place}: a loose end without the number of its issue, as in `(#12)`"
            ));
        }
    }
    if name.ends_with("/tests.rs") {
        let module = path.parent().map(|folder| folder.with_extension("rs"));
        let parents = [module, path.parent().map(|folder| folder.join("lib.rs"))];
        let included = parents
            .into_iter()
            .flatten()
            .any(|parent| fs::read_to_string(parent).is_ok_and(|text| text.contains("mod tests;")));
        if !included {
            broken.push(format!("{name}: no file includes these tests"));
        }
    }
    Ok(())
}

fn check_dependencies(root: &Path, broken: &mut Vec<String>) -> Result<()> {
    let path = root.join("crates/xtask/allowed.toml");
    let text = fs::read_to_string(&path).with_context(|| shown(root, &path))?;
    let allowed: Allowed = toml::from_str(&text).with_context(|| shown(root, &path))?;
    let none = BTreeSet::new();
    let apps = fs::read_dir(root.join("apps"))?
        .chain(fs::read_dir(root.join("apps/cards"))?)
        .chain(fs::read_dir(root.join("apps/pen"))?);
    for entry in fs::read_dir(root.join("crates"))?.chain(apps) {
        let path = entry?.path();
        let Ok(text) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let manifest: Manifest = toml::from_str(&text)?;
        let name = manifest.package.name;
        let may = allowed.dependencies.get(&name).unwrap_or(&none);
        let has: BTreeSet<_> = manifest.dependencies.keys().cloned().collect();
        for extra in has.difference(may) {
            broken.push(format!(
                "{} depends on `{extra}`, which allowed.toml does not list",
                shown(root, &path)
            ));
        }
        for gone in may.difference(&has) {
            broken.push(format!("allowed.toml lists `{gone}` for {name}, which does not use it"));
        }
    }
    Ok(())
}
