//! The prompts and resources of a project.
//!
//! In: a project's folder with `prompts/NAME.md` and `resources.toml`. Out: a [`Library`], and
//! every fault in those files.
//!
//! Must hold: nothing outside the project is read, and every size is bounded.
//!
//! Start at [`Library::read`].

mod confined;
mod fault;
mod mime;
mod prompt;
mod resource;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use fault::LibraryFault;
pub use prompt::{Argument, Prompt};
pub use resource::Resource;

pub(crate) use confined::{FileFault, read_file};
pub(crate) use prompt::{Message, MessageContent, Speaker};
use resource::ResourceTable;
pub(crate) use resource::{Content, Found};

/// The media type of an image or audio file, by its name.
pub(crate) fn media_type(path: &str) -> &'static str {
    mime::type_of(Path::new(path))
}

/// The folder of the prompts.
pub const PROMPTS: &str = "prompts";
/// The file that lists the resources.
pub const RESOURCES: &str = "resources.toml";

const PROMPTS_MAX: usize = 200;
const PROMPT_BYTES_MAX: u64 = 64 << 10;
const RESOURCES_BYTES_MAX: u64 = 1 << 20;

/// The checked prompts and resources of one project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Library {
    /// The canonical path of the project.
    root: PathBuf,
    prompts: BTreeMap<String, Prompt>,
    resources: Vec<Resource>,
}

impl Library {
    /// Reads a project. Leaves faulty entries out and reports them.
    pub fn read(project: &Path) -> (Self, Vec<LibraryFault>) {
        let mut faults = Vec::new();
        let root = match project.canonicalize() {
            Ok(root) => root,
            Err(error) => {
                let file = project.display().to_string();
                faults.push(LibraryFault::unreadable(&file, &error));
                return (Self::default(), faults);
            }
        };
        let named = read_resources(&root, &mut faults);
        let prompts = read_prompts(&root, &named, &mut faults);
        (Self { root, prompts, resources: named.resources }, faults)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Sorted by name.
    pub fn prompts(&self) -> impl Iterator<Item = &Prompt> {
        self.prompts.values()
    }

    pub fn prompt(&self, name: &str) -> Option<&Prompt> {
        self.prompts.get(name)
    }

    /// Sorted by URI.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.resources.iter()
    }

    /// The resource at a URI; exact URIs take precedence over templates.
    pub(crate) fn find(&self, uri: &str) -> Option<Found<'_>> {
        let (templates, plain): (Vec<_>, Vec<_>) =
            self.resources.iter().partition(|resource| resource.is_template());
        plain.into_iter().chain(templates).find_map(|resource| resource.at(uri))
    }
}

fn read_resources(root: &Path, faults: &mut Vec<LibraryFault>) -> ResourceTable {
    match small_text(&root.join(RESOURCES), RESOURCES, RESOURCES_BYTES_MAX) {
        Ok(Some(text)) => resource::parse(root, &text, faults),
        Ok(None) => ResourceTable::default(),
        Err(fault) => {
            faults.push(fault);
            ResourceTable::default()
        }
    }
}

fn read_prompts(
    root: &Path,
    named: &ResourceTable,
    faults: &mut Vec<LibraryFault>,
) -> BTreeMap<String, Prompt> {
    let mut paths = match prompt_files(root) {
        Ok(paths) => paths,
        Err(error) => {
            faults.push(LibraryFault::unreadable(PROMPTS, &error));
            return BTreeMap::new();
        }
    };
    if paths.len() > PROMPTS_MAX {
        faults.push(LibraryFault::too_many_prompts(paths.len(), PROMPTS_MAX));
        paths.truncate(PROMPTS_MAX);
    }
    let mut prompts = BTreeMap::new();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = format!("{PROMPTS}/{stem}.md");
        match small_text(&path, &file, PROMPT_BYTES_MAX) {
            Ok(text) => {
                let text = text.unwrap_or_default();
                let parsed = prompt::parse(root, named, &stem, &text, faults);
                prompts.extend(parsed.map(|prompt| (stem, prompt)));
            }
            Err(fault) => faults.push(fault),
        }
    }
    prompts
}

/// The files in `prompts`, sorted by name; none if the folder does not exist.
fn prompt_files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(root.join(PROMPTS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.extension().is_some_and(|ending| ending == "md") && !hidden {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The text of a small file; `None` if it does not exist.
fn small_text(path: &Path, file: &str, bytes_max: u64) -> Result<Option<String>, LibraryFault> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LibraryFault::unreadable(file, &error)),
    };
    if size > bytes_max {
        return Err(LibraryFault::too_large(file, size, bytes_max));
    }
    let text = std::fs::read_to_string(path);
    text.map(Some).map_err(|error| LibraryFault::unreadable(file, &error))
}

#[cfg(test)]
mod tests;
