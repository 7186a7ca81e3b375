//! Finds a Python interpreter and the files that it needs to run.

use std::path::{Path, PathBuf};

/// Where interpreters usually are.
const USUAL_FOLDERS: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const OLDEST_MINOR: u32 = 10;
const NEWEST_MINOR: u32 = 20;
/// What any program on this system may need to read.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/dev/urandom",
    "/dev/random",
    "/dev/null",
];

/// A place where an interpreter was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedPython {
    pub path: PathBuf,
    pub outcome: PythonOutcome,
}

/// What was found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonOutcome {
    /// This one is used; the search ends.
    Taken,
    TooOld,
    Missing,
}

/// The newest Python in `folders`, then in the usual places. The error says what is missing.
pub fn find_python(folders: &[PathBuf]) -> Result<PathBuf, String> {
    found_in(&tried_pythons(folders))
}

/// Every place of the search in order; the last one may be taken.
pub fn tried_pythons(folders: &[PathBuf]) -> Vec<TriedPython> {
    let usual = USUAL_FOLDERS.map(PathBuf::from);
    search(&[folders, &usual].concat())
}

fn search(folders: &[PathBuf]) -> Vec<TriedPython> {
    let mut tried = Vec::new();
    let mut add = |path, outcome| tried.push(TriedPython { path, outcome });
    for folder in folders {
        let plain = folder.join("python3");
        let outcome = match minor_of(&plain) {
            Some(minor) if minor >= OLDEST_MINOR => PythonOutcome::Taken,
            Some(_) => PythonOutcome::TooOld,
            // A link reveals the version; otherwise it is checked when Python starts.
            None if plain.is_file() => PythonOutcome::Taken,
            None => PythonOutcome::Missing,
        };
        add(plain, outcome);
        if outcome == PythonOutcome::Taken {
            return tried;
        }
        let named = (OLDEST_MINOR..=NEWEST_MINOR).rev();
        let found =
            named.map(|minor| folder.join(format!("python3.{minor}"))).find(|p| p.is_file());
        if let Some(found) = found {
            add(found, PythonOutcome::Taken);
            return tried;
        }
    }
    tried
}

/// The interpreter that a search has taken.
fn found_in(tried: &[TriedPython]) -> Result<PathBuf, String> {
    let with = |outcome| tried.iter().filter(move |one| one.outcome == outcome);
    if let Some(taken) = with(PythonOutcome::Taken).next() {
        return Ok(taken.path.clone());
    }
    let wanted = format!("Python tools need Python 3.{OLDEST_MINOR} or newer");
    Err(match with(PythonOutcome::TooOld).next_back() {
        Some(old) => format!("{wanted}, but {} is older", old.path.display()),
        None => format!("{wanted}, but no `python3` was found; install it or set its path"),
    })
}

/// `python3 -> python3.11` has the minor version 11.
fn minor_of(path: &Path) -> Option<u32> {
    let real = path.canonicalize().ok()?;
    real.file_name()?.to_str()?.strip_prefix("python3.")?.parse().ok()
}

/// The files that an interpreter reads, and its packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub read: Vec<PathBuf>,
    pub packages: Vec<PathBuf>,
}

impl Layout {
    /// The layout of a system Python or of a virtual environment.
    pub(crate) fn of(python: &Path) -> Self {
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        let mut packages = Vec::new();
        if let Some(environment) = environment_of(python) {
            packages.extend(packages_below(&environment));
            read.push(environment);
        }
        if let Ok(real) = python.canonicalize() {
            // Not the whole prefix: it may be a home directory.
            if let Some(prefix) = real.parent().and_then(Path::parent) {
                if packages.is_empty() {
                    packages.extend(packages_below(prefix));
                    packages.extend(packages_below(&prefix.join("local")));
                }
                read.extend(["lib", "lib64"].map(|folder| prefix.join(folder)));
            }
            read.push(real);
        }
        read.retain(|path| path.exists());
        Self { read, packages }
    }
}

/// The virtual environment of a Python, if it has one.
fn environment_of(python: &Path) -> Option<PathBuf> {
    let folder = python.parent()?.parent()?;
    folder.join("pyvenv.cfg").is_file().then(|| folder.to_owned())
}

fn packages_below(prefix: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(prefix.join("lib")) else { return Vec::new() };
    let mut versions: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    versions.retain(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("python3"))
    });
    versions.sort();
    let folders = ["site-packages", "dist-packages"];
    let found = versions.iter().flat_map(|path| folders.map(|folder| path.join(folder)));
    found.filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests;
