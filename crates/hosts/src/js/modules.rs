//! Finds a handler's modules: relative imports of files below the tools directory, and never
//! through links that leave it.
//!
//! The child has no file access and asks us. A handler's number identifies the exact files it
//! consists of. A captured handler consists of the files that the registry read; one without a
//! registry gets a new number when a file changes.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, Digest};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, stat};
use rustix::io::Errno;

/// Provided by us in every tools directory; a file of this name is not read.
const OWN_MODULE: &str = "_core/error-types.js";
const SOURCE_BYTES_MAX: u64 = 1 << 20;
const MODULES_MAX: usize = 200;

/// All handlers that were run.
#[derive(Default)]
pub(crate) struct HandlerCache {
    handlers: Mutex<HashMap<(PathBuf, String), Arc<Handler>>>,
    /// By file, newest first: a turn may still use the previous one.
    captured: Mutex<HashMap<String, Vec<State>>>,
    last: AtomicU64,
}

/// A handler and the digest of its code.
type State = (Digest, Arc<Handler>);

/// How many versions of a handler are kept.
const STATES_MAX: usize = 3;

/// One version of a handler.
pub(crate) struct Handler {
    pub number: u64,
    pub file: String,
    origin: Origin,
}

/// Where a handler's modules come from.
enum Origin {
    Captured(Arc<Code>),
    Folder {
        tools_dir: PathBuf,
        /// The files that were read, with their stamps.
        files: Mutex<BTreeMap<PathBuf, Stamp>>,
    },
}

/// Changes whenever the file does.
type Stamp = (u64, u64, i64, i64, u64, i64, u64);

impl HandlerCache {
    /// The captured version of a handler.
    pub(crate) fn captured(&self, code: &Arc<Code>, file: &str) -> Result<Arc<Handler>, String> {
        let mut captured = self.captured.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(states) = captured.get(file)
            && let Some((_, handler)) = states.iter().find(|(digest, _)| *digest == code.digest())
        {
            return Ok(Arc::clone(handler));
        }
        let handler = Arc::new(Handler {
            number: self.last.fetch_add(1, Relaxed) + 1,
            file: inside(Path::new(""), file)?,
            origin: Origin::Captured(Arc::clone(code)),
        });
        handler.read(&handler.file)?;
        let states = captured.entry(file.to_owned()).or_default();
        states.insert(0, (code.digest(), Arc::clone(&handler)));
        states.truncate(STATES_MAX);
        Ok(handler)
    }

    /// The current version of a handler.
    pub(crate) fn handler(&self, tools_dir: &Path, file: &str) -> Result<Arc<Handler>, String> {
        let key = (tools_dir.to_owned(), file.to_owned());
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handler) = handlers.get(&key).filter(|handler| handler.is_current()) {
            return Ok(Arc::clone(handler));
        }
        let handler = Arc::new(Handler {
            number: self.last.fetch_add(1, Relaxed) + 1,
            file: inside(Path::new(""), file)?,
            origin: Origin::Folder { tools_dir: tools_dir.to_owned(), files: Mutex::default() },
        });
        // Reads the file here, so that a missing handler fails without involving a child.
        handler.read(&handler.file)?;
        handlers.insert(key, Arc::clone(&handler));
        Ok(handler)
    }
}

impl Handler {
    /// Resolves an import; returns the module's name, and its source unless it is ours.
    pub(crate) fn import(
        &self,
        base: &str,
        specifier: &str,
    ) -> Result<(String, Option<String>), String> {
        if base.is_empty() {
            return Ok((self.file.clone(), Some(self.read(&self.file)?)));
        }
        let refuse = |because: &str| format!("{base} imports `{specifier}`, {because}");
        if !specifier.starts_with("./") && !specifier.starts_with("../") {
            return Err(refuse(
                "but only `./…` and `../…` below the tools directory can be imported",
            ));
        }
        let folder = Path::new(base).parent().unwrap_or(Path::new(""));
        let name = inside(folder, specifier).map_err(|because| refuse(&because))?;
        if name == OWN_MODULE {
            return Ok((name, None));
        }
        let source = self.read(&name).map_err(|because| refuse(&because))?;
        Ok((name, Some(source)))
    }

    fn is_current(&self) -> bool {
        let Origin::Folder { files, .. } = &self.origin else { return true };
        let files = files.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().all(|(path, stamp)| stat(path).is_ok_and(|found| stamp_of(&found) == *stamp))
    }

