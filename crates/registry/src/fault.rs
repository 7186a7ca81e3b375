//! Faults of tools: one function per fault; all faults are collected.
//!
//! [`Faults`] collects them. The functions that add faults are in the files of this folder, by
//! the part of the tool; `rg 'faults\.'` lists their callers. Rendering is elsewhere.

mod code;
mod docs;
mod fields;
mod files;
mod handler;
mod module;
mod rules;
mod schema;

use std::fmt;

use serde::Serialize;

pub use code::{Code, Severity};

/// One fault: where, what, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub code: Code,
    pub severity: Severity,
    pub what: String,
    /// Further faults of the same place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    pub fix: String,
    pub place: SourceLocation,
}

/// Where a fault is. A whole file or directory has line 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceLocation {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// How many characters of the line are marked.
    pub width: usize,
    /// The line itself.
    #[serde(skip)]
    pub source: String,
}

impl fmt::Display for SourceLocation {
    /// `file:line:column`, or the file alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

impl SourceLocation {
    /// A whole file or directory.
    pub(crate) fn whole(file: &str) -> Self {
        SourceLocation {
            file: file.to_owned(),
            line: 0,
            column: 0,
            width: 0,
            source: String::new(),
        }
    }
}

/// Every fault found so far.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Sorts by file, then by line, then by code.
    pub(crate) fn sort(&mut self) {
        let key = |fault: &Fault| (fault.place.clone(), fault.code, fault.what.clone());
        self.0.sort_by_cached_key(key);
        self.0.dedup();
    }

    pub(crate) fn append(&mut self, other: Faults) {
        self.0.extend(other.0);
    }

    pub(crate) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|fault| fault.severity == severity).count()
    }

    /// Whether a fault prevents a build.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    fn add(
        &mut self,
        code: Code,
        place: SourceLocation,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let severity = code.severity();
        let (what, fix, also) = (what.into(), fix.into(), Vec::new());
        self.0.push(Fault { code, severity, what, also, fix, place });
    }

    /// Adds to the fault that was added last.
    fn add_also(&mut self, also: Vec<String>) {
        if let Some(last) = self.0.last_mut() {
            last.also = also;
        }
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Self {
        Faults(faults.into_iter().collect())
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// `did you mean …?`, or another fix if no known word is similar.
fn did_you_mean(near: Option<&str>, otherwise: &str) -> String {
    match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => otherwise.to_owned(),
    }
}

/// A text in backticks, truncated to fit a line.
fn quoted(text: &str) -> String {
    const SHOWN_MAX: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
