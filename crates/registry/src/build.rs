//! Collects a tree of tool directories into a registry, with every fault at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::ToolId;
use rayon::prelude::*;

use crate::check::check_dir;
use crate::fault::Faults;
use crate::registry::Registry;
use crate::source::{Entry, digest_shared, entries, slashed};

/// What a tree of tools gives: what is good, and everything that is wrong.
#[derive(Debug)]
pub struct Build {
    pub registry: Registry,
    pub faults: Faults,
    /// How many directories were looked at, good or not.
    pub directories: usize,
}

/// Why a tree cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum TreeFault {
    #[error("there is no directory `{0}`")]
    Missing(String),
    #[error("`{0}` is not a directory")]
    NotADirectory(String),
    #[error("the directory `{path}` cannot be read")]
    Unreadable { path: String, source: std::io::Error },
    #[error("`{path}` has {count} directories; at most {DIRECTORIES_MAX} are read")]
    TooMany { path: String, count: usize },
}

/// How many tools one registry may have.
const DIRECTORIES_MAX: usize = 50_000;

/// Reads every tool below `dir`, or the one tool that `dir` is.
///
/// Folders that start with `_` or `.` are no tools. `natives` are the ids for which this
/// program has a handler of its own, so that no file is needed.
pub fn read_tools(dir: &Path, natives: &BTreeSet<ToolId>) -> Result<Build, TreeFault> {
    let mut faults = Faults::default();
    let paths = tool_directories(dir, &mut faults)?;
    let checked: Vec<_> = paths.par_iter().map(|path| check_dir(path, path, natives)).collect();
    let mut tools = BTreeMap::new();
    let mut owners: BTreeMap<ToolId, &PathBuf> = BTreeMap::new();
    for ((tool, found), path) in checked.into_iter().zip(&paths) {
        faults.append(found);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Ok(id) = ToolId::from_directory(&name) {
            match owners.get(&id) {
                Some(first) => faults.duplicate_id(&slashed(path), id.as_str(), &slashed(first)),
                None => {
                    owners.insert(id.clone(), path);
                    tools.extend(tool.map(|tool| (id, Arc::new(tool))));
                }
            }
        }
    }
    let shared = digest_shared(dir, &slashed(dir), &mut faults);
    faults.sort();
    Ok(Build { registry: Registry::new(tools, shared), faults, directories: paths.len() })
}

fn tool_directories(dir: &Path, faults: &mut Faults) -> Result<Vec<PathBuf>, TreeFault> {
    let shown = || slashed(dir);
    match dir.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(TreeFault::Missing(shown()));
        }
        Err(source) => return Err(TreeFault::Unreadable { path: shown(), source }),
        Ok(metadata) if !metadata.is_dir() => return Err(TreeFault::NotADirectory(shown())),
        Ok(_) => {}
    }
    if dir.join("schema.json").exists() {
        return Ok(vec![dir.to_owned()]);
    }
    std::fs::read_dir(dir).map_err(|source| TreeFault::Unreadable { path: shown(), source })?;
    let is_tool = |entry: &Entry| !entry.name.starts_with(['_', '.']) && entry.is_folder;
    let listing = entries(dir, &shown(), faults).into_iter();
    let paths: Vec<_> = listing.filter(is_tool).map(|entry| entry.path).collect();
    match paths.len() {
        count if count > DIRECTORIES_MAX => Err(TreeFault::TooMany { path: shown(), count }),
        _ => Ok(paths),
    }
}
