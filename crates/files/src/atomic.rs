//! Writes a file completely or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Replaces the file at `path` in one step, with the permissions of the old file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::new(path)?;
    keep_permissions(path, file.draft.as_file())?;
    file.write_all(bytes)?;
    file.replace()
}

/// New content for a file, in a temporary file beside it that only its owner can read.
///
/// Dropping it leaves the file unchanged.
#[derive(Debug)]
pub struct AtomicFile {
    draft: NamedTempFile,
    path: PathBuf,
}

impl AtomicFile {
    pub fn new(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let draft = tempfile::Builder::new().prefix(".ghosthand-").tempfile_in(folder)?;
        Ok(Self { draft, path: path.to_owned() })
    }

    /// Puts the content in place, over the old file if there is one.
    pub fn replace(self) -> io::Result<()> {
        self.draft.as_file().sync_all()?;
        self.draft.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Puts the content in place; fails with `AlreadyExists` if there is a file.
    pub fn create(self) -> io::Result<()> {
        self.draft.as_file().sync_all()?;
        self.draft.persist_noclobber(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

/// A temporary file is private; its permissions become those of the file it replaces.
#[cfg(unix)]
fn keep_permissions(path: &Path, file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().map_or(0o644, |metadata| metadata.permissions().mode() & 0o777);
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(_path: &Path, _file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
