//! A zip archive of files in memory.
//!
//! Must hold: the same files give the same bytes, so the time in it is a fixed one.

use std::io::{self, Cursor, Write};

use ::zip::write::SimpleFileOptions;
use ::zip::{CompressionMethod, DateTime, ZipWriter};

/// Packs files with deflate.
pub(crate) fn pack(files: &[(&str, &[u8])]) -> io::Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        // 1 January 1980, the first day that the format knows.
        .last_modified_time(DateTime::default());
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, options)?;
        archive.write_all(content)?;
    }
    Ok(archive.finish()?.into_inner())
}
