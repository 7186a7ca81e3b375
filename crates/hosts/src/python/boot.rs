//! The first messages to templates and workers, including the Python runtime itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::js::worker::FRAME_BYTES_MAX;
use crate::protocol::ToChild;
use crate::protocol::meter::FloodLimits;
use crate::run_handler::millis;

use super::PyLimits;

/// The script that the interpreter is started with; it reads the rest from its channel.
pub(crate) const SCRIPT: &str = include_str!("runtime/boot.py");

/// All modules of the runtime, by import name.
const MODULES: [(&str, &str); 21] = [
    ("ghosthand", include_str!("runtime/api.py")),
    ("ghosthand_call", include_str!("runtime/call.py")),
    ("ghosthand_channel", include_str!("runtime/channel.py")),
    ("ghosthand_check", include_str!("runtime/check.py")),
    ("ghosthand_context", include_str!("runtime/context.py")),
    ("ghosthand_describe", include_str!("runtime/describe.py")),
    ("ghosthand_failure", include_str!("runtime/failure.py")),
    ("ghosthand_sandbox", include_str!("runtime/sandbox.py")),
    ("ghosthand_compat_modules", include_str!("runtime/compat_modules.py")),
    ("ghosthand_import_hooks", include_str!("runtime/import_hooks.py")),
    ("ghosthand_http", include_str!("runtime/network/http.py")),
    ("ghosthand_httpx", include_str!("runtime/network/httpx.py")),
    ("ghosthand_load", include_str!("runtime/load.py")),
    ("ghosthand_gate", include_str!("runtime/network/gate.py")),
    ("ghosthand_output", include_str!("runtime/output.py")),
    ("ghosthand_invoke", include_str!("runtime/invoke.py")),
    ("ghosthand_services", include_str!("runtime/services.py")),
    ("ghosthand_template", include_str!("runtime/template.py")),
    ("ghosthand_threads", include_str!("runtime/threads.py")),
    ("ghosthand_to_json", include_str!("runtime/to_json.py")),
    ("ghosthand_worker", include_str!("runtime/worker.py")),
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TemplateOrder<'a> {
    packages: &'a [PathBuf],
    sources: BTreeMap<&'a str, &'a str>,
}

/// The first message to a template.
pub(crate) fn template_order(packages: &[PathBuf]) -> Result<ToChild, String> {
    boot(&TemplateOrder { packages, sources: MODULES.into_iter().collect() })
}

/// The configuration of one worker.
pub(crate) struct WorkerOrder<'a> {
    pub root: &'a Path,
    pub scratch: &'a Path,
    /// Applied before any of the author's files is read; instructions in hexadecimal.
    pub filters: Vec<String>,
    /// Whether a Landlock ruleset is passed with the order.
    pub has_ruleset: bool,
    pub open_files_max: u64,
    pub limits: &'a PyLimits,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireOrder<'a> {
    root: &'a Path,
    scratch: &'a Path,
    filters: &'a [String],
    has_ruleset: bool,
    open_files_max: u64,
    limits: Limits<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Limits<'a> {
    flood: &'a FloodLimits,
    frame_bytes_max: usize,
    result_bytes_max: usize,
    memory_mib: u64,
    block_ms_max: u64,
    import_ms_max: u64,
    threads_max: usize,
}

impl WorkerOrder<'_> {
    /// The first message to a worker.
    pub(crate) fn message(&self) -> Result<ToChild, String> {
        let Self { root, scratch, filters, has_ruleset, open_files_max, limits } = self;
        boot(&WireOrder {
            root,
            scratch,
            filters,
            has_ruleset: *has_ruleset,
            open_files_max: *open_files_max,
            limits: Limits {
                flood: &limits.flood,
                // Leaves room for the field names around the value.
                frame_bytes_max: FRAME_BYTES_MAX - 1024,
                result_bytes_max: limits.result_bytes_max,
                memory_mib: limits.memory_bytes_max >> 20,
                block_ms_max: millis(limits.block_max),
                import_ms_max: millis(limits.import_max),
                threads_max: limits.threads_max,
            },
        })
    }
}

fn boot(order: &impl Serialize) -> Result<ToChild, String> {
    Ok(ToChild::Boot(to_raw_value(order).map_err(|fault| fault.to_string())?))
}
