//! Compiles handlers in their hosts, for the registry. Results are cached by code.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use contract::{CodeFault, Digest};
use hosts::js::{JsHost, JsHostConfig};
use registry::{HandlerCode, HandlerKind, HandlerReport};

use crate::python::environment;
use crate::python::settings::PythonSettings;

/// The code, its file, and the packages beside it.
type State = (Digest, String, Option<String>);

/// The faults of each state, so that a reload compiles only changed handlers. Locked only for
/// lookups and inserts.
static KNOWN: LazyLock<Mutex<HashMap<State, Vec<CodeFault>>>> = LazyLock::new(Mutex::default);

/// The cache is cleared when it exceeds this size.
const KNOWN_MAX: usize = 50_000;
/// How many handlers are sent to the child at once.
const LANES: usize = 4;

/// One report per handler. Blocks; the runtime is in another thread, so that callers may be
/// anywhere.
pub(crate) fn check_handlers(
    settings: &PythonSettings,
    tools_dir: &Path,
    handlers: &[HandlerCode],
) -> Vec<HandlerReport> {
    let unknown: Vec<_> = {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        handlers.iter().filter(|handler| !known.contains_key(&state_of(handler))).collect()
    };
    let of_kind = |kind| unknown.iter().filter(move |handler| handler.kind == kind).copied();
    let javascript: Vec<_> = of_kind(HandlerKind::JavaScript).collect();
    let python: Vec<_> = of_kind(HandlerKind::Python).collect();
    let mut checked: BTreeMap<String, Result<Vec<CodeFault>, String>> = BTreeMap::new();
    std::thread::scope(|scope| {
        let javascript = scope.spawn(|| on_runtime(&javascript, check_javascript));
        let python = on_runtime(&python, |python| check_python(settings, tools_dir, python));
        checked.extend(python);
        checked.extend(javascript.join().unwrap_or_default());
    });
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() > KNOWN_MAX {
        known.clear();
    }
    let report = |handler: &HandlerCode| {
        let state = state_of(handler);
        if let Some(faults) = known.get(&state) {
            return HandlerReport::Checked(faults.clone());
        }
        match checked.remove(&handler.file) {
            Some(Ok(faults)) => {
                known.insert(state, faults.clone());
                HandlerReport::Checked(faults)
            }
            Some(Err(because)) => HandlerReport::Unchecked { because },
            None => HandlerReport::Unchecked { because: "the compiler failed".to_owned() },
        }
    };
    handlers.iter().map(report).collect()
}

type CheckedFiles = Vec<(String, Result<Vec<CodeFault>, String>)>;

fn state_of(handler: &HandlerCode) -> State {
    let environment = handler.environment.as_ref().map(ToString::to_string);
    (handler.code.digest(), handler.file.clone(), environment)
}

/// Runs a check on a new runtime, if there is anything to check.
fn on_runtime<'a, F: Future<Output = CheckedFiles>>(
    handlers: &'a [&'a HandlerCode],
    check: impl FnOnce(&'a [&'a HandlerCode]) -> F + Send,
) -> CheckedFiles {
    if handlers.is_empty() {
        return CheckedFiles::new();
    }
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(check(handlers)),
            Err(fault) => {
                let failed =
                    |handler: &&HandlerCode| (handler.file.clone(), Err(fault.to_string()));
                handlers.iter().map(failed).collect()
            }
        }
    };
    // A thread that is inside a runtime cannot block on another one.
    std::thread::scope(|scope| scope.spawn(work).join().unwrap_or_default())
}

async fn check_javascript(handlers: &[&HandlerCode]) -> CheckedFiles {
    let host = Arc::new(JsHost::start(JsHostConfig { children: 1, ..JsHostConfig::new() }));
    let mut lanes = tokio::task::JoinSet::new();
    for lane in handlers.chunks(handlers.len().div_ceil(LANES)) {
        let host = Arc::clone(&host);
        let lane: Vec<HandlerCode> = lane.iter().map(|handler| (*handler).clone()).collect();
        lanes.spawn(async move {
            let mut checked_files = CheckedFiles::with_capacity(lane.len());
            for HandlerCode { file, code, .. } in lane {
                let checked = host.check_code(&code, &file).await;
                checked_files.push((file, checked));
            }
            checked_files
        });
    }
    lanes.join_all().await.into_iter().flatten().collect()
}

async fn check_python(
    settings: &PythonSettings,
    tools_dir: &Path,
    handlers: &[&HandlerCode],
) -> CheckedFiles {
    let mut groups: BTreeMap<Option<PathBuf>, Vec<&HandlerCode>> = BTreeMap::new();
    for handler in handlers {
        let needed = handler.environment.as_ref();
        let folder = needed.map(|id| environment::folder(tools_dir, id));
        groups.entry(folder).or_default().push(handler);
    }
    let mut checked_files = CheckedFiles::new();
    for (folder, group) in groups {
        let Some(first) = group.first() else { continue };
        let files: Vec<_> = group.iter().map(|handler| handler.file.clone()).collect();
        let checked = match settings.host(folder.as_deref()) {
            Ok(host) => host.check_code(&first.code, &files).await,
            Err(because) => Err(because),
        };
        match checked {
            Ok(mut reports) => checked_files.extend(files.into_iter().map(|file| {
                let faults = reports.remove(&file);
                let faults = faults.ok_or_else(|| "Python did not report on it".to_owned());
                (file, faults)
            })),
            Err(because) => {
                checked_files.extend(files.into_iter().map(|file| (file, Err(because.clone()))));
            }
        }
    }
    checked_files
}
