//! Builds a registry from a tree of tool directories, and collects every fault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::ToolId;
use rayon::prelude::*;

use crate::check::check_dir;
use crate::code::{Library, Sources};
use crate::environment::{Environment, EnvironmentId, environment_of};
use crate::excluded::{ExcludedTool, unclaimed};
use crate::fault::{Code, Faults, SourceLocation};
use crate::python_module::{self, ModuleFault, ModuleReader, ModuleReport};
use crate::registry::Registry;
use crate::source::slashed;
use crate::source::tree::{DIRECTORIES_MAX, MODULES_MAX, Tree};
use crate::tool::Tool;

/// The result of reading a tree of tools: the valid tools and all faults.
#[derive(Debug)]
pub struct Build {
    pub registry: Registry,
    pub faults: Faults,
    /// How many tools were read, valid or not.
    pub looked_at: usize,
    /// The module files, as faults name them.
    pub modules: Vec<String>,
    /// The Python packages that handlers and modules need.
    pub environments: Vec<Environment>,
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

/// Reads every tool directory below `dir`, or `dir` itself if it is one tool.
///
/// Folders that start with `_` or `.` are not tools. `natives` are the ids for which this
/// program has a native handler, so that no file is needed. Python modules need a
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
    let checked =
        tree.directories.par_iter().map(|path| check_dir(&named(path), path, natives, &sources));
    let checked: Vec<_> = checked.collect();
    let mut collected = Collected::default();
    let mut handlers = Vec::new();
    let mut looked_at = 0;
    for (checked, path) in checked.into_iter().zip(&tree.directories) {
        // A folder without any of a tool's files is reported, and is not a tool.
        let is_tool = checked.faults.iter().all(|fault| fault.code != Code::T104);
        looked_at += usize::from(is_tool);
        collected.directory(path, checked.tool, checked.faults, &mut faults);
        handlers.extend(checked.handler);
    }
    let environments = collected.environments(dir, &tree);
    let mut missing = BTreeMap::new();
    for environment in &environments {
        if !reader.has_environment(dir, &environment.id) {
            let mut found = Faults::default();
            found.environment_missing(environment);
            faults.append(found.clone());
            missing.insert(&environment.id, found);
        }
    }
    collected.without(&missing);
    let modules = python_module::read(dir, &tree.modules, &missing, reader, &mut faults);
    looked_at += modules.looked_at;
    collected.left_out.extend(modules.left_out);
    for (tool, place) in modules.tools {
        collected.item(tool, place, &mut faults);
    }
    let library = Library::gather(dir, &sources, &tree, handlers, &mut faults);
    for (path, found) in library.check(dir, &missing, reader) {
        collected.broken(&path, found, &mut faults);
    }
    let shared = library.link(&mut collected.tools);
    faults.sort();
    let left_out = collected.left_out(dir, &faults);
    let registry = Registry::new(collected.tools, shared).with_excluded(left_out);
    let modules = tree.modules.into_iter().map(|file| file.text.path).collect();
    Ok(Build { registry, faults, looked_at, modules, environments })
}

/// The directory's path with its real name, also for `.` and `..`.
fn named(path: &Path) -> PathBuf {
    match path.file_name() {
        Some(_) => path.to_owned(),
        None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    }
}

/// The tools so far, each with the location of its id, and the excluded ones.
#[derive(Default)]
struct Collected {
    tools: BTreeMap<ToolId, Arc<Tool>>,
    owners: BTreeMap<ToolId, String>,
    left_out: Vec<ExcludedTool>,
}

impl Collected {
    /// Adds the tool of a directory, or records why it is excluded.
    fn directory(
        &mut self,
        path: &Path,
        tool: Option<Tool>,
        mut found: Faults,
        faults: &mut Faults,
    ) {
        let shown = slashed(path);
        let name = named(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = ToolId::from_directory(&name).ok();
        let first = id.as_ref().and_then(|id| self.owners.get(id));
        if let (Some(id), Some(first)) = (&id, first) {
            found.duplicate_id(&shown, id.as_str(), first);
        }
        match (id, tool) {
            (Some(id), Some(tool)) if !found.has_errors() => {
                self.owners.insert(id.clone(), shown);
                self.tools.insert(id, Arc::new(tool));
            }
            (id, _) => {
                let called = id.as_ref().map_or(name.as_str(), ToolId::as_str);
                self.left_out.extend(ExcludedTool::new(called, shown.as_str(), &found));
                if let Some(id) = id {
                    self.owners.entry(id).or_insert(shown);
                }
            }
        }
        faults.append(found);
    }

    /// Excludes the tools whose packages are not installed.
    fn without(&mut self, missing: &BTreeMap<&EnvironmentId, Faults>) {
        let left_out = &mut self.left_out;
        self.tools.retain(|id, tool| {
            let needed = tool.handler.environment.as_ref();
            let Some(found) = needed.and_then(|needed| missing.get(needed)) else { return true };
            let path = self.owners.get(id).map(String::as_str);
            left_out.extend(ExcludedTool::new(id.as_str(), path.unwrap_or_default(), found));
            false
        });
    }

    /// Records the compiler's report for one handler; an error excludes its tool.
    fn broken(&mut self, path: &str, found: Faults, faults: &mut Faults) {
        let (left_out, owners) = (&mut self.left_out, &self.owners);
        self.tools.retain(|id, tool| {
            if tool.handler.path != path || !found.has_errors() {
                return true;
            }
            let directory = owners.get(id).map(String::as_str).unwrap_or_default();
            left_out.extend(ExcludedTool::new(id.as_str(), directory, &found));
            false
        });
        faults.append(found);
    }

    /// Everything that is excluded, once all faults are known.
    fn left_out(&self, dir: &Path, faults: &Faults) -> Vec<ExcludedTool> {
        let is_gone = |id: &ToolId| !self.tools.contains_key(id);
        let gone = self.owners.iter().filter(|(id, _)| is_gone(id));
        let gone: Vec<_> = gone.map(|(id, path)| (id.as_str(), path.as_str())).collect();
        let mut left_out = self.left_out.clone();
        for one in unclaimed(&slashed(dir), faults, &left_out, &gone) {
            match left_out.iter_mut().find(|known| known.name == one.name && known.path == one.path)
            {
                Some(known) => known.faults.extend(one.faults),
                None => left_out.push(one),
            }
        }
        left_out
    }

    fn item(&mut self, tool: Tool, place: SourceLocation, faults: &mut Faults) {
        let id = tool.contract.tool_id.clone();
        match self.owners.get(&id) {
            Some(first) => {
                let (mut found, path) = (Faults::default(), place.file.clone());
                found.duplicate_item(place, id.as_str(), first);
                self.left_out.extend(ExcludedTool::new(id.as_str(), path, &found));
                faults.append(found);
            }
            None => {
                self.owners.insert(id.clone(), tool.handler.path.clone());
                self.tools.insert(id, Arc::new(tool));
            }
        }
    }

    /// The environments of all tools, each once.
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
            message: "this program has no Python reader".to_owned(),
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
