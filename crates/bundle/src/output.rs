//! The folder that is embedded in the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::Folder;
use crate::fault::Faults;
use crate::graph::{below, mounted};

/// Writes the bundles, and the files of the folder that are in none of them.
pub(crate) fn write<'t>(
    own: &Folder,
    bundled: &BTreeSet<&str>,
    texts: impl Iterator<Item = (&'t str, String)>,
    to: &Path,
) -> Result<(), Faults> {
    if to.exists() {
        fs::remove_dir_all(to).map_err(|error| Faults::io(to, &error))?;
    }
    for file in files(&own.path)? {
        if !bundled.contains(mounted(own, &file).as_str()) {
            let from = own.path.join(&file);
            let bytes = fs::read(&from).map_err(|error| Faults::io(&from, &error))?;
            put(&to.join(&file), &bytes)?;
        }
    }
    for (name, text) in texts {
        put(&to.join(below(own, name).unwrap_or(name)), text.as_bytes())?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Faults> {
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, bytes)
    };
    write().map_err(|error| Faults::io(path, &error))
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> Result<Vec<String>, Faults> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        let entries = fs::read_dir(&path).map_err(|error| Faults::io(&path, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Faults::io(&path, &error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let name = if inner.is_empty() { name } else { format!("{inner}/{name}") };
            match entry.path().is_dir() {
                true => folders.push(name),
                false => found.push(name),
            }
        }
    }
    found.sort();
    Ok(found)
}
