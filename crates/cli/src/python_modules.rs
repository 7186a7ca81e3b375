//! Where the Python host reads modules for the registry.
//!
//! [`python_modules`] is the one place that knows how; everything else asks [`Modules`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use registry::{EnvironmentId, ModuleFault, ModuleReader, ModuleReport, environment_of};

use crate::python_env;

/// The reader that imports module files with the packages of `environment`, a folder with
/// a Python of its own; without one, with the standard library alone.
fn python_modules(environment: Option<&Path>) -> Option<Arc<dyn ModuleReader>> {
    let _ = environment;
    None
}

/// Reads each module with the packages it needs.
pub(crate) struct Modules;

impl ModuleReader for Modules {
    fn read(&self, tools_dir: &Path, files: &[String]) -> Vec<ModuleReport> {
        let mut groups: BTreeMap<Option<PathBuf>, Vec<String>> = BTreeMap::new();
        for file in files {
            let needed = environment_of(tools_dir, file);
            let folder = needed.map(|needed| python_env::folder(tools_dir, &needed.id));
            groups.entry(folder).or_default().push(file.clone());
        }
        let read = |(folder, files): (Option<PathBuf>, Vec<String>)| match python_modules(
            folder.as_deref(),
        ) {
            Some(reader) => reader.read(tools_dir, &files),
            None => files.into_iter().map(unavailable).collect(),
        };
        groups.into_iter().flat_map(read).collect()
    }

    fn has_environment(&self, tools_dir: &Path, id: &EnvironmentId) -> bool {
        python_env::is_built(tools_dir, id)
    }
}

fn unavailable(file: String) -> ModuleReport {
    let fault = ModuleFault {
        kind: "unavailable".to_owned(),
        message: "this program has no Python host".to_owned(),
        ..ModuleFault::default()
    };
    ModuleReport { file, fault: Some(fault), ..ModuleReport::default() }
}
