//! Reads files inside a folder, and never outside of it through `..` or links.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The largest file that is read.
pub(super) const FILE_BYTES_MAX: u64 = 4 << 20;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileFault {
    #[error("does not exist")]
    Missing,
    #[error("leads outside its folder")]
    Outside,
    #[error("is not a file")]
    NoFile,
    #[error("has more than 4 MiB")]
    TooLarge,
    #[error("cannot be read")]
    Unreadable,
}

/// The content of a file below `root`, which must be canonical.
pub(crate) fn read_file(root: &Path, path: &str) -> Result<Vec<u8>, FileFault> {
    // Checked before opening, because opening a pipe blocks.
    let place = check_file(root, path)?;
    let file = std::fs::File::open(place).map_err(refused)?;
    // The file may have grown since it was checked.
    files::read_bounded(file, FILE_BYTES_MAX).map_err(|fault| match fault {
        files::ReadFault::TooLarge { .. } => FileFault::TooLarge,
        files::ReadFault::NotRegular => FileFault::NoFile,
        files::ReadFault::Io(error) => refused(error),
    })
}

/// The canonical path of a file that can be read.
pub(super) fn check_file(root: &Path, path: &str) -> Result<PathBuf, FileFault> {
    let place = place_of(root, path)?;
    let metadata = std::fs::metadata(&place).map_err(refused)?;
    match (metadata.is_file(), metadata.len()) {
        (false, _) => Err(FileFault::NoFile),
        (true, bytes) if bytes > FILE_BYTES_MAX => Err(FileFault::TooLarge),
        (true, _) => Ok(place),
    }
}

/// The canonical path, if it is below `root`.
pub(crate) fn place_of(root: &Path, path: &str) -> Result<PathBuf, FileFault> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || !Path::new(path).components().all(plain) {
        return Err(FileFault::Outside);
    }
    let place = root.join(path).canonicalize().map_err(refused)?;
    match place.starts_with(root) {
        true => Ok(place),
        false => Err(FileFault::Outside),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn refused(error: std::io::Error) -> FileFault {
    match matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
        true => FileFault::Missing,
        false => FileFault::Unreadable,
    }
}

#[cfg(test)]
mod tests;
