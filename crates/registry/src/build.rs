//! Collects a tree of tool directories into a registry, with every fault at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use contract::ToolId;
use rayon::prelude::*;

use crate::check::check_dir;
use crate::code::{Library, Sources};
use crate::environment::{Environment, EnvironmentId, REQUIREMENTS_FILE, environment_of};
use crate::fault::{Code, Fault, Faults, Place, Severity};
use crate::module::{self, ModuleFault, ModuleReader, ModuleReport, SETTINGS_FILE};
use crate::registry::Registry;
use crate::source::slashed;
use crate::tool::Tool;
use crate::tree::{DIRECTORIES_MAX, MODULES_MAX, Tree};

/// What a tree of tools gives: what is good, and everything that is wrong.
#[derive(Debug)]
pub struct Build {
    pub registry: Registry,
    pub faults: Faults,
    /// How many tools were looked at, good or not.
    pub looked_at: usize,
    /// The module files, as faults name them.
    pub modules: Vec<String>,
    /// The Python packages that handlers and modules need.
    pub environments: Vec<Environment>,
}

impl Build {
    /// The errors of module files, their settings and their packages. They cost the tools
    /// they are about, and no others.
    pub fn module_errors(&self) -> impl Iterator<Item = &Fault> {
        let beside = |file: &str| {
            let name = file.rsplit('/').next().unwrap_or_default();
            name == SETTINGS_FILE || name == REQUIREMENTS_FILE
        };
        let errors = self.faults.iter().filter(|fault| fault.severity == Severity::Error);
        errors.filter(move |fault| {
            fault.code == Code::T100
                || self.modules.contains(&fault.place.file)
                || beside(&fault.place.file)
        })
    }

    /// Is anything wrong with tools that are directories?
    pub fn has_errors_outside_modules(&self) -> bool {
        self.faults.count(Severity::Error) > self.module_errors().count()
    }
}

/// Why a tree cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum TreeFault {
    #[error("there is no directory `{0}`")]
    Missing(String),
    #[error("`{0}` is not a directory")]
    NotADirectory(String),
    #[error("the directory `{path}` cannot be read")]
    Unreadable { path: String, source: std::io::Error },
    #[error("`{path}` has {count} directories; at most {DIRECTORIES_MAX} are read")]
    TooMany { path: String, count: usize },
    #[error("`{path}` has {count} Python modules with tools; at most {MODULES_MAX} are read")]
    TooManyModules { path: String, count: usize },
}

/// Reads every tool below `dir` that is a directory, or the one tool that `dir` is.
///
/// Folders that start with `_` or `.` are no tools. `natives` are the ids for which this
/// program has a handler of its own, so that no file is needed. Python modules need a
/// reader ([`read_tools_with`]); here each is a fault.
pub fn read_tools(dir: &Path, natives: &BTreeSet<ToolId>) -> Result<Build, TreeFault> {
    read_tools_with(dir, natives, &NoReader)
}

/// Reads every tool below `dir`: directories, and the modules that `reader` imports.
pub fn read_tools_with(
    dir: &Path,
    natives: &BTreeSet<ToolId>,
    reader: &dyn ModuleReader,
) -> Result<Build, TreeFault> {
    let mut faults = Faults::default();
    let is_single = dir.join("schema.json").exists();
    let sources = Sources::around(dir, is_single);
    let tree = Tree::find(dir, &sources, &mut faults)?;
    let checked: Vec<_> =
        tree.directories.par_iter().map(|path| check_dir(path, path, natives, &sources)).collect();
    let mut collected = Collected::default();
    let mut handlers = Vec::new();
    for (checked, path) in checked.into_iter().zip(&tree.directories) {
        faults.append(checked.faults);
        collected.directory(path, checked.tool, &mut faults);
        handlers.extend(checked.handler);
    }
    let environments = collected.environments(dir, &tree);
    let missing = environments.iter().filter(|environment| {
        let there = reader.has_environment(dir, &environment.id);
        if !there {
            faults.environment_missing(environment);
        }
        !there
    });
    let missing: BTreeSet<_> = missing.map(|environment| &environment.id).collect();
    collected.tools.retain(|_, tool| !is_in(&missing, tool));
    let modules = module::read(dir, &tree.modules, &missing, reader, &mut faults);
    let looked_at = tree.directories.len() + modules.looked_at;
    for (tool, place) in modules.tools {
        collected.item(tool, place, &mut faults);
    }
    let library = Library::gather(dir, &sources, &tree, handlers, &mut faults);
    library.check(dir, &missing, reader, &mut collected.tools, &mut faults);
    let shared = library.link(&mut collected.tools);
    faults.sort();
    let registry = Registry::new(collected.tools, shared);
    let modules = tree.modules.into_iter().map(|file| file.text.path).collect();
    Ok(Build { registry, faults, looked_at, modules, environments })
}

fn is_in(missing: &BTreeSet<&EnvironmentId>, tool: &Tool) -> bool {
    tool.handler.environment.as_ref().is_some_and(|needed| missing.contains(needed))
}

/// The tools so far, each with the place that has its id.
#[derive(Default)]
struct Collected {
    tools: BTreeMap<ToolId, Arc<Tool>>,
    owners: BTreeMap<ToolId, String>,
}

impl Collected {
    fn directory(&mut self, path: &Path, tool: Option<Tool>, faults: &mut Faults) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Ok(id) = ToolId::from_directory(&name) else { return };
        match self.owners.get(&id) {
            Some(first) => faults.duplicate_id(&slashed(path), id.as_str(), first),
            None => {
                self.owners.insert(id.clone(), slashed(path));
                self.tools.extend(tool.map(|tool| (id, Arc::new(tool))));
            }
        }
    }

    fn item(&mut self, tool: Tool, place: Place, faults: &mut Faults) {
        let id = tool.contract.tool_id.clone();
        match self.owners.get(&id) {
            Some(first) => faults.duplicate_item(place, id.as_str(), first),
            None => {
                self.owners.insert(id.clone(), tool.handler.path.clone());
                self.tools.insert(id, Arc::new(tool));
            }
        }
    }

    /// What all tools need, each set of packages once.
    fn environments(&self, dir: &Path, tree: &Tree) -> Vec<Environment> {
        let of_modules = tree.modules.iter().filter_map(|file| file.environment.clone());
        let root = |tool: &Tool| match dir.join("schema.json").exists() {
            true => dir.parent().map(|root| root.join(tool.handler.file())),
            false => Some(dir.join(tool.handler.file())),
        };
        let of_directories = self.tools.values().filter_map(|tool| {
            tool.handler.environment.as_ref()?;
            let path = root(tool)?;
            let tools_dir = path.parent()?.parent()?;
            environment_of(tools_dir, tool.handler.file())
        });
        let mut found: BTreeMap<EnvironmentId, Environment> = BTreeMap::new();
        for environment in of_modules.chain(of_directories) {
            found.entry(environment.id.clone()).or_insert(environment);
        }
        found.into_values().collect()
    }
}

/// The reader of a program without Python.
struct NoReader;

impl ModuleReader for NoReader {
    fn read(&self, _: &Path, files: &[String]) -> Vec<ModuleReport> {
        let fault = ModuleFault {
            kind: "unavailable".to_owned(),
            message: "nothing here can read Python".to_owned(),
            ..ModuleFault::default()
        };
        let report = |file: &String| ModuleReport {
            file: file.clone(),
            fault: Some(fault.clone()),
            ..ModuleReport::default()
        };
        files.iter().map(report).collect()
    }
}
