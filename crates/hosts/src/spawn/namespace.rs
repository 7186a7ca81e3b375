//! A namespace of processes, where this system gives one.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use serde::{Deserialize, Serialize};

use super::CHILD_COMMAND;
use crate::sandbox::stranger;

/// What is put between the processes of a program and all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Namespace {
    None,
    Processes,
    /// Whoever has no rights must make a namespace of users first.
    UserAndProcesses,
}

const TRIES: [Namespace; 2] = [Namespace::Processes, Namespace::UserAndProcesses];
/// What a child that only tries is told, instead of orders.
pub(super) const TRY: &str = "try-namespace";

static NONE: AtomicBool = AtomicBool::new(false);

/// From now on, children of this process get no namespace: for tests of systems without them.
pub fn pretend_no_namespaces() {
    NONE.store(true, Relaxed);
}

/// What there is, found out once by children that try it: who fails halfway cannot go back.
pub(super) fn offered(program: &Path) -> Namespace {
    static OFFERED: OnceLock<Namespace> = OnceLock::new();
    if NONE.load(Relaxed) {
        return Namespace::None;
    }
    *OFFERED.get_or_init(|| {
        let works = |namespace: &Namespace| tries(program, *namespace).unwrap_or(false);
        // Among users of its own, root could not become a stranger.
        let tries = if stranger().is_some() { &TRIES[..1] } else { &TRIES };
        tries.iter().find(|namespace| works(namespace)).copied().unwrap_or(Namespace::None)
    })
}

fn tries(program: &Path, namespace: Namespace) -> io::Result<bool> {
    let name = serde_json::to_string(&namespace).map_err(io::Error::from)?;
    #[expect(clippy::disallowed_methods, reason = "this is the place where children are started")]
    let mut trial = Command::new(program);
    trial.arg(CHILD_COMMAND).arg(TRY).arg(name).env_clear().current_dir("/");
    let ended = trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(ended.success())
}

/// The child's side: enters, starts a process there, and says whether all went well.
pub(super) fn tried(name: Option<String>) -> ExitCode {
    let namespace = name.and_then(|name| serde_json::from_str(&name).ok());
    let entered = namespace.is_some_and(|namespace| enter(namespace).is_ok());
    #[expect(clippy::disallowed_methods, reason = "the attempt is the point")]
    let lives =
        || Command::new("/proc/self/exe").arg(CHILD_COMMAND).arg(TRY).arg("\"None\"").status();
    let works =
        entered && (namespace == Some(Namespace::None) || lives().is_ok_and(|end| end.success()));
    if works { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// From now on, whatever this process starts is in the namespace; itself stays outside.
pub(super) fn enter(namespace: Namespace) -> io::Result<()> {
    let flags = match namespace {
        Namespace::None => return Ok(()),
        Namespace::Processes => UnshareFlags::NEWPID,
        Namespace::UserAndProcesses => UnshareFlags::NEWUSER | UnshareFlags::NEWPID,
    };
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    #[expect(unsafe_code, reason = "it is safe for all flags but one, which is not used")]
    // SAFETY: the table of descriptors is not unshared.
    unsafe {
        unshare_unsafe(flags)?;
    }
    if namespace == Namespace::UserAndProcesses {
        // Everybody is who they were, and nobody else is there.
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(())
}
