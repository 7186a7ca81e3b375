//! Reads the files of one tool directory, with limits; nothing is parsed here.
//!
//! In: a path. Out: [`ToolDir`]: texts with line ends and byte-order mark evened out, so
//! that the same content gives the same digest on every machine. Whatever cannot be
//! read becomes a fault, and the rest is read all the same.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::{Digest, Digester};

use crate::fault::Faults;
use crate::text::Text;

/// The files of a tool, by the names the authoring guide gives them.
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

/// What lies in a tool directory, as text.
#[derive(Debug)]
pub(crate) struct ToolDir {
    /// The directory's own name.
    pub name: String,
    /// The path as the user gave it, for messages.
    pub shown: String,
    texts: Vec<(File, Arc<Text>)>,
    /// Files that are there but could not be read; each has its fault already.
    unreadable: Vec<File>,
    /// Everything else that belongs to the handler: modules, data.
    pub extra: Digest,
}

/// How many other files a tool may bring, and how large each may be.
const EXTRA_FILES_MAX: usize = 200;
const EXTRA_BYTES_MAX: u64 = 4 << 20;
const EXTRA_DEPTH_MAX: usize = 8;

impl ToolDir {
    /// Reads a directory; faults for what is there but unreadable.
    pub(crate) fn read(path: &Path, shown: &Path, faults: &mut Faults) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut dir = ToolDir {
            name,
            shown: slashed(shown),
            texts: Vec::new(),
            unreadable: Vec::new(),
            extra: Digester::default().finish(),
        };
        let listing = entries(path, &dir.shown, faults);
        let present = |file: &File| listing.iter().any(|entry| entry.name == file.name());
        for file in File::ALL.into_iter().filter(present) {
            let shown = dir.path_of(file);
            match read_text(&path.join(file.name()), file.bytes_max()) {
                Ok(Some(text)) => dir.texts.push((file, Arc::new(Text::new(shown, &text)))),
                Ok(None) => {}
                Err(fault) => {
                    dir.unreadable.push(file);
                    match fault {
                        ReadFault::TooLarge => faults.file_too_large(&shown, file.bytes_max()),
                        ReadFault::Unreadable(why) => faults.unreadable(&shown, &why),
                    }
                }
            }
        }
        dir.extra = digest_extra(listing, &dir.shown, faults);
        dir
    }

    pub(crate) fn text(&self, file: File) -> Option<&Arc<Text>> {
        self.texts.iter().find(|(found, _)| *found == file).map(|(_, text)| text)
    }

    /// Is the file there, readable or not?
    pub(crate) fn has(&self, file: File) -> bool {
        self.text(file).is_some() || self.unreadable.contains(&file)
    }

    pub(crate) fn path_of(&self, file: File) -> String {
        format!("{}/{}", self.shown, file.name())
    }
}

/// Paths in messages and files have `/` on every machine.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

pub(crate) enum ReadFault {
    TooLarge,
    Unreadable(String),
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

/// The bytes of a regular file, at most so many; nothing if it is not there.
fn read_bytes(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadFault> {
    let unreadable = |error: std::io::Error| ReadFault::Unreadable(error.to_string());
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ReadFault::Unreadable("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(bytes_max) as usize);
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > bytes_max {
        return Err(ReadFault::TooLarge);
    }
    Ok(Some(bytes))
}

/// The digest of everything in the directory that is not one of the known files.
fn digest_extra(listing: Vec<Entry>, shown: &str, faults: &mut Faults) -> Digest {
    let known = |entry: &Entry| File::ALL.iter().any(|file| file.name() == entry.name);
    let listing = listing.into_iter().filter(|entry| !known(entry)).collect();
    let mut files = Vec::new();
    collect(listing, "", shown, 0, &mut files, faults);
    if files.len() > EXTRA_FILES_MAX {
        faults.too_many_files(shown, files.len(), EXTRA_FILES_MAX);
        files.truncate(EXTRA_FILES_MAX);
    }
    digest_files(&files, shown, faults)
}

/// The digest of the code that tools share: every `_folder` of the tools directory, and the
/// `helpers` of modules.
pub(crate) fn digest_shared(
    tools: &Path,
    shown: &str,
    helpers: &[(String, PathBuf)],
    faults: &mut Faults,
) -> Digest {
    let mut listing = entries(tools, shown, faults);
    listing.retain(|entry| entry.name.starts_with('_') && entry.is_folder);
    let mut files = Vec::new();
    collect(listing, "", shown, 0, &mut files, faults);
    files.extend_from_slice(helpers);
    digest_files(&files, shown, faults)
}

fn digest_files(files: &[(String, PathBuf)], shown: &str, faults: &mut Faults) -> Digest {
    let mut digester = Digester::default();
    for (name, path) in files {
        digester.part(name.as_bytes());
        match read_bytes(path, EXTRA_BYTES_MAX) {
            Ok(Some(bytes)) => match std::str::from_utf8(&bytes) {
                Ok(text) => digester.part(crate::text::evened(text).as_bytes()),
                Err(_) => digester.part(&bytes),
            },
            Ok(None) => {}
            Err(ReadFault::TooLarge) => {
                faults.file_too_large(&format!("{shown}/{name}"), EXTRA_BYTES_MAX);
            }
            Err(ReadFault::Unreadable(why)) => faults.unreadable(&format!("{shown}/{name}"), &why),
        }
    }
    digester.finish()
}

/// Every file below the entries, with its path relative to where the listing began.
fn collect(
    listing: Vec<Entry>,
    prefix: &str,
    shown: &str,
    depth: usize,
    files: &mut Vec<(String, PathBuf)>,
    faults: &mut Faults,
) {
    for Entry { name, path, is_folder } in listing {
        let skipped = name.starts_with('.') || name == "__pycache__" || name == "node_modules";
        if skipped || depth > EXTRA_DEPTH_MAX || files.len() > EXTRA_FILES_MAX {
            continue;
        }
        let name = format!("{prefix}{name}");
        match is_folder {
            true => {
                let inside = entries(&path, &format!("{shown}/{name}"), faults);
                collect(inside, &format!("{name}/"), shown, depth + 1, files, faults);
            }
            false => files.push((name, path)),
        }
    }
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub name: String,
    pub path: PathBuf,
    pub is_folder: bool,
}

/// The entries of a directory by name; one that cannot be read is a fault.
pub(crate) fn entries(path: &Path, shown: &str, faults: &mut Faults) -> Vec<Entry> {
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
        Entry { name: entry.file_name().to_string_lossy().into_owned(), path, is_folder }
    };
    let mut entries: Vec<_> = listing.flatten().map(entry).collect();
    entries.sort();
    entries
}
