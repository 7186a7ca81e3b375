//! The fence around a child: what it may reach, and how much of that this system enforces.
//!
//! In: a [`Fence`]. Out: a [`Level`] that says for each part whether it holds, and if not, why.
//!
//! Must hold: `raise` runs in the fresh, single-threaded child, before it does anything else;
//! every thread and program that the child starts later is inside the fence. Nothing is
//! weakened in silence: a part that could not be had is in the level, and whoever starts
//! children refuses to go on unless the operator chose [`Sandbox::BestEffort`].
//!
//! Written once, for every child this program starts.

pub mod doctor;
mod files;
mod graft;
mod limits;
mod syscalls;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
}

/// The part of the file system a child sees; with both lists empty, nothing at all.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Files {
    pub read: Vec<PathBuf>,
    /// Read and written: scratch directories.
    pub write: Vec<PathBuf>,
}

/// The system calls a child may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// A list of what is allowed: memory, threads, time, and the descriptors it has. No
    /// file can be opened, no socket made, no process started or touched.
    Engine,
    /// A list of what is refused, for a whole program such as an interpreter: no network,
    /// no tracing, no mounts, no namespaces, no kernel interfaces of doubtful use.
    Program,
    /// The same with the network, for a program whose work it is to reach others.
    Networked,
    /// The same as [`Calls::Program`] for an interpreter that runs code of others: besides,
    /// it starts no process, signals nobody but itself, and talks to no socket that it does
    /// not have already.
    Interpreter,
    /// For an interpreter of which only code of ours is run and which forks others; those
    /// take on [`Calls::Interpreter`] before they run anything else. See [`Fence::graft`].
    Template,
}

/// Whether each part of a fence holds in one child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// No program it starts can gain rights.
    pub privileges: Part,
    /// It dies with the program that started it.
    pub parent_death: Part,
    /// Memory, files and descriptors.
    pub limits: Part,
    /// Landlock: the file system, TCP, signals to others.
    pub files: Part,
    /// Seccomp: system calls.
    pub calls: Part,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    Enforced(String),
    Unavailable(String),
}

/// What to do where a required part cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Nothing runs.
    #[default]
    Required,
    /// It runs with what there is; only an operator may say so.
    BestEffort,
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
        }
    }

    /// For another program: read-only below `read`, a scratch directory, no network.
    pub fn program(files: Files, memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        Self { files, calls: Calls::Program, memory_bytes_max, file_bytes_max, open_files_max: 256 }
    }

    /// For an interpreter that runs handlers.
    pub fn interpreter(files: Files, memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        Self { calls: Calls::Interpreter, ..Self::program(files, memory_bytes_max, file_bytes_max) }
    }

    /// For an interpreter that forks others and runs nothing but code of ours.
    pub fn template(memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        let fence = Self::program(Files::default(), memory_bytes_max, file_bytes_max);
        Self { calls: Calls::Template, open_files_max: 1024, ..fence }
    }

    /// Raises the fence around this very process. There is no way back.
    pub(crate) fn raise(&self, parent: u32) -> Level {
        let privileges =
            part(rustix::thread::set_no_new_privs(true).map(|()| "no_new_privs".to_owned()));
        Level {
            privileges,
            parent_death: limits::die_with(parent),
            limits: limits::set(self),
            files: files::restrict(&self.files, self.calls),
            calls: syscalls::restrict(self.calls),
        }
    }

    /// Why a child with this level must not run; none if it may.
    pub fn gap(&self, level: &Level, sandbox: Sandbox) -> Option<String> {
        let required: &[(&str, &Part)] = match self.calls {
            // Without `open` and `socket` there is nothing left for Landlock to keep; what a
            // template forks has files of its own.
            Calls::Engine | Calls::Template => &[
                ("privileges", &level.privileges),
                ("limits", &level.limits),
                ("system calls", &level.calls),
            ],
            Calls::Program | Calls::Networked | Calls::Interpreter => &[
                ("privileges", &level.privileges),
                ("limits", &level.limits),
                ("files", &level.files),
                ("system calls", &level.calls),
            ],
        };
        let missing = required.iter().find_map(|(name, part)| match part {
            Part::Enforced(_) => None,
            Part::Unavailable(because) => Some(format!("the sandbox lacks {name}: {because}")),
        });
        match sandbox {
            Sandbox::Required => missing,
            Sandbox::BestEffort => None,
        }
    }
}

impl Level {
    /// The parts with their names, in the order in which they are raised.
    pub fn parts(&self) -> [(&'static str, &Part); 5] {
        [
            ("privileges", &self.privileges),
            ("parent death", &self.parent_death),
            ("limits", &self.limits),
            ("files", &self.files),
            ("system calls", &self.calls),
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
