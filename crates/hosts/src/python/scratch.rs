//! The one folder that a worker may write to; it goes away with the worker.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(parent: &Path) -> Result<Self, String> {
        // Hosts of one process may share the parent.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let path = parent.join(format!("python-{}-{number}", std::process::id()));
        let made = std::fs::create_dir_all(&path).and_then(|()| path.canonicalize());
        made.map(Self).map_err(|fault| {
            format!("the scratch folder {} cannot be made: {fault}", path.display())
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is found again by whoever cleans the parent.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
