//! Watches a worker from outside until its end: what it weighs, and what it does unasked.

use std::sync::Arc;
use std::time::Duration;

use crate::child::Child;

use super::scratch::Scratch;

/// How often it is looked at.
const PERIOD: Duration = Duration::from_millis(500);
/// Code and libraries count as resident, and not as the tools' own.
const MEMORY_OWN_BYTES: u64 = 64 << 20;
/// A worker without calls that is busy for so many periods runs something left behind.
const BUSY_PERIODS_MAX: u32 = 6;
/// An idle one uses less than a hundredth of a second, which is what the kernel counts in; one
/// that burns gets more than this even on a crowded machine.
const BUSY_TICKS: u64 = 2;

/// The kernel limits what it writes to in private; this also counts what it shares.
pub(super) async fn attend(child: Arc<Child>, memory_bytes_max: u64, _scratch: Scratch) {
    let verdict = tokio::select! {
        () = child.ended() => return,
        verdict = watch(&child, memory_bytes_max) => verdict,
    };
    child.give_up(&verdict);
    child.ended().await;
}

/// Comes back when it must be given up, and says why.
async fn watch(child: &Child, memory_bytes_max: u64) -> String {
    let (mut ticks, mut busy_periods) = (0, 0);
    loop {
        tokio::time::sleep(PERIOD).await;
        let pid = child.pid();
        if resident(pid).is_some_and(|size| size > memory_bytes_max + MEMORY_OWN_BYTES) {
            return format!("it used more than {} MiB of memory", memory_bytes_max >> 20);
        }
        let now = cpu_ticks(pid).unwrap_or(ticks);
        let is_busy = child.load() == 0 && now.saturating_sub(ticks) > BUSY_TICKS;
        ticks = now;
        busy_periods = if is_busy { busy_periods + 1 } else { 0 };
        if busy_periods > BUSY_PERIODS_MAX {
            return "it was busy without a call".to_owned();
        }
    }
}

fn resident(pid: u32) -> Option<u64> {
    let pages = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// The processor time of all its threads.
fn cpu_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(ticks(11)? + ticks(12)?)
}
