//! Finds the installed third-party programs and libraries that tests run.
//!
//! In: the name of a set, a folder of `tests/packages`. Out: where it is installed, as its lock
//! file says. Nothing is installed here: a set that is missing or older than its lock file
//! fails the test with the command to run.

use std::fs;
use std::path::{Path, PathBuf};

const LOCK_FILES: [&str; 4] =
    ["package-lock.json", "requirements.txt", "sources.txt", "wheels.txt"];

/// The folder of a set.
#[track_caller]
pub fn folder(set: &str) -> PathBuf {
    match find(&repository(), set) {
        Ok(folder) => folder,
        #[expect(clippy::panic, reason = "a test without its packages fails")]
        Err(why) => panic!("{why}"),
    }
}

/// A file or folder of a set from npm.
#[track_caller]
pub fn node_module(set: &str, path: &str) -> PathBuf {
    folder(set).join("node_modules").join(path)
}

/// The interpreter of a set from PyPI. Start its programs with `-m`: the scripts beside it
/// contain the path of the folder they were created in, and folders are copied.
#[track_caller]
pub fn python(set: &str) -> PathBuf {
    folder(set).join("venv/bin/python3")
}

/// A file of a set of unpacked wheels.
#[track_caller]
pub fn wheel(set: &str, path: &str) -> PathBuf {
    folder(set).join("wheels").join(path)
}

/// Node, in the version of all tests.
#[track_caller]
pub fn node() -> PathBuf {
    let cpu = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    node_module("node", &format!("node-linux-{cpu}/bin/node"))
}

fn find(repository: &Path, set: &str) -> Result<PathBuf, String> {
    let manifest = repository.join("tests/packages").join(set);
    let read = |name: &&str| fs::read(manifest.join(name)).ok();
    let wanted = LOCK_FILES.iter().find_map(read);
    let wanted = wanted.ok_or_else(|| format!("there is no lock file in tests/packages/{set}"))?;
    let folder = repository.join("target/test-packages").join(set);
    match fs::read(folder.join("installed")) {
        Ok(found) if found == wanted => Ok(folder),
        Ok(_) => Err(format!("the test packages `{set}` are out of date: run `make setup-tests`")),
        Err(_) => {
            Err(format!("the test packages `{set}` are not installed: run `make setup-tests`"))
        }
    }
}

fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

#[cfg(test)]
mod tests;
