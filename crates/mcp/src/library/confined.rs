//! Files that must be inside a folder, whatever their path or a link says.

use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The largest file that is read.
pub(super) const FILE_BYTES_MAX: u64 = 4 << 20;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("is not there")]
    Missing,
    #[error("leads out of its folder")]
    Outside,
    #[error("is no file")]
    NoFile,
    #[error("has more than 4 MiB")]
    TooLarge,
    #[error("cannot be read")]
    Unreadable,
}

/// The bytes of a file below `root`, which has no links in it.
pub(crate) fn read_file(root: &Path, path: &str) -> Result<Vec<u8>, Refused> {
    // Before it is opened: opening a pipe waits.
    let place = check_file(root, path)?;
    let file = std::fs::File::open(place).map_err(refused)?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(refused)?;
    match bytes.len() as u64 > FILE_BYTES_MAX {
        true => Err(Refused::TooLarge),
        false => Ok(bytes),
    }
}

/// Where the file is, if it could be read now.
pub(super) fn check_file(root: &Path, path: &str) -> Result<PathBuf, Refused> {
    let place = place_of(root, path)?;
    let metadata = std::fs::metadata(&place).map_err(refused)?;
    match (metadata.is_file(), metadata.len()) {
        (false, _) => Err(Refused::NoFile),
        (true, bytes) if bytes > FILE_BYTES_MAX => Err(Refused::TooLarge),
        (true, _) => Ok(place),
    }
}

/// Where a path leads, links followed, if that is below `root`.
pub(crate) fn place_of(root: &Path, path: &str) -> Result<PathBuf, Refused> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || !Path::new(path).components().all(plain) {
        return Err(Refused::Outside);
    }
    let place = root.join(path).canonicalize().map_err(refused)?;
    match place.starts_with(root) {
        true => Ok(place),
        false => Err(Refused::Outside),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn refused(error: std::io::Error) -> Refused {
    match matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
        true => Refused::Missing,
        false => Refused::Unreadable,
    }
}

#[cfg(test)]
mod tests;
