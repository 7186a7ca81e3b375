//! Tools that are excluded from a registry, each with the faults that exclude it.
//!
//! A bad tool does not stop the others, and lists of tools show which are missing and why.
//! Excluded tools do not affect the registry's version.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fault::{Code, Fault, Faults, Severity};

/// A tool that is excluded, or a file whose tools are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcludedTool {
    /// Its name for people: the tool's id, or a file below the tools directory.
    pub name: String,
    /// The directory or the file, as faults show it.
    pub path: String,
    /// Why, in the order in which `check` reports them; never empty.
    pub faults: Vec<Fault>,
}

impl ExcludedTool {
    /// Excluded because of the errors in `found`, or of all faults if none is an error.
    pub(crate) fn new(
        name: impl Into<String>,
        path: impl Into<String>,
        found: &Faults,
    ) -> Option<Self> {
        let errors = found.iter().filter(|fault| fault.severity == Severity::Error);
        let mut faults: Vec<Fault> = errors.cloned().collect();
        if faults.is_empty() {
            faults = found.iter().cloned().collect();
        }
        faults.sort_by_cached_key(|fault| (fault.place.clone(), fault.code));
        let (name, path) = (name.into(), path.into());
        (!faults.is_empty()).then_some(Self { name, path, faults })
    }

    /// Its state in one word: a folder without a tool is not a broken tool.
    pub fn state(&self) -> &'static str {
        match self.faults.iter().all(|fault| fault.code == Code::T104) {
            true => "empty",
            false => "broken",
        }
    }

    /// The first fault in one line: `tools/a/schema.json:5:15: what; fix`.
    pub fn reason(&self) -> String {
        let Some(Fault { place, what, fix, .. }) = self.faults.first() else {
            return String::new();
        };
        format!("{place}: {what}; {fix}")
    }

    /// How many further faults there are.
    pub fn more(&self) -> usize {
        self.faults.len().saturating_sub(1)
    }

    /// Whether `name` is its id, the last part of its id, its directory or its file.
    pub fn is_called(&self, name: &str) -> bool {
        let alike = |one: &str| one.replace('-', "_") == name.replace('-', "_");
        let folder = self.path.rsplit('/').next().unwrap_or_default();
        alike(&self.name) || alike(folder) || self.name.rsplit('.').next().is_some_and(alike)
    }
}

/// The errors that no tool was excluded for yet. They belong to the tool in whose directory
/// they are, if it is `gone`; otherwise to their own file: shared code, or settings that name no
/// tool.
pub(crate) fn unclaimed(
    root: &str,
    faults: &Faults,
    left_out: &[ExcludedTool],
    gone: &[(&str, &str)],
) -> Vec<ExcludedTool> {
    let mut found: BTreeMap<(&str, &str), Faults> = BTreeMap::new();
    let claimed = |fault: &Fault| left_out.iter().any(|one| one.faults.contains(fault));
    for fault in faults.iter().filter(|fault| fault.severity == Severity::Error) {
        if claimed(fault) {
            continue;
        }
        let file = fault.place.file.as_str();
        let inside = |path: &str| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let tool = gone.iter().find(|(_, path)| inside(path));
        let own = || {
            let name = file.strip_prefix(root).map_or(file, |name| name.trim_start_matches('/'));
            (name, file)
        };
        found.entry(tool.copied().unwrap_or_else(own)).or_default().push(fault.clone());
    }
    let left_out = found.into_iter();
    left_out.filter_map(|((name, path), found)| ExcludedTool::new(name, path, &found)).collect()
}
