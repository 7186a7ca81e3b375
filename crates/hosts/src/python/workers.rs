//! The workers of a host: which file runs in which, started when they are first needed.
//!
//! All files of a tools folder share one worker. A file that was running when a worker died
//! gets one of its own from then on, so that it can harm nobody but itself.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::child::{Charter, Child};
use crate::sandbox::{Fence, Files};
use crate::spawn::Role;

use super::attend::attend;
use super::boot::{SCRIPT, boot};
use super::interpreter::Layout;
use super::root::Root;
use super::scratch::Scratch;
use super::{Isolation, PyHostConfig};

pub(crate) struct Workers {
    config: PyHostConfig,
    slots: Mutex<HashMap<Ward, Arc<Slot>>>,
    suspects: Mutex<HashSet<(PathBuf, String)>>,
    uses: AtomicU64,
}

/// Whom a worker serves: everybody of a tools folder, or some of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Ward {
    pub root: Root,
    pub part: WardPart,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WardPart {
    Shared,
    File(String),
    /// Files are imported here for the first time, apart from all that runs.
    Discovery,
}

#[derive(Default)]
struct Slot {
    /// Held while a worker is started, so that all who wait get the same.
    child: tokio::sync::Mutex<Option<Arc<Child>>>,
    last_use: AtomicU64,
}

impl Workers {
    pub(crate) fn new(config: PyHostConfig) -> Self {
        let (slots, suspects) = (Mutex::default(), Mutex::default());
        Self { config, slots, suspects, uses: AtomicU64::new(0) }
    }

    pub(crate) fn config(&self) -> &PyHostConfig {
        &self.config
    }

    /// Where a file runs.
    pub(crate) fn ward(&self, root: &Root, file: &str) -> Ward {
        let part = match self.config.isolation {
            Isolation::EveryFile => WardPart::File(file.to_owned()),
            Isolation::Suspects if self.is_suspect(root, file) => WardPart::File(file.to_owned()),
            Isolation::Suspects => WardPart::Shared,
        };
        Ward { root: root.clone(), part }
    }

    /// From now on this file runs alone.
    pub(crate) fn suspect(&self, tools_dir: &Path, file: &str) {
        let mut suspects = self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
        if suspects.insert((tools_dir.to_owned(), file.to_owned())) {
            tracing::warn!(file, "its worker was lost; from now on it gets one of its own");
        }
    }

    fn is_suspect(&self, tools_dir: &Path, file: &str) -> bool {
        let suspects = self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
        !suspects.is_empty() && suspects.contains(&(tools_dir.to_owned(), file.to_owned()))
    }

    /// The worker of a ward, started if there is none.
    pub(crate) async fn pick(&self, ward: Ward) -> Result<Arc<Child>, String> {
        let slot = self.slot(&ward)?;
        let mut held = slot.child.lock().await;
        if let Some(child) = held.as_ref().filter(|child| child.is_live()) {
            return Ok(Arc::clone(child));
        }
        let child = self.start(&ward.root).await?;
        *held = Some(Arc::clone(&child));
        Ok(child)
    }

    /// Ends the worker of a ward.
    pub(crate) fn dismiss(&self, ward: &Ward) {
        let slot = self.lock().remove(ward);
        if let Some(child) = slot.as_deref().and_then(Slot::child) {
            child.kill();
        }
    }

    /// Ends the workers of a folder that have nothing to do.
    pub(crate) fn dismiss_idle(&self, root: &Root) {
        let mut slots = self.lock();
        let idle = slots.extract_if(|ward, slot| ward.root == *root && slot.is_idle());
        for child in idle.filter_map(|(_, slot)| slot.child()) {
            child.kill();
        }
    }

    pub(crate) fn children(&self) -> Vec<Arc<Child>> {
        let live = |slot: &Arc<Slot>| slot.child().filter(|child| child.is_live());
        self.lock().values().filter_map(live).collect()
    }

    fn slot(&self, ward: &Ward) -> Result<Arc<Slot>, String> {
        let mut slots = self.lock();
        let now = self.uses.fetch_add(1, Relaxed);
        if let Some(slot) = slots.get(ward) {
            slot.last_use.store(now, Relaxed);
            return Ok(Arc::clone(slot));
        }
        let max = self.config.workers_max.max(1);
        if slots.len() >= max {
            let idle = slots.iter().filter(|(_, slot)| slot.is_idle());
            let oldest = idle.min_by_key(|(_, slot)| slot.last_use.load(Relaxed));
            let oldest = oldest.map(|(ward, _)| ward.clone());
            let oldest = oldest.ok_or_else(|| format!("all {max} Python workers are busy"))?;
            if let Some(child) = slots.remove(&oldest).as_deref().and_then(Slot::child) {
                child.kill();
            }
        }
        let slot = Arc::new(Slot { last_use: AtomicU64::new(now), ..Slot::default() });
        slots.insert(ward.clone(), Arc::clone(&slot));
        Ok(slot)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Ward, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn start(&self, tools_dir: &Path) -> Result<Arc<Child>, String> {
        let config = &self.config;
        let python = config.environments.get(tools_dir).unwrap_or(&config.python);
        if !python.is_file() {
            return Err(format!("there is no Python at {}", python.display()));
        }
        let root = tools_dir.canonicalize().map_err(|fault| {
            format!("the tools directory {} cannot be opened: {fault}", tools_dir.display())
        })?;
        let scratch = Scratch::new(&config.scratch)?;
        let Layout { mut read, packages } = Layout::of(python);
        read.push(root.clone());
        read.extend(TIME_ZONES.into_iter().map(PathBuf::from).filter(|path| path.exists()));
        let files = Files { read, write: vec![scratch.path().to_owned(), "/dev/null".into()] };
        let limits = &config.limits;
        let charter = Charter {
            program: config.program.clone(),
            fence: Fence::interpreter(files, limits.memory_bytes_max, limits.file_bytes_max),
            role: role(python, scratch.path()),
            sandbox: config.sandbox,
            boot: Some(boot(&root, scratch.path(), &packages, limits)?),
            flood: limits.flood.clone(),
            stop_grace: config.stop_grace,
            drain_max: config.drain_max,
            silence_max: Some(limits.silence_max),
        };
        let child = Child::start(&charter).await?;
        tokio::spawn(attend(Arc::clone(&child), limits.memory_bytes_max, scratch));
        Ok(child)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in self.children() {
            child.kill();
        }
    }
}

impl Slot {
    /// None while it is being started.
    fn child(&self) -> Option<Arc<Child>> {
        self.child.try_lock().ok()?.clone()
    }

    fn is_idle(&self) -> bool {
        let Ok(held) = self.child.try_lock() else { return false };
        held.as_ref().is_none_or(|child| child.load() == 0)
    }
}

/// What says which time it is here.
const TIME_ZONES: [&str; 2] = ["/etc/localtime", "/usr/share/zoneinfo"];

/// The interpreter alone: nothing of the user's, of the folder it starts in, or of the
/// environment but the time zone, and no compiled files.
fn role(python: &Path, scratch: &Path) -> Role {
    let scratch = scratch.display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the zone of the clock is no secret")]
    let zone = std::env::var("TZ").ok().map(|zone| ("TZ".to_owned(), zone));
    let env = [
        ("HOME", scratch.as_str()),
        ("TMPDIR", scratch.as_str()),
        ("PATH", "/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("MALLOC_ARENA_MAX", "2"),
    ];
    Role::Exec {
        program: python.to_owned(),
        args: ["-I", "-S", "-B", "-X", "utf8", "-c", SCRIPT].map(Into::into).into(),
        env: env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .chain(zone)
            .collect(),
    }
}
