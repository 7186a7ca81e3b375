//! What has happened in the folder of posts since the last question, as the kernel tells it.
//!
//! With it a question about 10,000 posts costs one read of a queue instead of a look at each file.
//! There is no thread: a change is in the queue before the call that made it returns. Only Linux
//! has it, and only for folders on this machine; elsewhere the folder is scanned from time to time.
//! A write through a memory map is not told; editors do not write like that.

use std::collections::BTreeSet;

/// What happened in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happened {
    /// These posts came, went or changed.
    Names(BTreeSet<String>),
    /// The watch has ended or missed something: look at everything and watch anew.
    Unknown,
}

pub(super) use imp::FolderWatch;

#[cfg(target_os = "linux")]
mod imp {
    use std::collections::BTreeSet;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::Happened;
    use crate::posts::folder::is_post;

    /// The kernel's buffer of events is read in parts of this size.
    const PART_BYTES: usize = 16 << 10;

    /// File systems of this machine: only here are all changes told. The numbers are those of
    /// `linux/magic.h`: ext, btrfs, xfs, f2fs, bcachefs, zfs, tmpfs and overlays of these.
    const LOCAL: [u32; 8] = [
        0xef53,
        0x9123_683e,
        0x5846_5342,
        0xf2f5_2010,
        0xca45_1a4e,
        0x2fc1_2fc1,
        0x0102_1994,
        0x794c_7630,
    ];

    #[derive(Debug)]
    pub(in crate::posts) struct FolderWatch(OwnedFd);

    impl FolderWatch {
        /// Watches from now on; none if that is not possible here.
        pub(in crate::posts) fn start(folder: &Path) -> Option<Self> {
            let kind = rustix::fs::statfs(folder).ok()?.f_type;
            if !LOCAL.iter().any(|local| i64::from(*local) == kind as i64) {
                return None;
            }
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let what = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            inotify::add_watch(&queue, folder, what).ok()?;
            Some(Self(queue))
        }

        /// What has happened since it was last asked.
        pub(in crate::posts) fn happened(&self) -> Happened {
            let lost = ReadFlags::QUEUE_OVERFLOW
                | ReadFlags::IGNORED
                | ReadFlags::UNMOUNT
                | ReadFlags::DELETE_SELF
                | ReadFlags::MOVE_SELF;
            let mut part = [MaybeUninit::uninit(); PART_BYTES];
            let mut queue = Reader::new(&self.0, &mut part);
            let mut names = BTreeSet::new();
            loop {
                let event = match queue.next() {
                    Ok(event) => event,
                    Err(Errno::WOULDBLOCK) => return Happened::Names(names),
                    Err(Errno::INTR) => continue,
                    Err(_) => return Happened::Unknown,
                };
                if event.events().intersects(lost) {
                    return Happened::Unknown;
                }
                let name = event.file_name().filter(|name| is_post(name.to_bytes()));
                if let Some(name) = name.and_then(|name| name.to_str().ok()) {
                    names.insert(name.to_owned());
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::path::Path;

    use super::Happened;

    #[derive(Debug)]
    pub(in crate::posts) struct FolderWatch;

    impl FolderWatch {
        pub(in crate::posts) fn start(_folder: &Path) -> Option<Self> {
            None
        }

        pub(in crate::posts) fn happened(&self) -> Happened {
            Happened::Unknown
        }
    }
}
