//! PID namespaces, where the system provides them.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use serde::{Deserialize, Serialize};

use super::CHILD_COMMAND;
use crate::sandbox::unprivileged_uid;

/// The namespaces around a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Namespace {
    None,
    Processes,
    /// Without privileges, a user namespace must be created first.
    UserAndProcesses,
}

const TRIES: [Namespace; 2] = [Namespace::Processes, Namespace::UserAndProcesses];
/// The argument of a child that only probes.
pub(super) const TRY: &str = "try-namespace";

static NONE: AtomicBool = AtomicBool::new(false);

/// Children of this process get no namespace from now on, to test systems without them.
pub fn pretend_no_namespaces() {
    NONE.store(true, Relaxed);
}

/// The available namespace, probed once in a child process, because a failed attempt cannot be
/// undone.
pub(super) fn available(program: &Path) -> Namespace {
    static OFFERED: OnceLock<Namespace> = OnceLock::new();
    if NONE.load(Relaxed) {
        return Namespace::None;
    }
    *OFFERED.get_or_init(|| {
        let works = |namespace: &Namespace| probe(program, *namespace).unwrap_or(false);
        // In a user namespace, root could not change to another user.
        let candidates = if unprivileged_uid().is_some() { &TRIES[..1] } else { &TRIES };
        candidates.iter().find(|namespace| works(namespace)).copied().unwrap_or(Namespace::None)
    })
}

fn probe(program: &Path, namespace: Namespace) -> io::Result<bool> {
    let name = serde_json::to_string(&namespace).map_err(io::Error::from)?;
    #[expect(clippy::disallowed_methods, reason = "children are started only here")]
    let mut trial = Command::new(program);
    trial.arg(CHILD_COMMAND).arg(TRY).arg(name).env_clear().current_dir("/");
    let ended = trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(ended.success())
}

/// The child's side of a probe: enters the namespace and starts a process there.
pub(super) fn run_probe(name: Option<String>) -> ExitCode {
    let namespace = name.and_then(|name| serde_json::from_str(&name).ok());
    let entered = namespace.is_some_and(|namespace| enter(namespace).is_ok());
    #[expect(clippy::disallowed_methods, reason = "the attempt is the point")]
    let lives =
        || Command::new("/proc/self/exe").arg(CHILD_COMMAND).arg(TRY).arg("\"None\"").status();
    let works =
        entered && (namespace == Some(Namespace::None) || lives().is_ok_and(|end| end.success()));
    if works { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Processes that this one starts from now on are in the namespace; it stays outside itself.
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
        // Map only the current user and group.
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(())
}
