//! The fence around a child: what it may reach, and how much of that this system enforces.
//!
//! In: a [`Fence`]. Out: a [`Level`] that says for each part whether it holds, and if not, why.
//!
//! Must hold: `raise` runs in the fresh, single-threaded child, before it does anything else;
//! every thread and program that the child starts later is inside the fence. Nothing is
//! weakened in silence: a part that could not be had is in the level, and whoever starts
//! children refuses to go on unless the operator accepted that gap by its name ([`Sandbox`]).
//!
//! What Landlock cannot do on an old kernel is kept by the list of system calls, part by part:
//! see [`files`] and [`syscalls`]. Written once, for every child this program starts.

pub mod doctor;
mod files;
mod gap;
mod graft;
mod limits;
mod privileges;
mod syscalls;
mod user;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use files::{LANDLOCK_NEWEST, pretend_landlock};
pub use gap::{Accepted, Gap, Sandbox, UnknownGap};

pub(crate) use files::pretended_landlock;
pub(crate) use user::stranger;

/// Do our children become somebody else, because we are root?
pub fn makes_strangers() -> bool {
    stranger().is_some()
}

/// What a child may reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fence {
    pub files: Files,
    pub calls: Calls,
    /// Counts everything a process writes to in private: heap and stacks of threads.
    pub memory_bytes_max: u64,
    /// The largest file it may write; sockets and pipes do not count.
    pub file_bytes_max: u64,
    pub open_files_max: u64,
    /// Of a program that may start others: all of them together.
    pub processes_max: u64,
    /// It may change modes and times of files, which no part of the fence can confine.
    #[serde(default)]
    pub modes: bool,
}

/// The part of the file system a child sees; with both lists empty, nothing at all.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Files {
    pub read: Vec<PathBuf>,
    /// Read and written: scratch directories.
    pub write: Vec<PathBuf>,
}

/// The system calls a child may make; the lists are in [`syscalls`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// Memory, threads, time, and the descriptors it has. No file can be opened, no socket
    /// made, no process started or touched.
    Engine,
    /// An interpreter that runs code of others: files, and no process but itself. It talks to
    /// no socket that it does not have already.
    Interpreter,
    /// An interpreter that runs our code alone and makes processes like itself, each of which
    /// goes on to [`Calls::Interpreter`].
    Template,
    /// A whole program: files and processes, no socket but pairs.
    Program,
    /// The same with the internet, for a program whose work it is to reach others. It talks to
    /// no program of this machine but over that.
    Networked,
}

impl Calls {
    /// Then somebody must see to their end: see [`crate::spawn`].
    pub(crate) fn may_start_others(self) -> bool {
        matches!(self, Calls::Program | Calls::Networked)
    }
}

/// Whether each part of a fence holds in one child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// No capability, and no program it starts can gain one.
    pub privileges: Part,
    /// It is not root.
    pub user: Part,
    /// It dies with the program that started it.
    pub parent_death: Part,
    /// Memory, files and descriptors.
    pub limits: Part,
    /// Landlock: the file system.
    pub files: Part,
    /// Seccomp: system calls.
    pub calls: Part,
    /// It signals nobody outside.
    pub signals: Part,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    Enforced(String),
    Unavailable(String),
}

impl Fence {
    /// For our own engine: it needs memory, threads and its channel, and gets nothing else.
    pub fn engine(memory_bytes_max: u64) -> Self {
        Self {
            files: Files::default(),
            calls: Calls::Engine,
            memory_bytes_max,
            file_bytes_max: 0,
            open_files_max: 16,
            processes_max: 1,
            modes: false,
        }
    }

    /// For another program: read-only below `read`, a scratch directory, no network.
    pub fn program(files: Files, memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        Self {
            files,
            calls: Calls::Program,
            memory_bytes_max,
            file_bytes_max,
            open_files_max: 256,
            processes_max: 256,
            modes: false,
        }
    }

    /// For an interpreter that runs handlers.
    pub fn interpreter(files: Files, memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        Self { calls: Calls::Interpreter, ..Self::program(files, memory_bytes_max, file_bytes_max) }
    }

    /// For an interpreter that makes others like itself, and runs nothing but code of ours.
    pub fn template(memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        let fence = Self::program(Files::default(), memory_bytes_max, file_bytes_max);
        Self { calls: Calls::Template, open_files_max: 1024, ..fence }
    }

