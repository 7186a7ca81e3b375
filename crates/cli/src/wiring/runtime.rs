//! The async runtime of one command.

use std::time::Duration;

use crate::exit::Failure;

/// Runs an async command on a new runtime.
pub(crate) fn on_runtime<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(work);
    // Blocking tasks, such as a terminal read, must not delay the exit.
    runtime.shutdown_timeout(REST);
    ended
}

/// How long background tasks may take to end.
const REST: Duration = Duration::from_secs(2);
