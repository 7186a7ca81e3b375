//! `ghosthand lock`: records the digests and contracts of all tools.

use clap::Args;
use registry::{LOCK_FILE, Lock};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::read_tools::read_good;
use crate::wiring::tools_dir::{ToolsDir, refuse_single_tool, write_beside};

/// Record every tool in tools.lock
///
/// The lock holds the contract of each tool and the digests of its schema, documents and handler.
/// Keep it under version control; `ghosthand diff` shows what changed since.
#[derive(Args)]
pub(crate) struct LockArgs {
    #[command(flatten)]
    tools: ToolsDir,
}

impl LockArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let config = Config::load()?;
        let dir = &self.tools.find(&config)?;
        refuse_single_tool(dir, "lock")?;
        let build = read_good(dir, &config)?;
        let bytes = Lock::of(&build.registry).to_json()?;
        write_beside(dir, LOCK_FILE, &bytes, &build.registry, printer)?;
        Ok(ExitStatus::Success)
    }
}
