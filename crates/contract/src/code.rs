//! The code of a handler as it was when its registry was built, and what can be wrong with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, Digester};

/// Every file that a handler can load, by its name below the tools directory, with `/`.
/// Invariant: the content never changes, so whoever holds it runs what was approved.
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

    /// Of all names and bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn get(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.files.get(name)
    }

    /// A file as text; nothing if it is not there or no text.
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

/// The content of a handler is no line for a log.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({} files, {})", self.files.len(), self.digest)
    }
}

/// What a compiler says against a handler. Nothing of the handler has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFault {
    pub kind: CodeFaultKind,
    /// The file that it is in, below the tools directory.
    pub file: String,
    /// From 1; 0 if nobody knows.
    #[serde(default)]
    pub line: usize,
    /// In characters, from 1; 0 if nobody knows.
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
    /// It imports a file of the project that is not there, or not for it.
    MissingFile,
    /// It imports a package that it cannot have.
    MissingPackage,
    /// It imports a name that the module does not export.
    MissingName,
    /// There is no `execute` to call.
    NoExecute,
}
