//! A folder as an open handle: every operation is relative to it and does not follow links.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, fchmod, flock, fstat, fsync,
    mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

use super::folder::{EntryKind, Folder, FolderEntry, FolderFault, ReplaceFault, draft_name};

pub(super) struct OpenFolder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
// Without NONBLOCK, opening a named pipe would wait for a writer.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Folder for OpenFolder {
    type Lock = OwnedFd;

    fn project(path: &Path) -> Result<Self, FolderFault> {
        Ok(OpenFolder(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    fn enter(&self, name: &str) -> Result<Self, FolderFault> {
        Ok(OpenFolder(openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
    }

    fn make(&self, name: &str) -> Result<(), FolderFault> {
        match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self, name: &str) -> Result<File, FolderFault> {
        let file = openat(&self.0, name, FILE, Mode::empty())?;
        match FileType::from_raw_mode(fstat(&file)?.st_mode).is_file() {
            true => Ok(File::from(file)),
            false => Err(FolderFault::NotPlain),
        }
    }

    fn entries(&self, max: usize) -> Result<Vec<FolderEntry>, FolderFault> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == "." || name == ".." {
                continue;
            }
            if entries.len() == max {
                break;
            }
            entries.push(FolderEntry { kind: self.kind_of(name)?, name: name.to_owned() });
        }
        Ok(entries)
    }

    fn lock(&self) -> Result<OwnedFd, FolderFault> {
        // A separate handle: locks of one handle do not exclude each other.
        let handle = openat(&self.0, ".", FOLDER, Mode::empty())?;
        retry_on_intr(|| flock(&handle, FlockOperation::LockExclusive))?;
        Ok(handle)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), ReplaceFault> {
        let draft = draft_name();
        let drafted = self.draft(&draft, name, bytes).and_then(|()| {
            renameat(&self.0, draft.as_str(), &self.0, name).map_err(io::Error::from)
        });
        if let Err(error) = drafted {
            let _ = unlinkat(&self.0, draft.as_str(), AtFlags::empty()); // it may not exist
            return Err(ReplaceFault::NotDone(error));
        }
        fsync(&self.0).map_err(|_| ReplaceFault::Unsure)
    }
}

impl OpenFolder {
    fn kind_of(&self, name: &str) -> Result<EntryKind, FolderFault> {
        let stat = match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(EntryKind::Other), // gone since it was listed
            Err(error) => return Err(error.into()),
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind.is_file() {
            return Ok(EntryKind::File { size: u64::try_from(stat.st_size).unwrap_or(0) });
        }
        Ok(if kind.is_dir() { EntryKind::Folder } else { EntryKind::Other })
    }

    /// Writes the new content to a draft with the permissions of the old file.
    fn draft(&self, draft: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::from(openat(&self.0, draft, NEW_FILE, Mode::from_raw_mode(0o666))?);
        if let Ok(old) = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o777))?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    }
}

impl From<Errno> for FolderFault {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT => FolderFault::Missing,
            Errno::LOOP | Errno::NOTDIR | Errno::ISDIR | Errno::MLINK | Errno::NXIO => {
                FolderFault::NotPlain
            }
            error => FolderFault::Io(error.into()),
        }
    }
}
