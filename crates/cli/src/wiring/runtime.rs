//! The async runtime of one command.

use std::time::Duration;

use crate::exit::Failure;

/// Runs a command that waits for others, on a runtime of its own.
pub(crate) fn on_runtime<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(work);
    // Whoever renders a text or reads a terminal does not keep us.
    runtime.shutdown_timeout(REST);
    ended
}

/// How long what still runs beside the work may take to end.
const REST: Duration = Duration::from_secs(2);
