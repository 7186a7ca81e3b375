//! The index on disk, so that a new process need not read every post again.
//!
//! It is a cache: a missing, old or broken file is rebuilt. It is not synced to the disk either; a
//! file that a crash has cut does not have its length.

use std::io::{self, Write};
use std::path::Path;

use super::folder::Stamp;
use super::frozen_lists::FrozenLists;
use super::index::{Index, IndexedPost, POSTS_MAX};

const MAGIC: &[u8] = b"ghostpen-posts-3\n";
const BYTES_MAX: u64 = 2 << 30;

impl Index {
    /// Reads the cache; an empty index if it is unusable.
    pub(super) fn load(path: &Path) -> Self {
        let is_small = path.metadata().is_ok_and(|metadata| metadata.len() <= BYTES_MAX);
        let bytes = if is_small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        read(bytes).unwrap_or_default()
    }

    /// Writes the cache. A failure only costs time later.
    pub(super) fn store(&self, path: &Path) {
        if let Err(fault) = write(path, &written(self)) {
            tracing::debug!(%fault, "cannot write the index of posts");
        }
    }
}

/// Replaces the file in one step, without waiting for the disk.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".ghostpen-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

fn written(index: &Index) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    number(&mut bytes, index.entries.len() as u64);
    for IndexedPost { file, platform, created, stamp } in &index.entries {
        text(&mut bytes, file);
        text(&mut bytes, platform);
        text(&mut bytes, created);
        number(&mut bytes, stamp.modified_ns);
        number(&mut bytes, stamp.bytes);
    }
    index.frozen.write(&index.added, &mut bytes);
    bytes
}

/// LEB128: seven bits per byte, the last byte without the high bit.
fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn read(bytes: Vec<u8>) -> Option<Index> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let count = take_count(&mut rest)?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        entries.push(IndexedPost {
            file: take_text(&mut rest)?,
            platform: take_text(&mut rest)?,
            created: take_text(&mut rest)?,
            stamp: Stamp { modified_ns: take_number(&mut rest)?, bytes: take_number(&mut rest)? },
        });
    }
    let start = bytes.len() - rest.len();
    let frozen = FrozenLists::read(bytes, start)?;
    let named = (0_u32..).zip(&entries).filter(|(_, entry)| !entry.file.is_empty());
    let by_name = named.map(|(post, entry)| (entry.file.clone(), post)).collect();
    Some(Index { entries, by_name, frozen, ..Index::default() })
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A count, limited by the remaining bytes.
fn take_count(rest: &mut &[u8]) -> Option<usize> {
    let count = usize::try_from(take_number(rest)?).ok()?;
    (count <= rest.len() && count <= POSTS_MAX * 8).then_some(count)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = take_count(rest)?;
    let (text, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    String::from_utf8(text.to_vec()).ok()
}
