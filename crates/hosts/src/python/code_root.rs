//! The folder that a worker reads the author's files from: the tools directory itself, or a
//! private copy of the files that a registry was built from.
//!
//! A copy is in a private folder of this process; see [`crate::scratch_dir`]. It is made once for
//! each digest, never modified, and removed with its last user.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, Digest};

use crate::scratch_dir::{PrivateDir, RunDir};

/// Clones refer to the same folder.
#[derive(Debug, Clone)]
pub(crate) struct CodeRoot(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// Removes the copy when dropped.
    _copy: Option<PrivateDir>,
}

impl CodeRoot {
    /// The tools directory itself.
    pub(crate) fn live(tools_dir: &Path) -> Self {
        CodeRoot(Arc::new(Inner { path: tools_dir.to_owned(), _copy: None }))
    }

    fn copy_of(code: &Code, run_dir: &Arc<RunDir>) -> Result<Self, String> {
        let folder = run_dir.folder("code")?;
        let path = folder.path().to_owned();
        // From here on the copy is removed in any case.
        let root = CodeRoot(Arc::new(Inner { path, _copy: Some(folder) }));
        for (name, bytes) in code.files() {
            write_file(&root, name, bytes)
                .map_err(|fault| format!("its file {name} cannot be copied: {fault}"))?;
        }
        Ok(root)
    }
}

impl Deref for CodeRoot {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.0.path
    }
}

impl PartialEq for CodeRoot {
    fn eq(&self, other: &Self) -> bool {
        self.0.path == other.0.path
    }
}

impl Eq for CodeRoot {}

impl Hash for CodeRoot {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.path.hash(hasher);
    }
}

/// The copies in use.
#[derive(Debug, Default)]
pub(crate) struct CodeCopies {
    /// Newest first: a turn may still use the previous one. Held while copying, so that each copy
    /// is made once.
    copies: Mutex<Vec<(Digest, CodeRoot)>>,
}

/// How many copies are kept for later calls.
const KEPT_MAX: usize = 2;

impl CodeCopies {
    /// The copy of `code`, and the copies that are no longer kept.
    pub(crate) fn of(
        &self,
        code: &Code,
        run_dir: &Arc<RunDir>,
    ) -> Result<(CodeRoot, Vec<CodeRoot>), String> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = copies.iter().position(|(digest, _)| *digest == code.digest()) {
            let used = copies.remove(at);
            let root = used.1.clone();
            copies.insert(0, used);
            return Ok((root, Vec::new()));
        }
        let root = CodeRoot::copy_of(code, run_dir)?;
        copies.insert(0, (code.digest(), root.clone()));
        let old = copies.len().min(KEPT_MAX);
        let old = copies.drain(old..).map(|(_, root)| root).collect();
        Ok((root, old))
    }
}

fn write_file(root: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let path = root.join(name);
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o400).open(&path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests;
