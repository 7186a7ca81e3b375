//! The sandbox of a child: what it may reach, and how much of that this system enforces.
//!
//! In: a [`Sandbox`]. Out: a [`Level`] that says for each protection whether it holds, and if
//! not, why.
//!
//! Must hold: `apply` runs in the fresh, single-threaded child before anything else, so every
//! thread and program that the child starts later is inside. Nothing is weakened silently: a
//! missing protection is in the level, and children do not run unless the operator accepted that
//! gap by name ([`SandboxPolicy`]).
//!
//! What Landlock cannot enforce on an old kernel is covered by the system call filter; see
//! [`files`] and [`syscalls`].

pub mod doctor;
mod files;
mod gap;
mod limits;
mod prepared;
mod privileges;
mod syscalls;
mod user;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use files::{LANDLOCK_NEWEST, pretend_landlock};
pub use gap::{Accepted, Gap, SandboxPolicy, UnknownGap};

pub(crate) use files::pretended_landlock;
pub(crate) use user::unprivileged_uid;

/// Whether our children change to another user because we are root.
pub fn drops_root() -> bool {
    unprivileged_uid().is_some()
}

/// What a child may reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sandbox {
    pub files: Files,
    pub calls: Calls,
    /// Private writable memory: heap and thread stacks.
    pub memory_bytes_max: u64,
    /// The largest file it may write; sockets and pipes do not count.
    pub file_bytes_max: u64,
    pub open_files_max: u64,
    /// Of a program that may start others, all together.
    pub processes_max: u64,
    /// Whether it may change modes and times of files, which no protection can confine.
    #[serde(default)]
    pub modes: bool,
}

/// The files that a child may access; none if both lists are empty.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Files {
    pub read: Vec<PathBuf>,
    /// Readable and writable: scratch directories.
    pub write: Vec<PathBuf>,
}

/// The system calls that a child may make; see [`syscalls`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// Memory, threads, time, and its open descriptors. It cannot open files, create sockets, or
    /// start or affect processes.
    Engine,
    /// An interpreter that runs foreign code: files, and no process but itself. It uses only
    /// sockets that it already has.
    Interpreter,
    /// An interpreter that runs only our code and forks copies of itself, each of which continues
    /// as [`Calls::Interpreter`].
    Template,
    /// A whole program: files and processes, and no sockets except pairs.
    Program,
    /// The same with the internet. It reaches local programs only over IP.
    Networked,
}

impl Calls {
    /// If so, a supervisor must end them: see [`crate::spawn`].
    pub(crate) fn may_start_others(self) -> bool {
        matches!(self, Calls::Program | Calls::Networked)
    }
}

/// Whether each protection holds in one child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// No capabilities, and none can be gained by executing a program.
    pub privileges: Protection,
    /// It is not root.
    pub user: Protection,
    /// It dies with the program that started it.
    pub parent_death: Protection,
    /// Memory, files and descriptors.
    pub limits: Protection,
    /// Landlock: the file system.
    pub files: Protection,
    /// Seccomp: system calls.
    pub calls: Protection,
    /// It cannot signal outside processes.
    pub signals: Protection,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protection {
    Enforced(String),
    Unavailable(String),
}

impl Sandbox {
    /// For our JavaScript engine: memory, threads and its channel.
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

    /// For an interpreter that forks copies of itself and runs only our code.
    pub fn template(memory_bytes_max: u64, file_bytes_max: u64) -> Self {
        let sandbox = Self::program(Files::default(), memory_bytes_max, file_bytes_max);
        Self { calls: Calls::Template, open_files_max: 1024, ..sandbox }
    }

    /// Applies the sandbox to this process, irrevocably.
    pub(crate) fn apply(&self, environment: Environment) -> Level {
        // Each of these steps needs privileges that a later one drops.
        let no_new = rustix::thread::set_no_new_privs(true);
        let file_rules = files::restrict(&self.files, self.calls, environment.landlock_abi_max);
        let landlock = match self.calls {
            Calls::Template => files::version(environment.landlock_abi_max),
            Calls::Engine | Calls::Interpreter | Calls::Program | Calls::Networked => {
                file_rules.abi
            }
        };
        let change = user::plan(self, environment.unprivileged_uid, landlock);
        let limits = limits::set(self, change, environment.in_cgroup);
        let (user, given_up) = privileges::give_up(change);
        let privileges = match no_new {
            Ok(()) => given_up,
            Err(fault) => Protection::Unavailable(fault.to_string()),
        };
        // A change of credentials resets it, so it comes after that.
        let parent_death = limits::die_with(environment.parent);
        let own = std::process::id();
        let landlock_confines_truncate = file_rules.abi >= files::TRUNCATE;
        let context =
            syscalls::FilterContext { landlock_confines_truncate, modes: self.modes, own };
        let calls = syscalls::restrict(self.calls, context);
        let signals = self.signals(file_rules.abi, &calls, own);
        Level { privileges, user, parent_death, limits, files: file_rules.part, calls, signals }
    }

    /// What confines the signals of the child.
    fn signals(&self, abi: u8, calls: &Protection, own: u32) -> Protection {
        match (self.calls, calls) {
            (Calls::Engine | Calls::Interpreter, Protection::Enforced(_)) => {
                Protection::Enforced("system calls: only to itself".to_owned())
            }
            (Calls::Template, Protection::Enforced(_)) => {
                Protection::Enforced("system calls: each worker only to itself".to_owned())
            }
            _ if abi >= files::SIGNALS => Protection::Enforced(format!("Landlock ABI {abi}")),
            // The first process of a PID namespace sees no outside processes.
            _ if own == 1 => Protection::Enforced("a PID namespace".to_owned()),
            _ => Protection::Unavailable(format!(
                "Landlock ABI {abi} does not confine signals, and there is no PID namespace"
            )),
        }
    }

    /// Why a child with this level must not run, if so.
    pub fn gap(&self, level: &Level, policy: SandboxPolicy) -> Option<String> {
        // Without `open` and `socket` Landlock has nothing to confine, and the workers of a
        // template have their own rulesets.
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
            Some(Protection::Unavailable(because)) if !policy.accepts(gap) => Some(format!(
                "the sandbox lacks {}: {because} (to run anyway, add \"{gap}\" to `[sandbox] accept`)",
                gap.what()
            )),
            Some(_) | None => None,
        })
    }
}

/// What a child needs to know about its surroundings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Environment {
    /// The process to die with.
    pub parent: u32,
    /// Newer Landlock features are not used, even if the kernel has them.
    pub landlock_abi_max: u8,
    /// The user to change to, if it is root.
    pub unprivileged_uid: Option<u32>,
    /// Whether a cgroup limits it and everything it starts.
    pub in_cgroup: bool,
}

impl Level {
    /// The protections with their names, in display order.
    pub fn parts(&self) -> [(&'static str, &Protection); 7] {
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

fn protection<E: std::fmt::Display>(outcome: Result<String, E>) -> Protection {
    match outcome {
        Ok(how) => Protection::Enforced(how),
        Err(because) => Protection::Unavailable(because.to_string()),
    }
}

#[cfg(test)]
mod tests;
