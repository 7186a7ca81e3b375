//! `ghosthand lock`: records what every tool is now.

use clap::Args;
use registry::{LOCK_FILE, Lock};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::read_tools::read_good;
use crate::wiring::tools_dir::{ToolsDir, refuse_single_tool, write_beside};

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
        let config = Config::load()?;
        let dir = &self.tools.find(&config)?;
        refuse_single_tool(dir, "lock")?;
        let build = read_good(dir, &config)?;
        let bytes = Lock::of(&build.registry).to_json()?;
        write_beside(dir, LOCK_FILE, &bytes, &build.registry, printer)?;
        Ok(ExitStatus::Success)
    }
}
