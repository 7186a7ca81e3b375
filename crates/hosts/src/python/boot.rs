//! The runtime of Python workers: files of ours that go to a template, and what a worker that
//! was forked from it is told over its own channel.

use std::collections::BTreeMap;
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
const MODULES: [(&str, &str); 21] = [
    ("ghosthand", include_str!("runtime/api.py")),
    ("ghosthand_call", include_str!("runtime/call.py")),
    ("ghosthand_channel", include_str!("runtime/channel.py")),
    ("ghosthand_check", include_str!("runtime/check.py")),
    ("ghosthand_context", include_str!("runtime/context.py")),
    ("ghosthand_describe", include_str!("runtime/describe.py")),
    ("ghosthand_failure", include_str!("runtime/failure.py")),
    ("ghosthand_fence", include_str!("runtime/fence.py")),
    ("ghosthand_homes", include_str!("runtime/homes.py")),
    ("ghosthand_hooks", include_str!("runtime/hooks.py")),
    ("ghosthand_http", include_str!("runtime/http.py")),
    ("ghosthand_httpx", include_str!("runtime/httpx.py")),
    ("ghosthand_load", include_str!("runtime/load.py")),
    ("ghosthand_network", include_str!("runtime/network.py")),
    ("ghosthand_output", include_str!("runtime/output.py")),
    ("ghosthand_parts", include_str!("runtime/parts.py")),
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

/// What one worker is.
pub(crate) struct WorkerOrder<'a> {
    pub root: &'a Path,
    pub scratch: &'a Path,
    /// Takes effect before anything of the author's is read.
    pub filters: Vec<Vec<u64>>,
    /// Landlock's rules are among its descriptors.
    pub has_ruleset: bool,
    pub open_files_max: u64,
    pub limits: &'a PyLimits,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireOrder<'a> {
    root: &'a Path,
    scratch: &'a Path,
    filters: &'a [Vec<u64>],
    has_ruleset: bool,
    open_files_max: u64,
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
                // The names around the value need a little room.
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
