//! Copies the files of a folder: planned as a whole first, then each written whole.

use std::path::{Path, PathBuf};

use anyhow::Context;
use registry::write_atomically;

use crate::exit::Failure;

const FILES_MAX: usize = 2_000;
const BYTES_MAX: u64 = 64 << 20;
const DEPTH_MAX: usize = 12;

/// The files below a folder that belong to tools, with `/` between names.
///
/// Hidden names, caches, environments and links stay where they are.
pub(super) fn find_files(root: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        let listing = std::fs::read_dir(&folder)
            .with_context(|| format!("`{}` cannot be read", folder.display()))?;
        for entry in listing {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let path = entry.path();
            let stays = name.starts_with('.') || name == "__pycache__" || name == "node_modules";
            let ours = ["tools.lock", "python.lock", "tool_registry.json"].contains(&name.as_str());
            // What a tool may do is said by whoever runs it, not by where it came from.
            let stays = stays || name == registry::SETTINGS_FILE;
            if stays || kind.is_symlink() || (prefix.is_empty() && ours) {
                continue;
            }
            if kind.is_file() {
                found.push(format!("{prefix}{name}"));
            } else if depth < DEPTH_MAX && !path.join("pyvenv.cfg").exists() {
                folders.push((path, format!("{prefix}{name}/"), depth + 1));
            }
        }
        if found.len() > FILES_MAX {
            let what = format!("`{}` has more than {FILES_MAX} files", root.display());
            return Err(Failure::message(what, "name the folder of the tools alone"));
        }
    }
    found.sort();
    if !found.iter().any(|name| name.ends_with(".py")) {
        let what = format!("there is no Python file in `{}`", root.display());
        return Err(Failure::message(what, "name a folder with Python tools"));
    }
    Ok(found)
}

/// What is to be copied where.
pub(super) struct Copies {
    files: Vec<(String, PathBuf, Vec<u8>)>,
    /// Names that are there already, with other content.
    pub differing: Vec<String>,
}

impl Copies {
    /// Reads every file, and finds out what would be replaced; nothing is written.
    pub(super) fn plan(from: &Path, into: &Path, names: Vec<String>) -> Result<Self, Failure> {
        let same =
            from.canonicalize().ok().is_some_and(|from| into.canonicalize().ok() == Some(from));
        if same {
            let what = format!("`{}` is where the tools are already", from.display());
            return Err(Failure::message(
                what,
                "`ghosthand check` and `ghosthand lock` do the rest",
            ));
        }
        let mut copies = Copies { files: Vec::new(), differing: Vec::new() };
        let mut bytes = 0;
        for name in names {
            let source = from.join(&name);
            let context = || format!("`{}` cannot be read", source.display());
            bytes += source.metadata().with_context(context)?.len();
            if bytes > BYTES_MAX {
                let what = format!("`{}` holds more than {} MiB", from.display(), BYTES_MAX >> 20);
                return Err(Failure::message(what, "name the folder of the tools alone"));
            }
            let content = std::fs::read(&source).with_context(context)?;
            let target = into.join(&name);
            match std::fs::read(&target) {
                Ok(there) if there != content => copies.differing.push(name.clone()),
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    copies.differing.push(name.clone());
                }
                Ok(_) | Err(_) => {}
            }
            copies.files.push((name, target, content));
        }
        Ok(copies)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, ..)| name.as_str())
    }

    pub(super) fn write(&self) -> Result<(), Failure> {
        for (_, target, content) in &self.files {
            let context = || format!("`{}` cannot be written", target.display());
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).with_context(context)?;
            }
            write_atomically(target, content).with_context(context)?;
        }
        Ok(())
    }
}
