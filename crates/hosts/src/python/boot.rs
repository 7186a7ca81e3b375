//! The runtime of a Python worker: files of ours that go over the channel, and its limits.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::meter::Flood;
use crate::run::millis;
use crate::wire::ToChild;
use crate::worker::FRAME_BYTES_MAX;

use super::PyLimits;

/// What the interpreter is started with; it reads the rest from its channel.
pub(crate) const SCRIPT: &str = include_str!("runtime/boot.py");

/// All modules, by the names under which they import each other.
const MODULES: [(&str, &str); 18] = [
    ("ghosthand", include_str!("runtime/api.py")),
    ("ghosthand_call", include_str!("runtime/call.py")),
    ("ghosthand_channel", include_str!("runtime/channel.py")),
    ("ghosthand_check", include_str!("runtime/check.py")),
    ("ghosthand_context", include_str!("runtime/context.py")),
    ("ghosthand_describe", include_str!("runtime/describe.py")),
    ("ghosthand_failure", include_str!("runtime/failure.py")),
    ("ghosthand_homes", include_str!("runtime/homes.py")),
    ("ghosthand_hooks", include_str!("runtime/hooks.py")),
    ("ghosthand_http", include_str!("runtime/http.py")),
    ("ghosthand_httpx", include_str!("runtime/httpx.py")),
    ("ghosthand_load", include_str!("runtime/load.py")),
    ("ghosthand_network", include_str!("runtime/network.py")),
    ("ghosthand_output", include_str!("runtime/output.py")),
    ("ghosthand_parts", include_str!("runtime/parts.py")),
    ("ghosthand_services", include_str!("runtime/services.py")),
    ("ghosthand_threads", include_str!("runtime/threads.py")),
    ("ghosthand_to_json", include_str!("runtime/to_json.py")),
];
const WORKER: (&str, &str) = ("ghosthand_worker", include_str!("runtime/worker.py"));

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order<'a> {
    root: &'a Path,
    scratch: &'a Path,
    packages: &'a [PathBuf],
    sources: std::collections::BTreeMap<&'a str, &'a str>,
    limits: Limits<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Limits<'a> {
    flood: &'a Flood,
    frame_bytes_max: usize,
    result_bytes_max: usize,
    memory_mib: u64,
    block_ms_max: u64,
    import_ms_max: u64,
    threads_max: usize,
}

/// The first message to a worker.
pub(crate) fn boot(
    root: &Path,
    scratch: &Path,
    packages: &[PathBuf],
    limits: &PyLimits,
) -> Result<ToChild, String> {
    let order = Order {
        root,
        scratch,
        packages,
        sources: MODULES.into_iter().chain([WORKER]).collect(),
        limits: Limits {
            flood: &limits.flood,
            // The names around the value need a little room.
            frame_bytes_max: FRAME_BYTES_MAX - 1024,
            result_bytes_max: limits.result_bytes_max,
            memory_mib: limits.memory_bytes_max >> 20,
            block_ms_max: millis(limits.block_max),
            import_ms_max: millis(limits.import_max),
            threads_max: limits.threads_max,
        },
    };
    Ok(ToChild::Boot(to_raw_value(&order).map_err(|fault| fault.to_string())?))
}
