//! The code of a handler as it was when its registry was built, and the faults in it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, Digester};

/// Every file that a handler can load, by its name below the tools directory, with `/`.
/// Invariant: the content never changes, so what runs is what was approved.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    digest: Digest,
    files: BTreeMap<String, Arc<[u8]>>,
}

impl Code {
    pub fn new(files: BTreeMap<String, Arc<[u8]>>) -> Self {
        let mut digester = Digester::default();
        for (name, bytes) in &files {
            digester.part(name.as_bytes());
            digester.part(bytes);
        }
        Self { digest: digester.finish(), files }
    }

    /// The digest of all names and bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn get(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.files.get(name)
    }

    /// A file as text; none if it is missing or not text.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.files.get(name)?).ok()
    }

    /// The files in the order of their names.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&str, &Arc<[u8]>)> {
        self.files.iter().map(|(name, bytes)| (name.as_str(), bytes))
    }
}

impl Default for Code {
    fn default() -> Self {
        Self::new(BTreeMap::new())
    }
}

/// The content of a handler does not belong in a log.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({} files, {})", self.files.len(), self.digest)
    }
}

/// A fault that a compiler found. Nothing of the handler has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFault {
    pub kind: CodeFaultKind,
    /// The file that it is in, below the tools directory.
    pub file: String,
    /// From 1; 0 if unknown.
    #[serde(default)]
    pub line: usize,
    /// In characters, from 1; 0 if unknown.
    #[serde(default)]
    pub column: usize,
    pub message: String,
    /// What the fault is about, as the author wrote it: a module, a name; may be empty.
    #[serde(default)]
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeFaultKind {
    /// It does not parse.
    Syntax,
    /// It imports a project file that does not exist or that it may not import.
    MissingFile,
    /// It imports a package that is not available.
    MissingPackage,
    /// It imports a name that the module does not export.
    MissingName,
    /// There is no `execute` to call.
    NoExecute,
}
