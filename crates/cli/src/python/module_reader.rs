//! Reads Python modules for the registry, each with the packages it needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use registry::{
    EnvironmentId, HandlerCode, HandlerReport, ModuleFault, ModuleReader, ModuleReport,
    environment_of,
};

use super::environment;
use super::settings::PythonSettings;
use crate::wiring::check_handlers::check_handlers;

/// Reads each module with the packages it needs.
pub(crate) struct PythonModules(pub PythonSettings);

impl ModuleReader for PythonModules {
    fn read(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport> {
        let mut groups: BTreeMap<Option<PathBuf>, Vec<String>> = BTreeMap::new();
        for file in files {
            let needed = environment_of(tools_dir, file);
            let folder = needed.map(|needed| environment::folder(tools_dir, &needed.id));
            groups.entry(folder).or_default().push(file.clone());
        }
        let read = |(folder, files): (Option<PathBuf>, Vec<String>)| {
            discover(&self.0, folder.as_deref(), tools_dir, &files)
        };
        groups.into_iter().flat_map(read).collect()
    }

    fn has_environment(&self, tools_dir: &Path, id: &EnvironmentId) -> bool {
        environment::is_built(tools_dir, id)
    }

    fn check_handlers(&self, tools_dir: &Path, handlers: &[HandlerCode]) -> Vec<HandlerReport> {
        check_handlers(&self.0, tools_dir, handlers)
    }
}

/// Imports module files and reports their tools. Blocks; the runtime is in another thread, so that
/// callers may be anywhere.
fn discover(
    settings: &PythonSettings,
    environment: Option<&Path>,
    tools_dir: &Path,
    files: &[String],
) -> Vec<ModuleReport> {
    let found = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let host = settings.host(environment)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|fault| fault.to_string())?;
            let reports = runtime.block_on(host.discover(tools_dir, files));
            serde_json::to_value(reports).map_err(|fault| fault.to_string())
        });
        work.join().unwrap_or_else(|_| Err("the reader failed".to_owned()))
    });
    let reports = found.and_then(|reports| {
        serde_json::from_value::<Vec<ModuleReport>>(reports).map_err(|fault| fault.to_string())
    });
    match reports {
        Ok(mut reports) => {
            reports.iter_mut().filter_map(|report| report.fault.as_mut()).for_each(translate);
            reports
        }
        Err(because) => files.iter().map(|file| unavailable(file, &because)).collect(),
    }
}

/// Translates fault kinds of the host to those of the registry.
fn translate(fault: &mut ModuleFault) {
    let kind = match fault.kind.as_str() {
        "host" => "unavailable",
        "hung" => "timeout",
        "crashed" | "exited" | "memory" => "crash",
        "syntax" | "import" | "raised" => {
            if let Some((exception, message)) = fault.message.clone().split_once(": ") {
                fault.kind = exception.to_owned();
                fault.message = message.to_owned();
            }
            return;
        }
        _ => return,
    };
    fault.kind = kind.to_owned();
}

fn unavailable(file: &str, because: &str) -> ModuleReport {
    let (kind, message) = ("unavailable".to_owned(), because.to_owned());
    let fault = Some(ModuleFault { kind, message, ..ModuleFault::default() });
    ModuleReport { file: file.to_owned(), fault, ..ModuleReport::default() }
}
