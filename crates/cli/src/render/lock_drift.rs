//! The changes since `tools.lock`, printed before anything runs.

use std::path::PathBuf;

use registry::{Change, ChangeWeight, Lock, Registry, count_changes, diff};

use crate::exit::Failure;
use crate::render::printer::{Printer, bold, count, dim};

/// The limit of printed lines; `ghosthand diff` shows all.
const LINES_MAX: usize = 12;

/// The tools that will run, and the lock. They are compared only when the changes are printed.
pub(crate) struct Drift {
    lock: KnownLock,
    registry: Registry,
}

/// A lock that was loaded with the tools, or the path to load it from.
pub(crate) enum KnownLock {
    Loaded(Option<Lock>),
    At(PathBuf),
}

impl Drift {
    pub(crate) fn new(lock: KnownLock, registry: Registry) -> Self {
        Self { lock, registry }
    }

    /// Prints the changes to standard error; with a tool, only its own.
    pub(crate) fn print(&self, tool: Option<&str>, printer: &mut Printer) -> Result<(), Failure> {
        let loaded;
        let lock = match &self.lock {
            KnownLock::Loaded(lock) => Ok(lock.as_ref()),
            KnownLock::At(path) => {
                loaded = Lock::load(path);
                loaded.as_ref().map(Option::as_ref)
            }
        };
        let mut changes = match lock {
            Ok(None) => return Ok(()),
            Ok(Some(lock)) => diff(lock, &self.registry),
            Err(why) => {
                printer.message(format!("{why}; cannot tell whether tools have changed"))?;
                return Ok(());
            }
        };
        // Tools that are left out are reported elsewhere.
        let out = self.registry.excluded();
        changes.retain(|change| out.iter().all(|one| one.name != change.tool));
        let concerns = |change: &&Change| {
            change.tool.is_empty() || tool.is_none_or(|tool| tool == change.tool)
        };
        let changes: Vec<_> = changes.iter().filter(concerns).cloned().collect();
        if changes.is_empty() {
            return Ok(());
        }
        printer
            .message(format!("{} since tools.lock:", count(count_changes(&changes), "change")))?;
        let all = lines(&changes);
        all.iter().take(LINES_MAX).try_for_each(|line| printer.message(line))?;
        let rest = all.len().saturating_sub(LINES_MAX);
        if rest > 0 {
            printer
                .message(format!("  … {}; `ghosthand diff` shows all", count(rest, "more line")))?;
        }
        printer.message(dim("`ghosthand lock` accepts the changes"))?;
        Ok(())
    }
}

/// The changes as `ghosthand diff` prints them: lines grouped by tool.
pub(crate) fn lines(changes: &[Change]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut tool = "";
    for change in changes {
        if change.tool != tool {
            tool = &change.tool;
            lines.push(bold(tool).to_string());
        }
        lines.push(format!("  {} {}", mark(change.weight), change.sentence));
    }
    lines
}

fn mark(weight: ChangeWeight) -> &'static str {
    match weight {
        ChangeWeight::Widens => "+",
        ChangeWeight::Breaks => "!",
        ChangeWeight::Changes | ChangeWeight::Advice => " ",
    }
}
