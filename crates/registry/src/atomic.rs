//! Writes a file whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Replaces the file at `path` in one step: a reader, a crash or a full disk never sees
/// half of it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".ghosthand-").tempfile_in(folder)?;
    keep_permissions(path, file.as_file())?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file is private; the one that replaces a file is as open as that was.
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
