//! Where the Python host reads modules for the registry, each with the packages it needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use registry::{
    EnvironmentId, HandlerCode, HandlerReport, ModuleReader, ModuleReport, environment_of,
};

use crate::python::environment;
use crate::python::hosts::{PythonSettings, discover};
use crate::wiring::check_handlers::check_handlers;

/// Reads each module with the packages it needs.
pub(crate) struct Modules(pub PythonSettings);

impl ModuleReader for Modules {
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