    fn read(&self, name: &str) -> Result<String, String> {
        if !name.ends_with(".js") && !name.ends_with(".mjs") {
            return Err("which is not a `.js` file".to_owned());
        }
        match &self.origin {
            Origin::Captured(code) => captured_text(code, name),
            Origin::Folder { tools_dir, files } => read_text(tools_dir, files, name),
        }
    }
}

/// A module from the registry's files.
fn captured_text(code: &Code, name: &str) -> Result<String, String> {
    let bytes = code.get(name).ok_or_else(|| format!("but there is no file {name}"))?;
    if bytes.len() as u64 > SOURCE_BYTES_MAX {
        let size = bytes.len();
        return Err(format!("but {name} has {size} bytes; the limit is {SOURCE_BYTES_MAX}"));
    }
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|fault| format!("but {name} cannot be read: {fault}"))
}

/// A module from disk.
fn read_text(
    tools_dir: &Path,
    files: &Mutex<BTreeMap<PathBuf, Stamp>>,
    name: &str,
) -> Result<String, String> {
    let directory = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, tools_dir, directory, Mode::empty())
        .map_err(|fault| format!("the tools directory cannot be opened: {fault}"))?;
    // The kernel refuses every step that leaves the directory.
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(&root, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty(), inside)
        .map_err(|fault| match fault {
            Errno::NOENT | Errno::NOTDIR => format!("but there is no file {name}"),
            Errno::XDEV | Errno::LOOP => format!("but {name} leaves the tools directory"),
            other => format!("but {name} cannot be opened: {other}"),
        })?;
    let found = fstat(&file).map_err(|fault| fault.to_string())?;
    let size = u64::try_from(found.st_size).unwrap_or(u64::MAX);
    if rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile {
        return Err(format!("but {name} is not a file"));
    }
    if size > SOURCE_BYTES_MAX {
        return Err(format!("but {name} has {size} bytes; the limit is {SOURCE_BYTES_MAX}"));
    }
    note(files, tools_dir.join(name), stamp_of(&found))
        .map_err(|what| format!("but {name} {what}"))?;
    let mut source = String::new();
    // The file may have grown; one byte beyond the limit shows it.
    let read = std::fs::File::from(file).take(SOURCE_BYTES_MAX + 1).read_to_string(&mut source);
    match read.map_err(|fault| format!("but {name} cannot be read: {fault}"))? as u64 {
        size if size > SOURCE_BYTES_MAX => {
            Err(format!("but {name} has more than {SOURCE_BYTES_MAX} bytes"))
        }
        _ => Ok(source),
    }
}

/// A number must identify one version of the files.
fn note(
    files: &Mutex<BTreeMap<PathBuf, Stamp>>,
    path: PathBuf,
    stamp: Stamp,
) -> Result<(), String> {
    let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
    let known = files.len();
    match files.entry(path) {
        std::collections::btree_map::Entry::Occupied(entry) if *entry.get() != stamp => {
            Err("has just changed; call again".to_owned())
        }
        std::collections::btree_map::Entry::Occupied(_) => Ok(()),
        std::collections::btree_map::Entry::Vacant(_) if known >= MODULES_MAX => {
            Err(format!("is one too many: a handler has at most {MODULES_MAX} modules"))
        }
        std::collections::btree_map::Entry::Vacant(entry) => {
            entry.insert(stamp);
            Ok(())
        }
    }
}

/// Resolves a relative path against `folder`; refuses to leave the root.
fn inside(folder: &Path, relative: &str) -> Result<String, String> {
    let leaves = || "which leaves the tools directory".to_owned();
    if relative.starts_with('/') || relative.contains(['\\', '\0']) || relative.is_empty() {
        return Err(leaves());
    }
    let mut steps: Vec<&str> = folder.iter().filter_map(|step| step.to_str()).collect();
    for step in relative.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop().ok_or_else(leaves)?;
            }
            step => steps.push(step),
        }
    }
    Ok(steps.join("/"))
}

fn stamp_of(found: &Stat) -> Stamp {
    (
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime,
        found.st_mtime_nsec,
        found.st_ctime,
        found.st_ctime_nsec,
    )
}

#[cfg(test)]
mod tests;
