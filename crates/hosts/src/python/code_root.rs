//! Where a worker reads the author's files: the tools directory itself, or a private copy of
//! the files that a registry was built from.
//!
//! A copy lies in a private folder of this process; see [`crate::private`]. It is made once for
//! each digest, never written to again, and removed with its last user.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, Digest};

use crate::private::{Folder, Nest};

/// Clones are the same folder.
#[derive(Debug, Clone)]
pub(crate) struct Root(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// A copy goes away with it.
    _copy: Option<Folder>,
}

impl Root {
    /// The files as they are now.
    pub(crate) fn live(tools_dir: &Path) -> Self {
        Root(Arc::new(Inner { path: tools_dir.to_owned(), _copy: None }))
    }

    fn copy_of(code: &Code, nest: &Arc<Nest>) -> Result<Self, String> {
        let folder = nest.folder("code")?;
        let path = folder.path().to_owned();
        // From here on it is removed whatever happens.
        let root = Root(Arc::new(Inner { path, _copy: Some(folder) }));
        for (name, bytes) in code.files() {
            write_file(&root, name, bytes)
                .map_err(|fault| format!("its file {name} cannot be copied: {fault}"))?;
        }
        Ok(root)
    }
}

impl Deref for Root {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.0.path
    }
}

impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        self.0.path == other.0.path
    }
}

impl Eq for Root {}

impl Hash for Root {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.path.hash(hasher);
    }
}

/// The copies in use.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The newest first: a turn may still use the one before. Held while a copy is made, so
    /// that it is made once.
    kept: Mutex<Vec<(Digest, Root)>>,
}

/// How many copies are kept for calls to come.
const KEPT_MAX: usize = 2;

impl Copies {
    /// The copy of some code in a nest, and those that are not kept any longer.
    pub(crate) fn of(&self, code: &Code, nest: &Arc<Nest>) -> Result<(Root, Vec<Root>), String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(digest, _)| *digest == code.digest()) {
            let held = kept.remove(at);
            let root = held.1.clone();
            kept.insert(0, held);
            return Ok((root, Vec::new()));
        }
        let root = Root::copy_of(code, nest)?;
        kept.insert(0, (code.digest(), root.clone()));
        let old = kept.len().min(KEPT_MAX);
        let old = kept.drain(old..).map(|(_, root)| root).collect();
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
