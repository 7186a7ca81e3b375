//! Copies a set of files, all or nothing.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::exit::{Failure, make_folder_of, not_read, not_written};

const BYTES_MAX: u64 = 16 << 20;

/// The files to copy, with their contents.
pub(super) struct Copies {
    files: Vec<(String, Vec<u8>)>,
}

impl Copies {
    /// Reads the files; nothing is written.
    pub(super) fn read<'a>(
        from: &Path,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<Self, Failure> {
        let mut copies = Copies { files: Vec::new() };
        let mut bytes = 0;
        for name in names {
            let source = from.join(name);
            let unread = |error: std::io::Error| not_read(&source, error);
            bytes += source.metadata().map_err(unread)?.len();
            if bytes > BYTES_MAX {
                let what = format!("the files are larger than {} MiB in total", BYTES_MAX >> 20);
                return Err(Failure::message(what, "choose only the folder of the tools"));
            }
            copies.files.push((name.clone(), std::fs::read(&source).map_err(unread)?));
        }
        Ok(copies)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// Keeps only these files.
    pub(super) fn only(mut self, names: &[&String]) -> Self {
        self.files.retain(|(name, _)| names.contains(&name));
        self
    }

    /// The names that exist with other content, and those that do not exist.
    pub(super) fn compare(&self, into: &Path) -> (Vec<String>, Vec<String>) {
        let (mut differing, mut new) = (Vec::new(), Vec::new());
        for (name, content) in &self.files {
            match std::fs::read(into.join(name)) {
                Ok(there) if there == *content => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    new.push(name.clone());
                }
                Ok(_) | Err(_) => differing.push(name.clone()),
            }
        }
        (differing, new)
    }

    /// Writes the files to a private folder.
    pub(super) fn put(&self, folder: &Path) -> Result<(), Failure> {
        for (name, content) in &self.files {
            let target = folder.join(name);
            make_folder_of(&target)?;
            std::fs::write(&target, content).map_err(|error| not_written(&target, error))?;
        }
        Ok(())
    }

    /// Writes all files into a folder, or none.
    pub(super) fn write(&self, into: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(into).map_err(|error| not_written(into, error))?;
        let draft = tempfile::Builder::new().prefix(".import-").tempdir_in(into);
        let draft = draft.map_err(|error| not_written(into, error))?;
        self.put(&draft.path().join("new"))?;
        let mut moved = Vec::new();
        for (name, _) in &self.files {
            if let Err(failure) = move_in(name, into, draft.path(), &mut moved) {
                moved.into_iter().rev().for_each(Moved::back);
                return Err(failure);
            }
        }
        Ok(())
    }
}

/// Moves one file into place; the old one is kept in the draft folder.
fn move_in(name: &str, into: &Path, draft: &Path, moved: &mut Vec<Moved>) -> Result<(), Failure> {
    let (source, target) = (draft.join("new").join(name), into.join(name));
    let kept = draft.join("old").join(name);
    make_folder_of(&target)?;
    make_folder_of(&kept)?;
    let was_there = target.symlink_metadata().is_ok();
    if was_there {
        std::fs::rename(&target, &kept).map_err(|error| not_written(&target, error))?;
    }
    let kept = was_there.then_some(kept);
    let renamed = std::fs::rename(&source, &target)
        .with_context(|| format!("`{}` cannot be written", target.display()));
    moved.push(Moved { target, kept });
    Ok(renamed?)
}

/// A file that was moved into place, and the old one.
struct Moved {
    target: PathBuf,
    kept: Option<PathBuf>,
}

impl Moved {
    fn back(self) {
        // The failure that led here is reported; this one adds nothing.
        let _ = match self.kept {
            Some(kept) => std::fs::rename(kept, &self.target),
            None => std::fs::remove_file(&self.target),
        };
    }
}
