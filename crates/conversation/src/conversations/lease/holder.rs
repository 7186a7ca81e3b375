//! The process that holds a conversation, described so that another one can detect its death.
//!
//! Must hold: a process that may be alive is never reported as dead. So only processes of the
//! same boot, the same user and the same PID namespace are looked up; nothing is known about
//! any other.

use std::fs;
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};

/// The process that holds a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    process: u32,
    /// None if the system does not provide it, or an older version wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life: Option<Life>,
}

/// Distinguishes a process from all others with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Life {
    /// The boot id of the machine.
    boot: String,
    /// The PID namespace.
    namespace: String,
    user: u32,
    /// In ticks since boot.
    started: u64,
}

impl Holder {
    pub fn own() -> Self {
        let process = std::process::id();
        Self { process, life: Life::own(process) }
    }

    /// Whether the process is certainly dead.
    pub fn is_gone(&self) -> bool {
        let (Some(life), Some(own)) = (&self.life, Life::own(std::process::id())) else {
            return false;
        };
        let is_near =
            (&life.boot, &life.namespace, life.user) == (&own.boot, &own.namespace, own.user);
        is_near
            && match stat(self.process) {
                ProcessStat::Of { started, is_dead } => is_dead || started != life.started,
                ProcessStat::NotFound => true,
                ProcessStat::Unknown => false,
            }
    }
}

impl Life {
    #[cfg(target_os = "linux")]
    fn own(process: u32) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let ProcessStat::Of { started, .. } = stat(process) else { return None };
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?.to_str()?.to_owned();
        let user = fs::metadata("/proc/self").ok()?.uid();
        Some(Self { boot, namespace, user, started })
    }

    #[cfg(not(target_os = "linux"))]
    fn own(_process: u32) -> Option<Self> {
        None
    }
}

/// A process as the system describes it.
enum ProcessStat {
    Of { started: u64, is_dead: bool },
    NotFound,
    Unknown,
}

fn stat(process: u32) -> ProcessStat {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(text) => parse(&text).unwrap_or(ProcessStat::Unknown),
        Err(fault) if fault.kind() == ErrorKind::NotFound => ProcessStat::NotFound,
        Err(_) => ProcessStat::Unknown,
    }
}

/// The name is in parentheses and may contain anything, so fields are counted after the last one.
fn parse(stat: &str) -> Option<ProcessStat> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let started = fields.nth(18)?.parse().ok()?;
    Some(ProcessStat::Of { started, is_dead })
}

#[cfg(test)]
mod tests {
    use super::Holder;

    #[test]
    fn only_a_process_that_is_certainly_dead_is_gone() {
        let mut earlier = Holder::own();
        assert!(!earlier.is_gone(), "{earlier:?}");
        let unknown = Holder { process: u32::MAX - 1, life: None };
        assert!(!unknown.is_gone(), "nothing is known about it");
        let Some(life) = &mut earlier.life else { return };
        life.started -= 1;
        assert!(earlier.is_gone(), "another process has its number");
        for change in [
            |holder: &mut Holder| holder.life.as_mut().unwrap().boot.push('x'),
            |holder: &mut Holder| holder.life.as_mut().unwrap().namespace.push('x'),
            |holder: &mut Holder| holder.life.as_mut().unwrap().user += 1,
        ] {
            let mut far = earlier.clone();
            change(&mut far);
            assert!(!far.is_gone(), "it may be alive elsewhere: {far:?}");
        }
    }
}