    /// Raises the fence around this very process. There is no way back.
    pub(crate) fn raise(&self, surroundings: Surroundings) -> Level {
        // Each of these steps needs rights that a later one takes away.
        let no_new = rustix::thread::set_no_new_privs(true);
        let kept = files::restrict(&self.files, self.calls, surroundings.landlock_abi_max);
        let landlock = match self.calls {
            Calls::Template => files::version(surroundings.landlock_abi_max),
            Calls::Engine | Calls::Interpreter | Calls::Program | Calls::Networked => kept.abi,
        };
        let change = user::plan(self, surroundings.stranger, landlock);
        let limits = limits::set(self, change, surroundings.is_grouped);
        let (user, given_up) = privileges::give_up(change);
        let privileges = match no_new {
            Ok(()) => given_up,
            Err(fault) => Part::Unavailable(fault.to_string()),
        };
        // A change of rights would forget it, so it comes after them.
        let parent_death = limits::die_with(surroundings.parent);
        let own = std::process::id();
        let truncate_is_kept = kept.abi >= files::TRUNCATE;
        let around = syscalls::Around { truncate_is_kept, modes: self.modes, own };
        let calls = syscalls::restrict(self.calls, around);
        let signals = self.signals(kept.abi, &calls, own);
        Level { privileges, user, parent_death, limits, files: kept.part, calls, signals }
    }

    /// Who keeps its signals inside.
    fn signals(&self, abi: u8, calls: &Part, own: u32) -> Part {
        match (self.calls, calls) {
            (Calls::Engine | Calls::Interpreter, Part::Enforced(_)) => {
                Part::Enforced("system calls: to itself alone".to_owned())
            }
            (Calls::Template, Part::Enforced(_)) => {
                Part::Enforced("system calls: each worker to itself alone".to_owned())
            }
            _ if abi >= files::SIGNALS => Part::Enforced(format!("Landlock ABI {abi}")),
            // The first process of a namespace sees nobody outside.
            _ if own == 1 => Part::Enforced("a namespace of processes".to_owned()),
            _ => Part::Unavailable(format!(
                "Landlock ABI {abi} does not keep signals, and there is no namespace of processes"
            )),
        }
    }

    /// Why a child with this level must not run; none if it may.
    pub fn gap(&self, level: &Level, sandbox: Sandbox) -> Option<String> {
        // Without `open` and `socket` there is nothing left for Landlock to keep, and the
        // workers of a template have files of their own.
        let keeps_files = !matches!(self.calls, Calls::Engine | Calls::Template);
        let required = [
            (Gap::Privileges, Some(&level.privileges)),
            (Gap::Root, Some(&level.user)),
            (Gap::Limits, Some(&level.limits)),
            (Gap::Files, keeps_files.then_some(&level.files)),
            (Gap::Calls, Some(&level.calls)),
            (Gap::Signals, Some(&level.signals)),
        ];
        required.into_iter().find_map(|(gap, part)| match part {
            Some(Part::Unavailable(because)) if !sandbox.accepts(gap) => Some(format!(
                "the sandbox lacks {}: {because} (to run all the same, add \"{gap}\" to `[sandbox] accept`)",
                gap.what()
            )),
            Some(_) | None => None,
        })
    }
}

/// What a child is told about where it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    /// Whom it dies with.
    pub parent: u32,
    /// No right of Landlock that is newer is used, whatever the kernel can.
    pub landlock_abi_max: u8,
    /// Who it becomes if it is root.
    pub stranger: Option<u32>,
    /// A group of the kernel's is around it and all it starts.
    pub is_grouped: bool,
}

impl Level {
    /// The parts with their names, in the order in which they are told.
    pub fn parts(&self) -> [(&'static str, &Part); 7] {
        [
            ("privileges", &self.privileges),
            ("user", &self.user),
            ("parent death", &self.parent_death),
            ("limits", &self.limits),
            ("files", &self.files),
            ("system calls", &self.calls),
            ("signals", &self.signals),
        ]
    }
}

fn part<E: std::fmt::Display>(outcome: Result<String, E>) -> Part {
    match outcome {
        Ok(how) => Part::Enforced(how),
        Err(because) => Part::Unavailable(because.to_string()),
    }
}

#[cfg(test)]
mod tests;
