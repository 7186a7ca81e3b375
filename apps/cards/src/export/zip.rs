//! A zip archive: as much of the format as a package of cards needs.
//!
//! Must hold: the same files give the same bytes, so the time in it is a fixed one.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x0021;
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

/// Packs files. Sizes above 4 GB do not fit the format.
pub(super) fn pack(files: &[(&str, &[u8])]) -> io::Result<Vec<u8>> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let offset = size(archive.len())?;
        let mut crc = Crc::new();
        crc.update(content);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content)?;
        let packed = encoder.finish()?;
        let mut facts = Vec::new();
        for short in [VERSION, FLAGS, DEFLATED, 0, DATE] {
            facts.extend(short.to_le_bytes());
        }
        for long in [crc.sum(), size(packed.len())?, size(content.len())?] {
            facts.extend(long.to_le_bytes());
        }
        let name_bytes = u16::try_from(name.len()).map_err(io::Error::other)?;
        facts.extend(name_bytes.to_le_bytes());
        facts.extend(0u16.to_le_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&facts);
        archive.extend(name.as_bytes());
        archive.extend(&packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&facts);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len()).map_err(io::Error::other)?;
    let at = size(archive.len())?;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(size(directory.len())?.to_le_bytes());
    archive.extend(at.to_le_bytes());
    archive.extend(0u16.to_le_bytes());
    Ok(archive)
}

fn size(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(io::Error::other)
}
