//! The code that handlers can load: every file is read once per registry, and exactly those
//! bytes are run and digested.
//!
//! Out: for each JavaScript handler its [`Code`] with all imports, for all Python handlers
//! one [`Code`] that they share, and for each tool the digest of what it can load from outside
//! its own files. A link that leads out of the tools directory is never followed.

mod javascript;
mod library;
mod python;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Code, CodeFault, Digest, Digester};

pub(crate) use javascript::javascript;
pub(crate) use library::Library;
#[cfg(test)]
use python::python_tree;

use crate::environment::EnvironmentId;
use crate::source::text::normalised;
use crate::source::{ReadFault, read_bytes};
use crate::tool::HandlerKind;

/// How large one file beside a handler may be.
pub(crate) const FILE_BYTES_MAX: u64 = 4 << 20;

/// A handler to be checked without running it.
#[derive(Debug, Clone)]
pub struct HandlerCode {
    pub kind: HandlerKind,
    /// Below the tools directory, with `/`.
    pub file: String,
    pub code: Arc<Code>,
    pub environment: Option<EnvironmentId>,
}

/// The compiler's report for one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandlerReport {
    Checked(Vec<CodeFault>),
    /// There is no compiler for it here.
    Unchecked {
        because: String,
    },
}

/// The files below a tools directory, each read at most once.
#[derive(Debug)]
pub(crate) struct Sources {
    root: PathBuf,
    /// Locked briefly; if two threads read the same file, the first result is kept.
    known: Mutex<HashMap<String, Held>>,
}

type Held = Result<Option<Arc<[u8]>>, ReadFault>;

impl Sources {
    /// The files below `root`, the directory of all tools.
    pub(crate) fn new(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root, known: Mutex::default() }
    }

    /// The directory of all tools, if `dir` is that or one tool.
    pub(crate) fn around(dir: &Path, is_single: bool) -> Self {
        match is_single {
            false => Self::new(dir),
            true => {
                let tool = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
                Self::new(tool.parent().unwrap_or(Path::new(".")))
            }
        }
    }

    /// The file of that name as it was when it was first read; none if it does not exist.
    /// The line ends of code are normalised, so that what runs is what the digest covers.
    pub(crate) fn read(&self, name: &str) -> Held {
        if let Some(held) = self.lock().get(name) {
            return held.clone();
        }
        let read = self.read_file(name);
        self.lock().entry(name.to_owned()).or_insert(read).clone()
    }

    /// The same, with none for an unreadable file.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<[u8]>> {
        self.read(name).ok().flatten()
    }

    /// Adds a file that was already read.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let bytes = Arc::from(text.as_bytes());
        self.lock().entry(name.to_owned()).or_insert(Ok(Some(bytes)));
    }

    /// The directory of all tools.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path is below the tools directory after following links.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| real.starts_with(&self.root))
    }

    fn read_file(&self, name: &str) -> Held {
        let path = self.root.join(name);
        if path.exists() && !self.holds(&path) {
            return Err(ReadFault::leaves());
        }
        let bytes = read_bytes(&path, FILE_BYTES_MAX)?;
        Ok(bytes.map(|bytes| match is_code(name).then(|| std::str::from_utf8(&bytes)) {
            Some(Ok(text)) => Arc::from(normalised(text).as_bytes()),
            _ => Arc::from(bytes),
        }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Held>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a handler runs the file, rather than only reading it.
fn is_code(name: &str) -> bool {
    [".js", ".mjs", ".py"].iter().any(|end| name.ends_with(end))
}

/// The files that a tool loads from outside its own, by name.
#[derive(Debug, Default)]
pub(crate) struct Loaded(pub BTreeMap<String, Digest>);

impl Loaded {
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.insert(name.to_owned(), Digest::of(bytes));
    }

    pub(crate) fn digest(&self) -> Option<Digest> {
        if self.0.is_empty() {
            return None;
        }
        let mut digester = Digester::default();
        for (name, digest) in &self.0 {
            digester.part(name.as_bytes());
            digester.part(digest.to_string().as_bytes());
        }
        Some(digester.finish())
    }
}

#[cfg(test)]
mod tests;
