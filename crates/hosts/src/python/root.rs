//! Where a worker reads the author's files: the tools directory itself, or a private copy of
//! the files that a registry was built from.
//!
//! A copy lies in a folder that only this user may enter and whose name nobody can foresee.
//! It is made once for each digest, never written to again, and removed with its last user.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, Digest};
use rustix::rand::{GetRandomFlags, getrandom};

/// Clones are the same folder.
#[derive(Debug, Clone)]
pub(crate) struct Root(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    is_copy: bool,
}

impl Root {
    /// The files as they are now.
    pub(crate) fn live(tools_dir: &Path) -> Self {
        Root(Arc::new(Inner { path: tools_dir.to_owned(), is_copy: false }))
    }

    fn copy_of(code: &Code, parent: &Path) -> Result<Self, String> {
        let made = make_folder(parent);
        let path = made.map_err(|fault| format!("no folder can be made for its code: {fault}"))?;
        // From here on it is removed whatever happens.
        let root = Root(Arc::new(Inner { path, is_copy: true }));
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

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_copy {
            // What cannot be removed is for whoever cleans the folder around it.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The copies in use.
#[derive(Debug)]
pub(crate) struct Copies {
    parent: PathBuf,
    /// The newest first: a turn may still use the one before. Held while a copy is made, so
    /// that it is made once.
    kept: Mutex<Vec<(Digest, Root)>>,
}

/// How many copies are kept for calls to come.
const KEPT_MAX: usize = 2;

impl Copies {
    pub(crate) fn new(parent: PathBuf) -> Self {
        Self { parent, kept: Mutex::default() }
    }

    /// The copy of some code, and those that are not kept any longer.
    pub(crate) fn of(&self, code: &Code) -> Result<(Root, Vec<Root>), String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(digest, _)| *digest == code.digest()) {
            let held = kept.remove(at);
            let root = held.1.clone();
            kept.insert(0, held);
            return Ok((root, Vec::new()));
        }
        let root = Root::copy_of(code, &self.parent)?;
        kept.insert(0, (code.digest(), root.clone()));
        let old = kept.len().min(KEPT_MAX);
        let old = kept.drain(old..).map(|(_, root)| root).collect();
        Ok((root, old))
    }
}

/// A new folder with a name of 128 random bits; one that is there already is refused.
fn make_folder(parent: &Path) -> std::io::Result<PathBuf> {
    let mut bits = [0u8; 16];
    let count = getrandom(&mut bits, GetRandomFlags::empty())?;
    if count < bits.len() {
        return Err(std::io::Error::other("the system gave too few random bits"));
    }
    let name: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = parent.join(format!("ghosthand-code-{name}"));
    fs::DirBuilder::new().mode(0o700).create(&path)?;
    // Tracebacks and the fence name files by their real paths.
    path.canonicalize()
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
