//! A path below the project, checked as text before any file is accessed.

use std::fmt;
use std::path::{Path, PathBuf};

use contract::FileRoot;
use policy::ServiceFault;

use crate::fault::FaultCode;

const PATH_BYTES_MAX: usize = 1_024;
const PARTS_MAX: usize = 32;

/// The parts of a path. Must hold: no part is empty, `.` or `..`, and none has a special
/// meaning on another system (`\`, `:`, a trailing dot or space).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProjectPath {
    parts: Vec<String>,
}

/// How a file is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// How tools may access a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protection {
    Open,
    ReadOnly,
    Closed,
}

impl ProjectPath {
    pub(super) fn parse(text: &str) -> Result<Self, ServiceFault> {
        let bad = |because: &str| {
            let shown: String = text.chars().take(128).collect();
            FaultCode::NotAllowed.fault(format!(
                "`{shown}` {because}; write a path below the project, as in `kb/person/ada.md`"
            ))
        };
        if text.len() > PATH_BYTES_MAX {
            return Err(bad("is too long"));
        }
        if text.starts_with('/') {
            return Err(bad("is an absolute path"));
        }
        let inner = text.strip_suffix('/').unwrap_or(text);
        let parts: Vec<String> = inner.split('/').map(str::to_owned).collect();
        if parts.len() > PARTS_MAX {
            return Err(bad("has too many parts"));
        }
        match parts.iter().find(|part| !is_plain(part)) {
            Some(part) => Err(bad(&format!("has the part `{part}`"))),
            None => Ok(ProjectPath { parts }),
        }
    }

    /// The folders and the file name.
    pub(super) fn split(&self) -> (&[String], &str) {
        match self.parts.split_last() {
            Some((last, folders)) => (folders, last),
            None => (&[], ""),
        }
    }

    pub(super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Checks that it is inside a declared root and not one of the program's own files.
    pub(super) fn check(&self, roots: &[FileRoot], access: Access) -> Result<(), ServiceFault> {
        let Some(root_len) = roots.iter().filter_map(|root| self.below(root)).max() else {
            return Err(FaultCode::NotAllowed.fault(format!(
                "`{self}` is not in a declared folder; \
                 add one to `files` in the tool's `capabilities`"
            )));
        };
        let protections = self.parts.iter().enumerate().map(|(index, part)| {
            // A hidden folder may be read if the contract names it.
            let is_named = is_hidden(part) && index < root_len;
            if is_named { Protection::ReadOnly } else { protection_of(part, index) }
        });
        for protection in protections {
            match (protection, access) {
                (Protection::Open, _) | (Protection::ReadOnly, Access::Read) => {}
                (Protection::ReadOnly, Access::Write) => {
                    return Err(FaultCode::NotAllowed.fault(format!("no tool may write `{self}`")));
                }
                (Protection::Closed, _) => {
                    return Err(FaultCode::NotAllowed.fault(format!("no tool may reach `{self}`")));
                }
            }
        }
        Ok(())
    }

    /// Whether it is one of these files, or in one of these folders. Compares names case-insensitively,
    /// and resolves links of own files.
    pub(super) fn is_one_of(&self, own_files: &[PathBuf], project: &Path) -> bool {
        let project = whole(project);
        let own = own_files.iter().flat_map(|own| [whole(own), absolute(own)]);
        own.into_iter().any(|own| {
            let Ok(below) = own.strip_prefix(&project) else { return false };
            let mut parts = below.iter().map(|part| part.to_string_lossy().to_lowercase());
            let mut own_parts = self.parts.iter().map(|part| part.to_lowercase());
            let is_project = below.as_os_str().is_empty();
            !is_project && parts.all(|part| own_parts.next() == Some(part))
        })
    }

    /// The number of parts of the root, if the path is the root or inside it.
    fn below(&self, root: &FileRoot) -> Option<usize> {
        let root: Vec<&str> = root.as_str().trim_end_matches('/').split('/').collect();
        let inside = self.parts.len() >= root.len()
            && root.iter().zip(&self.parts).all(|(root, part)| root == part);
        inside.then_some(root.len())
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("/"))
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Canonical, as far as the path exists.
fn whole(path: &Path) -> PathBuf {
    let path = absolute(path);
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(whole), ..) => whole,
        (Err(_), Some(folder), Some(name)) => whole(folder).join(name),
        (Err(_), ..) => path,
    }
}

/// Whether a tool can access an entry of this name below a root.
pub(super) fn is_reachable(name: &str) -> bool {
    is_plain(name) && protection_of(name, usize::MAX) != Protection::Closed
}

fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && part != "."
        && part != ".."
        && !part.contains(['/', '\\', ':', '\0'])
        && !part.chars().any(char::is_control)
        && !part.ends_with(['.', ' '])
        && part.len() <= 255
}

fn is_hidden(part: &str) -> bool {
    part.starts_with('.')
}

/// Case-insensitive, because some file systems are.
fn protection_of(part: &str, index: usize) -> Protection {
    let name = part.to_lowercase();
    let is_database =
        [".db", ".db-wal", ".db-shm", ".db-journal"].iter().any(|end| name.ends_with(end));
    match name.as_str() {
        "tools" | "prompts" if index == 0 => Protection::ReadOnly,
        "tools.lock" | "python.lock" | "mcp.lock" | "tool_registry.json" => Protection::ReadOnly,
        "rules.toml" | "resources.toml" => Protection::ReadOnly,
        "ghosthand.toml" => Protection::Closed,
        _ if is_database || is_hidden(part) => Protection::Closed,
        _ => Protection::Open,
    }
}

#[cfg(test)]
mod tests;
