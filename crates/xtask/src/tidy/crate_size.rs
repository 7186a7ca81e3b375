//! Keeps the crates small that everything depends on.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// The most lines that a crate may have without its tests.
const LINES_MAX: [(&str, usize); 1] = [("crates/engine/src", 4_000)];

pub(super) fn check(
    root: &Path,
    files: &[std::path::PathBuf],
    broken: &mut Vec<String>,
) -> Result<()> {
    for (folder, max) in LINES_MAX {
        let mut lines = 0;
        for path in files.iter().filter(|path| path.starts_with(root.join(folder))) {
            if !super::is_test(&super::shown(root, path)) {
                lines += fs::read_to_string(path)?.lines().count();
            }
        }
        broken.extend(fault(folder, lines, max));
    }
    Ok(())
}

fn fault(folder: &str, lines: usize, max: usize) -> Option<String> {
    (lines > max).then(|| {
        format!("{folder}: {lines} lines without tests, at most {max} are allowed; move a part out")
    })
}

#[cfg(test)]
mod tests;
