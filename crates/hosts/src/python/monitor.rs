//! Monitors a worker from outside until it ends: memory, files, background activity and idle
//! time.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::child::Child;
use crate::scratch_dir::{PrivateDir, Quota};

use super::PyLimits;
use super::workers::{Inner, WorkerKey};

/// How often a worker is checked; the scratch folder of a busy one is checked more often.
const PERIOD: Duration = Duration::from_millis(500);
const FOLDER_PERIOD: Duration = Duration::from_millis(100);
/// Resident code and libraries that do not count as the tool's own memory.
const MEMORY_OWN_BYTES: u64 = 64 << 20;
/// A worker without calls that is busy for this many periods has left something running.
const BUSY_PERIODS_MAX: u32 = 6;
/// CPU ticks per period. An idle worker uses less than one; one that computes gets more even on a
/// busy machine.
const BUSY_TICKS: u64 = 2;
/// A worker without calls may keep this many files open.
const IDLE_FILES_MAX: usize = 64;

/// The worker's key and folder.
pub(super) struct Assignment {
    pub inner: Weak<Inner>,
    pub key: WorkerKey,
    pub scratch: PrivateDir,
}

/// Kills a worker that exceeds its limits. The kernel limits private memory; this also counts
/// shared memory.
pub(super) async fn monitor_worker(child: Arc<Child>, assignment: Assignment) {
    tokio::select! {
        () = child.ended() => {}
        () = watch(&child, &assignment) => child.ended().await,
    }
    let Assignment { inner, key, scratch } = assignment;
    if let Some(inner) = inner.upgrade() {
        inner.remove(&key, &child);
    }
    // Removing a large folder takes time.
    let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
}

/// Returns when the worker has been ended.
async fn watch(child: &Arc<Child>, assignment: &Assignment) {
    let (mut ticks, mut busy_periods, mut looks) = (0, 0, 0_u32);
    let looks_per_period = PERIOD.as_millis() / FOLDER_PERIOD.as_millis();
    loop {
        tokio::time::sleep(FOLDER_PERIOD).await;
        looks += 1;
        let is_whole = u128::from(looks) % looks_per_period == 0;
        if !is_whole && child.load() == 0 {
            continue;
        }
        let Some(inner) = assignment.inner.upgrade() else { return };
        let limits = &inner.config().limits;
        if let Some(verdict) = over_quota(child.pid(), &assignment.scratch, limits) {
            return child.give_up(&verdict);
        }
        if !is_whole {
            continue;
        }
        let unseen = mapped_unseen(child.pid(), assignment.scratch.path());
        let unseen = unseen.is_some_and(|bytes| bytes > limits.scratch_bytes_max);
        let verdict = unseen.then(|| too_unseen(limits.scratch_bytes_max));
        if let Some(verdict) = verdict.or_else(|| too_much(child.pid(), limits)) {
            return child.give_up(&verdict);
        }
        let now = cpu_ticks(child.pid()).unwrap_or(ticks);
        let is_busy = child.load() == 0 && now.saturating_sub(ticks) > BUSY_TICKS;
        ticks = now;
        busy_periods = if is_busy { busy_periods + 1 } else { 0 };
        if busy_periods > BUSY_PERIODS_MAX {
            return child.give_up("it was busy without a call");
        }
        let Some(since) = inner.idle_since(&assignment.key) else { continue };
        let hoards = open_files(child.pid()).is_some_and(|count| count > IDLE_FILES_MAX);
        let is_due = since.elapsed() >= inner.config().idle_max || hoards;
        if is_due && inner.remove(&assignment.key, child) {
            tracing::debug!(pid = child.pid(), hoards, "a worker without calls ends");
            return child.kill();
        }
    }
}

fn over_quota(pid: u32, scratch: &PrivateDir, limits: &PyLimits) -> Option<String> {
    let bytes_max = limits.scratch_bytes_max;
    let quota = Quota { bytes_max, files_max: limits.scratch_files_max };
    if let Some(excess) = scratch.excess(&quota) {
        return Some(excess.to_string());
    }
    let hidden = match hidden_bytes(pid) {
        Ok(hidden) => hidden,
        // The process is gone.
        Err(fault) if fault.kind() == ErrorKind::NotFound => return None,
        Err(_) => return Some("its open files cannot be inspected".to_owned()),
    };
    (hidden > bytes_max).then(|| too_unseen(bytes_max))
}

fn too_unseen(bytes_max: u64) -> String {
    format!("it kept more than {} MiB in deleted files", bytes_max >> 20)
}

fn too_much(pid: u32, limits: &PyLimits) -> Option<String> {
    let memory_max = limits.memory_bytes_max;
    if resident(pid).is_some_and(|size| size > memory_max + MEMORY_OWN_BYTES) {
        return Some(format!("it used more than {} MiB of memory", memory_max >> 20));
    }
    let threads_max = limits.threads_all_max;
    let threads = stat(pid, 17).and_then(|count| usize::try_from(count).ok());
    (threads? > threads_max).then(|| format!("it started more than {threads_max} threads"))
}

/// The size of open files without a name.
fn hidden_bytes(pid: u32) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))?.flatten() {
        // Follows the link to the file itself, named or not.
        let Ok(found) = std::fs::metadata(entry.path()) else { continue };
        if found.is_file() && found.nlink() == 0 {
            bytes += found.blocks() * 512;
        }
    }
    Ok(bytes)
}

/// The size of mapped files without a name.
fn mapped_unseen(pid: u32, scratch: &Path) -> Option<u64> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let scratch = scratch.display().to_string();
    let unseen =
        maps.lines().filter(|line| line.ends_with(" (deleted)") && line.contains(&scratch));
    let sizes = unseen.filter_map(|line| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        number(end)?.checked_sub(number(start)?)
    });
    Some(sizes.sum())
}

fn open_files(pid: u32) -> Option<usize> {
    Some(std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count())
}

fn resident(pid: u32) -> Option<u64> {
    let pages = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// CPU time of all threads.
fn cpu_ticks(pid: u32) -> Option<u64> {
    Some(stat(pid, 11)? + stat(pid, 12)?)
}

/// A field of `/proc/PID/stat`, counted from the state.
fn stat(pid: u32, index: usize) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in parentheses and may contain anything.
    stat.rsplit(')').next()?.split_whitespace().nth(index)?.parse().ok()
}
