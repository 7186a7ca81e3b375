//! Reads the files of one tool directory, with limits; nothing is parsed here.
//!
//! In: a path. Out: [`ToolDir`]: texts with normalised line ends and no byte-order mark, so that
//! the same content gives the same digest on every machine. An unreadable file becomes a fault,
//! and the others are still read.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;
pub(crate) mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::{Digest, Digester};

use crate::code::{FILE_BYTES_MAX, Sources};
use crate::fault::Faults;
use crate::source::text::Text;

/// The files of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum File {
    Schema,
    Summary,
    Doc,
    HandlerJs,
    HandlerPy,
    Ui,
}

impl File {
    pub(crate) const ALL: [File; 6] =
        [File::Schema, File::Summary, File::Doc, File::HandlerJs, File::HandlerPy, File::Ui];

    pub(crate) fn name(self) -> &'static str {
        match self {
            File::Schema => "schema.json",
            File::Summary => "doc_summary.md",
            File::Doc => "doc.md",
            File::HandlerJs => "handler.js",
            File::HandlerPy => "handler.py",
            File::Ui => "ui.json",
        }
    }

    /// How large the file may be.
    pub(crate) fn bytes_max(self) -> u64 {
        match self {
            File::Schema | File::Ui => 256 << 10,
            File::Summary => 16 << 10,
            File::Doc => 512 << 10,
            File::HandlerJs | File::HandlerPy => 1 << 20,
        }
    }
}

/// The content of a tool directory, as text.
#[derive(Debug)]
pub(crate) struct ToolDir {
    /// The directory's own name.
    pub name: String,
    /// The path as the user wrote it, for messages.
    pub shown: String,
    texts: Vec<(File, Arc<Text>)>,
    /// Files that exist but could not be read; each already has its fault.
    unreadable: Vec<File>,
    /// Everything else that belongs to the handler: modules, data.
    pub extra: Digest,
    /// The names of all its files, below the directory of all tools.
    pub files: Vec<String>,
}

/// How many other files a tool may have, and how many all tools may share.
const EXTRA_FILES_MAX: usize = 200;
const SHARED_FILES_MAX: usize = 2_000;
const EXTRA_DEPTH_MAX: usize = 8;

impl ToolDir {
    /// Reads a directory; reports unreadable files.
    pub(crate) fn read(path: &Path, shown: &Path, sources: &Sources, faults: &mut Faults) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut dir = ToolDir {
            name,
            shown: slashed(shown),
            texts: Vec::new(),
            unreadable: Vec::new(),
            extra: Digester::default().finish(),
            files: Vec::new(),
        };
        if !sources.holds(path) {
            faults.not_read(&dir.shown, 0, &ReadFault::leaves());
            return dir;
        }
        let listing = entries(path, &dir.shown, faults);
        let present = |file: &File| listing.iter().any(|entry| entry.name == file.name());
        for file in File::ALL.into_iter().filter(present) {
            let shown = dir.path_of(file);
            let place = path.join(file.name());
            let read = match place.is_symlink() && !sources.holds(&place) {
                true => Err(ReadFault::leaves()),
                false => read_text(&place, file.bytes_max()),
            };
            match read {
                Ok(Some(text)) => {
                    let text = Text::new(shown, &text);
                    let name = format!("{}/{}", dir.name, file.name());
                    sources.put(&name, &text.content);
                    dir.files.push(name);
                    dir.texts.push((file, Arc::new(text)));
                }
                Ok(None) => {}
                Err(fault) => {
                    dir.unreadable.push(file);
                    faults.not_read(&shown, file.bytes_max(), &fault);
                }
            }
        }
        let extra = extra_files(listing, &dir.shown, faults);
        dir.extra = digest_files(&extra, sources, &dir.name, &dir.shown, faults);
        dir.files.extend(extra.into_iter().map(|name| format!("{}/{name}", dir.name)));
        dir
    }

    pub(crate) fn text(&self, file: File) -> Option<&Arc<Text>> {
        self.texts.iter().find(|(found, _)| *found == file).map(|(_, text)| text)
    }

    /// Whether the file exists, readable or not.
    pub(crate) fn has(&self, file: File) -> bool {
        self.text(file).is_some() || self.unreadable.contains(&file)
    }

    /// Whether there is any file that only a tool has. A form alone does not count.
    pub(crate) fn is_tool(&self) -> bool {
        File::ALL.into_iter().any(|file| file != File::Ui && self.has(file))
    }

    pub(crate) fn path_of(&self, file: File) -> String {
        format!("{}/{}", self.shown, file.name())
    }
}

/// Paths in messages and files have `/` on every machine.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[derive(Debug, Clone)]
pub(crate) enum ReadFault {
    TooLarge,
    Unreadable(String),
}

impl ReadFault {
    /// It is a link to another place.
    pub(crate) fn leaves() -> Self {
        ReadFault::Unreadable("it is a link that leads out of the tools directory".to_owned())
    }
}

