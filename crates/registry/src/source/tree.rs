//! Finds the tools below a directory: four-file directories, and module files.
//!
//! A folder with none of the four files and a `.py` somewhere below is a folder of modules.
//! Names that start with `_` or `.` are shared code, not tools. A `.py` without the word
//! `TOOLS` is a helper and is not imported.

use std::path::{Path, PathBuf};

use crate::build::TreeFault;
use crate::code::Sources;
use crate::environment::{Environment, PYTHON_LOCK_FILE, needs};
use crate::fault::Faults;
use crate::lock::LOCK_FILE;
use crate::python_module::find_word;
use crate::registry_file::REGISTRY_FILE;
use crate::source::text::{Text, normalised};
use crate::source::{DirectoryEntry, File, ReadFault, entries, read_text, slashed};

/// The content of a tools directory.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub directories: Vec<PathBuf>,
    /// By their names.
    pub modules: Vec<ModuleFile>,
    /// Helpers that modules may import, by their names below the tools directory.
    pub helpers: Vec<String>,
    /// Other files beside modules, which the modules may read.
    pub data: Vec<String>,
}

/// One file with a `TOOLS` list.
#[derive(Debug)]
pub(crate) struct ModuleFile {
    /// Below the tools directory, with `/`.
    pub name: String,
    pub path: PathBuf,
    pub text: Text,
    pub environment: Option<Environment>,
    /// Faults of its requirements.
    pub faults: Faults,
}

/// How many tools one registry may have.
pub(crate) const DIRECTORIES_MAX: usize = 50_000;
pub(crate) const MODULES_MAX: usize = 5_000;
const DEPTH_MAX: usize = 8;
/// Files that this program writes beside the tools.
const OWN_FILES: [&str; 3] = [REGISTRY_FILE, LOCK_FILE, PYTHON_LOCK_FILE];

impl Tree {
    pub(crate) fn find(
        dir: &Path,
        sources: &Sources,
        faults: &mut Faults,
    ) -> Result<Self, TreeFault> {
        let shown = || slashed(dir);
        match dir.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(TreeFault::Missing(shown()));
            }
            Err(source) => return Err(TreeFault::Unreadable { path: shown(), source }),
            Ok(metadata) if !metadata.is_dir() => return Err(TreeFault::NotADirectory(shown())),
            Ok(_) => {}
        }
        let mut tree = Tree::default();
        if dir.join(File::Schema.name()).exists() {
            tree.directories.push(dir.to_owned());
            return Ok(tree);
        }
        std::fs::read_dir(dir).map_err(|source| TreeFault::Unreadable { path: shown(), source })?;
        for entry in entries(dir, &shown(), faults) {
            match entry.is_folder {
                // The `_` folders of the tools directory are digested as a whole.
                true if entry.name.starts_with(['_', '.']) => {}
                // A Python environment contains no tools.
                true if entry.path.join("pyvenv.cfg").exists() => {}
                true if is_module_folder(&entry.path) => {
                    let prefix = format!("{}/", entry.name);
                    tree.walk((dir, sources), &entry.path, &prefix, 1, faults);
                }
                true => tree.directories.push(entry.path),
                false => tree.file((dir, sources), &entry, "", faults),
            }
        }
        tree.modules.sort_by(|one, other| one.name.cmp(&other.name));
        match (tree.directories.len(), tree.modules.len()) {
            (count, _) if count > DIRECTORIES_MAX => {
                Err(TreeFault::TooMany { path: shown(), count })
            }
            (_, count) if count > MODULES_MAX => {
                Err(TreeFault::TooManyModules { path: shown(), count })
            }
            _ => Ok(tree),
        }
    }

    /// A folder of modules; folders of other tools inside it are skipped.
    fn walk(
        &mut self,
        root: (&Path, &Sources),
        folder: &Path,
        prefix: &str,
        depth: usize,
        faults: &mut Faults,
    ) {
        for entry in entries(folder, &slashed(folder), faults) {
            match entry.is_folder {
                true if depth >= DEPTH_MAX || is_closed(&entry) => {}
                true => {
                    let prefix = format!("{prefix}{}/", entry.name);
                    self.walk(root, &entry.path, &prefix, depth + 1, faults);
                }
                false => self.file(root, &entry, prefix, faults),
            }
        }
    }

    fn file(
        &mut self,
        (root, sources): (&Path, &Sources),
        entry: &DirectoryEntry,
        prefix: &str,
        faults: &mut Faults,
    ) {
        let is_ours = prefix.is_empty() && OWN_FILES.contains(&entry.name.as_str());
        if entry.name.starts_with('.') || is_ours {
            return;
        }
        let name = format!("{prefix}{}", entry.name);
        if !entry.name.ends_with(".py") {
            self.data.push(name);
            return;
        }
        let shown = slashed(&entry.path);
        let max = File::HandlerPy.bytes_max();
        let read = match sources.holds(&entry.path) {
            true => read_text(&entry.path, max),
            false => Err(ReadFault::leaves()),
        };
        let raw = match read {
            Ok(raw) => raw.unwrap_or_default(),
            Err(fault) => return faults.not_read(&shown, max, &fault),
        };
        let inside_shared = name.split('/').any(|part| part.starts_with('_'));
        if inside_shared || find_word(&raw, "TOOLS").is_none() {
            sources.put(&name, &normalised(&raw));
            self.helpers.push(name);
            return;
        }
        let text = Text::new(shown, &raw);
        sources.put(&name, &text.content);
        let mut found = Faults::default();
        let environment = needs(root, &entry.path, &text, &mut found);
        faults.append(found.clone());
        let path = entry.path.clone();
        self.modules.push(ModuleFile { name, path, text, environment, faults: found });
    }
}

/// Whether the folder has none of a tool's own files, and a `.py` somewhere below.
pub fn is_module_folder(folder: &Path) -> bool {
    holds_modules(folder, 0)
}

fn holds_modules(folder: &Path, depth: usize) -> bool {
    if folder.join(File::Schema.name()).exists() {
        return false;
    }
    let inside = entries(folder, "", &mut Faults::default());
    if inside.iter().any(|entry| File::ALL.iter().any(|file| file.name() == entry.name)) {
        return false;
    }
    let python = |entry: &DirectoryEntry| {
        (!entry.is_folder && entry.name.ends_with(".py"))
            || (entry.is_folder
                && depth < DEPTH_MAX
                && !is_closed(entry)
                && holds_modules(&entry.path, depth + 1))
    };
    inside.iter().any(python)
}

/// Folders that are not searched for modules. A link could lead anywhere, even in a cycle.
fn is_closed(entry: &DirectoryEntry) -> bool {
    let name = entry.name.as_str();
    name.starts_with('.')
        || name == "__pycache__"
        || name == "node_modules"
        || entry.path.is_symlink()
        || entry.path.join("pyvenv.cfg").exists()
        || entry.path.join(File::Schema.name()).exists()
}
