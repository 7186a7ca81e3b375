//! A folder by its path, for systems without folder handles.
//!
//! Each step first checks that the name is not a link and, after opening, that the path is
//! still inside the project. Between the two, another *process* could replace a folder by a
//! link; a handler cannot, because it cannot create links.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::folder::{EntryKind, Folder, FolderEntry, FolderFault, ReplaceFault, draft_name};

pub(super) struct NamedFolder {
    /// Canonical, without links.
    project: PathBuf,
    path: PathBuf,
}

/// Locks shared by all folders; the hash of the path selects one.
static LOCKS: [Mutex<()>; 16] = [const { Mutex::new(()) }; 16];

impl Folder for NamedFolder {
    type Lock = MutexGuard<'static, ()>;

    fn project(path: &Path) -> Result<Self, FolderFault> {
        let project = fs::canonicalize(path)?;
        Ok(NamedFolder { path: project.clone(), project })
    }

    fn enter(&self, name: &str) -> Result<Self, FolderFault> {
        let path = self.path.join(name);
        match metadata_of(&path)?.is_dir() {
            true => Ok(NamedFolder { path: self.inside(&path)?, project: self.project.clone() }),
            false => Err(FolderFault::NotPlain),
        }
    }

    fn make(&self, name: &str) -> Result<(), FolderFault> {
        match fs::create_dir(self.path.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn open(&self, name: &str) -> Result<File, FolderFault> {
        let path = self.path.join(name);
        if !metadata_of(&path)?.is_file() {
            return Err(FolderFault::NotPlain);
        }
        let file = File::open(&path)?;
        self.inside(&path)?;
        Ok(file)
    }

    fn entries(&self, max: usize) -> Result<Vec<FolderEntry>, FolderFault> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.path)?.take(max) {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            let kind = match fs::symlink_metadata(self.path.join(&name)) {
                Ok(found) if found.is_file() => EntryKind::File { size: found.len() },
                Ok(found) if found.is_dir() => EntryKind::Folder,
                Ok(_) | Err(_) => EntryKind::Other,
            };
            entries.push(FolderEntry { name, kind });
        }
        Ok(entries)
    }

    fn lock(&self) -> Result<Self::Lock, FolderFault> {
        let mut hasher = DefaultHasher::new();
        self.path.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % LOCKS.len() as u64).unwrap_or(0);
        Ok(LOCKS[index].lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), ReplaceFault> {
        let draft = self.path.join(draft_name());
        let write = || {
            let mut file = File::create_new(&draft)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&draft, self.path.join(name))
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&draft); // it may not exist
            ReplaceFault::NotDone(error)
        })
    }
}

impl NamedFolder {
    fn inside(&self, path: &Path) -> Result<PathBuf, FolderFault> {
        let path = fs::canonicalize(path)?;
        match path.starts_with(&self.project) {
            true => Ok(path),
            false => Err(FolderFault::NotPlain),
        }
    }
}

/// The metadata of the entry itself; links are refused.
fn metadata_of(path: &Path) -> Result<Metadata, FolderFault> {
    let found = fs::symlink_metadata(path)?;
    match found.is_symlink() {
        true => Err(FolderFault::NotPlain),
        false => Ok(found),
    }
}

impl From<io::Error> for FolderFault {
    fn from(error: io::Error) -> Self {
        let kind = error.kind();
        if kind == io::ErrorKind::NotFound {
            return FolderFault::Missing;
        }
        let is_other = [io::ErrorKind::NotADirectory, io::ErrorKind::IsADirectory].contains(&kind);
        if is_other { FolderFault::NotPlain } else { FolderFault::Io(error) }
    }
}
