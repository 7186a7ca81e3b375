//! Reads at most a given number of bytes; more is a fault and is not truncated.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    #[error("it has more than {bytes_max} bytes")]
    TooLarge { bytes_max: u64 },
    #[error("it is not a regular file")]
    NotRegular,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<ReadFault> for io::Error {
    fn from(fault: ReadFault) -> Self {
        match fault {
            ReadFault::Io(error) => error,
            fault @ (ReadFault::TooLarge { .. } | ReadFault::NotRegular) => io::Error::other(fault),
        }
    }
}

/// Everything the reader has.
pub fn read_bounded(reader: impl Read, bytes_max: u64) -> Result<Vec<u8>, ReadFault> {
    read_sized(reader, 0, bytes_max)
}

/// The content of a file of any kind.
pub fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, ReadFault> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    read_sized(file, size, bytes_max)
}

/// The content of a regular file; `None` if it does not exist.
pub fn read_regular_file(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadFault> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadFault::NotRegular);
    }
    read_sized(file, metadata.len(), bytes_max).map(Some)
}

/// The UTF-8 text of a file.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, ReadFault> {
    let bytes = read_file(path, bytes_max)?;
    String::from_utf8(bytes)
        .map_err(|error| ReadFault::Io(io::Error::new(ErrorKind::InvalidData, error)))
}

/// `size` is the expected size; the content may have grown since.
fn read_sized(reader: impl Read, size: u64, bytes_max: u64) -> Result<Vec<u8>, ReadFault> {
    // With room for one byte more, a small file is read in one call.
    let capacity = size.min(bytes_max).saturating_add(u64::from(size > 0));
    let mut bytes = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
    // One byte beyond the limit shows that it is exceeded.
    reader.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(ReadFault::TooLarge { bytes_max }),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests;
