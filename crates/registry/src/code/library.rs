//! All code of a tools directory: which tool can load what, whether it compiles, and its digests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use contract::{Code, Digest, ToolId, canonical_bytes};

use super::python::{Python, python_tree};
use super::{HandlerCode, HandlerReport, Loaded, Sources};
use crate::check::FoundHandler;
use crate::environment::{EnvironmentId, PYTHON_LOCK_FILE, locked_versions};
use crate::fault::Faults;
use crate::python_module::ModuleReader;
use crate::registry::Shared;
use crate::source::tree::Tree;
use crate::source::{digest_files, directory_files, shared_files, slashed};
use crate::tool::{HandlerKind, Tool};

/// The code of every tool, valid or not.
pub(crate) struct Library {
    handlers: Vec<FoundHandler>,
    python: Option<Python>,
    /// The installed packages of each environment.
    versions: BTreeMap<EnvironmentId, Loaded>,
    shared: Digest,
    root: String,
}

impl Library {
    pub(crate) fn gather(
        dir: &Path,
        sources: &Sources,
        tree: &Tree,
        handlers: Vec<FoundHandler>,
        faults: &mut Faults,
    ) -> Self {
        let is_single = tree.directories.as_slice() == [dir.to_owned()];
        let root = match is_single {
            false => slashed(dir),
            true => dir.parent().map(slashed).filter(|root| !root.is_empty()).unwrap_or(".".into()),
        };
        let folders = shared_files(sources.root(), &root, faults);
        let mut helpers = folders.clone();
        helpers.extend_from_slice(&tree.helpers);
        // Unreadable files are reported below, for the tools that need them.
        let shared = digest_files(&helpers, sources, "", &root, &mut Faults::default());
        let is_python = |found: &&FoundHandler| found.handler.kind == HandlerKind::Python;
        let has_python = handlers.iter().any(|found| is_python(&found)) || !tree.modules.is_empty();
        let python = has_python.then(|| {
            let mut names: BTreeSet<String> = folders.into_iter().collect();
            names.extend(handlers.iter().filter(is_python).flat_map(|found| found.files.clone()));
            match is_single {
                false => add_modules(tree, &mut names),
                true => add_surrounding_files(sources, &mut names),
            }
            python_tree(&names, sources, &root, faults)
        });
        let versions = locked_versions(sources.root());
        let versions = versions.into_iter().map(|(id, versions)| {
            let mut loaded = Loaded::default();
            loaded.add(PYTHON_LOCK_FILE, &canonical_bytes(&versions));
            (id, loaded)
        });
        Library { handlers, python, versions: versions.collect(), shared, root }
    }

    /// Compiles every handler. Out: for each, its path and its faults.
    pub(crate) fn check(
        &self,
        dir: &Path,
        missing: &BTreeMap<&EnvironmentId, Faults>,
        reader: &dyn ModuleReader,
    ) -> Vec<(String, Faults)> {
        let needs_missing = |found: &&FoundHandler| {
            let needed = found.handler.environment.as_ref();
            needed.is_some_and(|needed| missing.contains_key(needed))
        };
        let found: Vec<&FoundHandler> = self
            .handlers
            .iter()
            .filter(|found| found.handler.kind != HandlerKind::Native && found.text.is_some())
            .filter(|found| !needs_missing(found))
            .collect();
        if found.is_empty() {
            return Vec::new();
        }
        let handlers: Vec<_> = found.iter().map(|found| self.handler_code(found)).collect();
        let reports = reader.check_handlers(dir, &handlers);
        let mut checked = Vec::new();
        let mut unchecked: BTreeMap<String, usize> = BTreeMap::new();
        for ((found, handler), report) in found.iter().zip(&handlers).zip(reports) {
            let mut faults = Faults::default();
            match report {
                HandlerReport::Checked(list) => {
                    for fault in &list {
                        faults.code_fault(&self.root, &handler.code, handler.kind, fault);
                    }
                }
                HandlerReport::Unchecked { because } => {
                    if !because.is_empty() {
                        *unchecked.entry(because).or_default() += 1;
                    }
                    if let Some(text) = &found.text {
                        crate::check::check_handler_text(handler.kind, text, &mut faults);
                    }
                }
            }
            checked.push((found.handler.path.clone(), faults));
        }
        for (because, count) in unchecked {
            let mut faults = Faults::default();
            faults.handlers_unchecked(&self.root, count, &because);
            checked.push((self.root.clone(), faults));
        }
        checked
    }

    /// Sets the code of every tool and the digest of its shared code.
    pub(crate) fn link(&self, tools: &mut BTreeMap<ToolId, Arc<Tool>>) -> Shared {
        let by_path: BTreeMap<&str, &FoundHandler> =
            self.handlers.iter().map(|found| (found.handler.path.as_str(), found)).collect();
        let mut of_modules: BTreeMap<String, Loaded> = BTreeMap::new();
        let mut files: BTreeMap<String, Digest> = BTreeMap::new();
        for tool in tools.values_mut().map(Arc::make_mut) {
            let file = tool.handler.file().to_owned();
            let mut loaded = Loaded::default();
            match (by_path.get(tool.handler.path.as_str()), tool.handler.kind, &self.python) {
                (Some(found), HandlerKind::JavaScript, _) => {
                    tool.code = Arc::clone(&found.code);
                    loaded.0.extend(found.loaded.0.clone());
                }
                (found, HandlerKind::Python, Some(python)) => {
                    tool.code = Arc::clone(&python.code);
                    let of_file = of_modules.entry(file.clone()).or_insert_with(|| {
                        let own = found.map(|found| found.files.as_slice()).unwrap_or_default();
                        python.loaded_by(&file, |name| {
                            name == file || own.iter().any(|own| own == name)
                        })
                    });
                    loaded.0.extend(of_file.0.clone());
                    let environment = tool.handler.environment.as_ref();
                    let versions = environment.and_then(|id| self.versions.get(id));
                    loaded.0.extend(versions.map(|held| held.0.clone()).unwrap_or_default());
                }
                _ => {}
            }
            tool.digests.shared = loaded.digest();
            files.extend(loaded.0);
        }
        Shared { digest: self.shared, files: Arc::new(files) }
    }

    fn handler_code(&self, found: &FoundHandler) -> HandlerCode {
        let code = match (found.handler.kind, &self.python) {
            (HandlerKind::Python, Some(python)) => Arc::clone(&python.code),
            _ => Arc::<Code>::clone(&found.code),
        };
        HandlerCode {
            kind: found.handler.kind,
            file: found.handler.file().to_owned(),
            code,
            environment: found.handler.environment.clone(),
        }
    }
}

/// The Python files of module folders, and the files beside them.
fn add_modules(tree: &Tree, names: &mut BTreeSet<String>) {
    names.extend(tree.modules.iter().map(|file| file.name.clone()));
    names.extend(tree.helpers.iter().cloned());
    names.extend(tree.data.iter().cloned());
}

/// One tool is checked alone, and may import files around it. Faults of other tools are not
/// reported.
fn add_surrounding_files(sources: &Sources, names: &mut BTreeSet<String>) {
    let mut faults = Faults::default();
    let Ok(tree) = Tree::find(sources.root(), sources, &mut faults) else { return };
    add_modules(&tree, names);
    for directory in tree.directories.iter().filter(|path| path.join("handler.py").exists()) {
        names.extend(directory_files(directory, &mut faults));
    }
}