pub(crate) fn read_text(path: &Path, bytes_max: u64) -> Result<Option<String>, ReadFault> {
    let Some(bytes) = read_bytes(path, bytes_max)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(ReadFault::Unreadable(format!(
            "it is not UTF-8 text; byte {} is `0x{:02x}`",
            error.utf8_error().valid_up_to(),
            error.as_bytes().get(error.utf8_error().valid_up_to()).copied().unwrap_or_default(),
        ))),
    }
}

/// The bytes of a regular file, up to a limit; `None` if it does not exist.
pub(crate) fn read_bytes(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadFault> {
    files::read_regular_file(path, bytes_max).map_err(|fault| match fault {
        files::ReadFault::TooLarge { .. } => ReadFault::TooLarge,
        fault @ (files::ReadFault::NotRegular | files::ReadFault::Io(_)) => {
            ReadFault::Unreadable(fault.to_string())
        }
    })
}

/// Everything in the directory that is not one of the known files, by names below it.
fn extra_files(listing: Vec<DirectoryEntry>, shown: &str, faults: &mut Faults) -> Vec<String> {
    let known = |entry: &DirectoryEntry| File::ALL.iter().any(|file| file.name() == entry.name);
    let listing = listing.into_iter().filter(|entry| !known(entry)).collect();
    let mut files = Vec::new();
    collect(listing, "", shown, EXTRA_FILES_MAX, 0, &mut files, faults);
    if files.len() > EXTRA_FILES_MAX {
        faults.too_many_files(shown, files.len(), EXTRA_FILES_MAX);
        files.truncate(EXTRA_FILES_MAX);
    }
    files
}

/// Every file of a tool's directory, by its name below the directory of all tools.
pub(crate) fn directory_files(path: &Path, faults: &mut Faults) -> Vec<String> {
    let shown = slashed(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let listing = entries(path, &shown, faults);
    let mut files = Vec::new();
    collect(listing, &format!("{name}/"), &shown, EXTRA_FILES_MAX, 0, &mut files, faults);
    files
}

/// The files that tools share, by their names below the tools directory: every `_folder`.
pub(crate) fn shared_files(tools: &Path, shown: &str, faults: &mut Faults) -> Vec<String> {
    let mut listing = entries(tools, shown, faults);
    listing.retain(|entry| entry.name.starts_with('_') && entry.is_folder);
    let mut files = Vec::new();
    collect(listing, "", shown, SHARED_FILES_MAX, 0, &mut files, faults);
    if files.len() > SHARED_FILES_MAX {
        faults.too_many_shared_files(shown, SHARED_FILES_MAX);
        files.truncate(SHARED_FILES_MAX);
    }
    files
}

/// The digest of files below `folder`, which is empty for the tools directory itself.
pub(crate) fn digest_files(
    files: &[String],
    sources: &Sources,
    folder: &str,
    shown: &str,
    faults: &mut Faults,
) -> Digest {
    let mut digester = Digester::default();
    for name in files {
        digester.part(name.as_bytes());
        let whole = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        match sources.read(&whole) {
            Ok(Some(bytes)) => match std::str::from_utf8(&bytes) {
                Ok(text) => digester.part(text::normalised(text).as_bytes()),
                Err(_) => digester.part(&bytes),
            },
            Ok(None) => {}
            Err(fault) => faults.not_read(&format!("{shown}/{name}"), FILE_BYTES_MAX, &fault),
        }
    }
    digester.finish()
}

/// Every file below the entries, with its path relative to the start; at most one more
/// than `max`.
fn collect(
    listing: Vec<DirectoryEntry>,
    prefix: &str,
    shown: &str,
    max: usize,
    depth: usize,
    files: &mut Vec<String>,
    faults: &mut Faults,
) {
    for DirectoryEntry { name, path, is_folder } in listing {
        let skipped = name.starts_with('.') || name == "__pycache__" || name == "node_modules";
        if skipped || depth > EXTRA_DEPTH_MAX || files.len() > max {
            continue;
        }
        let name = format!("{prefix}{name}");
        match is_folder {
            true => {
                let inside = entries(&path, &format!("{shown}/{name}"), faults);
                collect(inside, &format!("{name}/"), shown, max, depth + 1, files, faults);
            }
            false => files.push(name),
        }
    }
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DirectoryEntry {
    pub name: String,
    pub path: PathBuf,
    pub is_folder: bool,
}

/// The entries of a directory by name; one that cannot be read is a fault.
pub(crate) fn entries(path: &Path, shown: &str, faults: &mut Faults) -> Vec<DirectoryEntry> {
    let listing = match fs::read_dir(path) {
        Ok(listing) => listing,
        Err(error) => {
            faults.unreadable(shown, &error.to_string());
            return Vec::new();
        }
    };
    let entry = |entry: fs::DirEntry| {
        let path = entry.path();
        let is_folder = match entry.file_type() {
            Ok(kind) if !kind.is_symlink() => kind.is_dir(),
            _ => path.is_dir(),
        };
        DirectoryEntry { name: entry.file_name().to_string_lossy().into_owned(), path, is_folder }
    };
    let mut entries: Vec<_> = listing.flatten().map(entry).collect();
    entries.sort();
    entries
}
