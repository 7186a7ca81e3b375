//! `ghosthand lock`: records what every tool is now.

use std::path::Path;

use clap::Args;
use registry::{LOCK_FILE, Lock, LockFault};

use super::ToolsDir;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;

/// Record every tool in tools.lock
///
/// The lock holds the digest of each tool's schema, documents and handler, and its
/// contract. Keep it under version control; `ghosthand diff` tells what changed since.
#[derive(Args)]
pub(crate) struct LockArgs {
    #[command(flatten)]
    tools: ToolsDir,
}

impl LockArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let dir = &self.tools.find()?;
        super::refuse_single_tool(dir, "lock")?;
        let build = super::read_good(dir)?;
        let bytes = Lock::of(&build.registry).to_json()?;
        super::write_beside(dir, LOCK_FILE, &bytes, &build.registry, printer)?;
        Ok(ExitStatus::Success)
    }
}

/// A lock that cannot be used, with the way on.
pub(super) fn failure(fault: LockFault) -> Failure {
    let fix = match &fault {
        LockFault::Unreadable { .. } => "check that this user may read the file",
        LockFault::Damaged { .. } => "restore it from version control, or run `ghosthand lock`",
        LockFault::Format { .. } => "use the program that wrote it, or run `ghosthand lock`",
    };
    Failure::user(fault, fix)
}

/// What is done about a tool that is not as in `tools.lock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Waits,
    Runs,
}

impl Changed {
    pub(crate) fn of(config: &Config) -> Self {
        match config.get("tools.changed") {
            Some("run") => Changed::Runs,
            Some(_) | None => Changed::Waits,
        }
    }
}

/// The lock beside the tools; nothing if they were never locked.
pub(super) fn load(dir: &Path) -> Result<Option<Lock>, Failure> {
    Lock::load(&dir.join(LOCK_FILE)).map_err(failure)
}
