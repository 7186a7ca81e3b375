//! Holds `lib.rs` to its promise that the modules stand in reading order.
//!
//! rustfmt sorts each block of `mod` lines, so a reading order needs blocks. One block, or
//! blocks whose modules are in alphabetical order from first to last, is no reading order.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// A head that says one of these makes the promise.
const PROMISES: [&str; 4] =
    ["reading order", "in the order in which", "modules stand in the order", "modules follow"];

pub(super) fn check(root: &Path, files: &[PathBuf], broken: &mut Vec<String>) -> Result<()> {
    for path in files.iter().filter(|path| path.ends_with("lib.rs")) {
        if is_broken(&fs::read_to_string(path)?) {
            broken.push(format!(
                "{}: promises modules in reading order and lists them by name",
                super::shown(root, path)
            ));
        }
    }
    Ok(())
}

fn is_broken(text: &str) -> bool {
    let head: String = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let promised = PROMISES.iter().any(|promise| head.contains(promise));
    let modules: Vec<&str> = text.lines().filter_map(module).collect();
    promised && modules.is_sorted()
}

fn module(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    line.strip_prefix("mod ")?.strip_suffix(';').filter(|name| *name != "tests")
}

#[cfg(test)]
mod tests;
