//! `ghosthand audit`: one line per call, arguments redacted.

use clap::Args;

use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Show the audit log: one line per call, arguments redacted
#[derive(Args)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    engine: EngineArgs,
    /// Maximum number of lines
    #[arg(long, default_value = "50")]
    most: usize,
}

impl AuditArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            for line in self.engine.open(StoreUse::Read)?.audit(self.most.max(1)).await? {
                printer.data(serde_json::to_string(&line)?)?;
            }
            Ok(ExitStatus::Success)
        })
    }
}
