//! What changed since `tools.lock`, in words, told before anything runs.

use registry::{Change, Lock, LockFault, Registry, Weight, count_changes, diff};

use crate::exit::Failure;
use crate::render::printer::{Printer, bold, count, dim};

/// More than this is not read before a conversation; `ghosthand diff` has them all.
const LINES_MAX: usize = 12;

/// The tools that will run, and what was locked. They are compared when somebody is told.
pub(crate) struct Drift {
    lock: Result<Option<Lock>, LockFault>,
    registry: Registry,
}

impl Drift {
    pub(crate) fn new(lock: Result<Option<Lock>, LockFault>, registry: Registry) -> Self {
        Self { lock, registry }
    }

    /// Says it on standard error; with a tool only what concerns that one.
    pub(crate) fn tell(&self, tool: Option<&str>, printer: &mut Printer) -> Result<(), Failure> {
        let mut changes = match &self.lock {
            Ok(None) => return Ok(()),
            Ok(Some(lock)) => diff(lock, &self.registry),
            Err(why) => {
                printer.say(format!("{why}; whether tools have changed is not known"))?;
                return Ok(());
            }
        };
        // What is left out is not gone, and is said elsewhere.
        let out = self.registry.left_out();
        changes.retain(|change| out.iter().all(|one| one.name != change.tool));
        let concerns = |change: &&Change| {
            change.tool.is_empty() || tool.is_none_or(|tool| tool == change.tool)
        };
        let changes: Vec<_> = changes.iter().filter(concerns).cloned().collect();
        if changes.is_empty() {
            return Ok(());
        }
        printer.say(format!("{} since tools.lock:", count(count_changes(&changes), "change")))?;
        let all = lines(&changes);
        all.iter().take(LINES_MAX).try_for_each(|line| printer.say(line))?;
        let rest = all.len().saturating_sub(LINES_MAX);
        if rest > 0 {
            printer.say(format!("  … {}; `ghosthand diff` shows all", count(rest, "more line")))?;
        }
        printer.say(dim("`ghosthand lock` accepts what changed"))?;
        Ok(())
    }
}

/// The changes as `ghosthand diff` writes them: below each tool, its lines.
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

fn mark(weight: Weight) -> &'static str {
    match weight {
        Weight::Widens => "+",
        Weight::Breaks => "!",
        Weight::Changes | Weight::Advice => " ",
    }
}
