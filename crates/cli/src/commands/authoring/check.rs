//! `ghosthand check`: reports every fault of every tool, prompt and resource.

use std::time::Instant;

use clap::Args;
use mcp::library::Library;
use registry::{Build, Severity};

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::faults::{self, Format};
use crate::render::printer::{Printer, count};
use crate::wiring::engine_setup::project_of;
use crate::wiring::read_tools::{load_lock, read, shown};
use crate::wiring::tools_dir::ToolsDir;

/// Check tools, prompts and resources, and report every fault at once
///
/// Exits with 1 on an error, or on a warning with --deny-warnings.
/// `ghosthand faults CODE` explains a fault.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    tools: ToolsDir,
    /// Output format of faults
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
}

impl CheckArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let start = Instant::now();
        let config = Config::load()?;
        let dir = self.tools.find(&config)?;
        let mut build = read(&dir, &config)?;
        if let Some(lock) = load_lock(&dir)? {
            build.compare(&lock, &shown(&dir));
        }
        // Prompts and resources belong to a project, not to a single tool.
        let library = match dir.join("schema.json").exists() {
            true => Vec::new(),
            false => Library::read(&project_of(&dir)?).1,
        };
        let report = faults::whole(&build.faults, &library, build.looked_at, self.format);
        write!(printer.out(), "{report}")?;
        printer.message(format!("{} in {} ms", sum(&build), start.elapsed().as_millis()))?;
        if !library.is_empty() {
            printer
                .message(format!("{} in prompts and resources", count(library.len(), "error")))?;
        }
        let failed = build.faults.has_errors()
            || !library.is_empty()
            || (self.deny_warnings && !build.faults.is_empty());
        Ok(if failed { ExitStatus::Faults } else { ExitStatus::Success })
    }
}

/// `10 tools checked: 2 errors, 1 warning`
pub(super) fn sum(build: &Build) -> String {
    let errors = build.faults.count(Severity::Error);
    let warnings = build.faults.count(Severity::Warning);
    let found = match (errors, warnings) {
        (0, 0) => "no faults".to_owned(),
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    format!("{} checked: {found}", count(build.looked_at, "tool"))
}
