//! `ghosthand metrics`: what recent calls cost, per tool.

use clap::Args;
use engine::Metrics;

use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;
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
            let lines = self.engine.open()?.audit(100_000).await?;
            printer.json(&Metrics::of(&lines))?;
            Ok(ExitStatus::Success)
        })
    }
}
