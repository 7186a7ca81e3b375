//! `ghosthand metrics`: what recent calls cost, per tool.

use clap::Args;

use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::runtime::on_runtime;

/// Show counts, errors and latency of recent calls, per tool
#[derive(Args)]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    engine: EngineArgs,
}

impl MetricsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        on_runtime(async {
            printer.json(&self.engine.open(StoreUse::Read)?.metrics(100_000).await?)?;
            Ok(ExitStatus::Success)
        })
    }
}
