//! Earlier states of a profile: files beside the profiles, written before a profile changes.
//!
//! Must hold: a profile that was changed, replaced or deleted is in its history first; the oldest
//! states beyond [`STATES_MAX`] are removed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use files::write_atomically;
use serde::Serialize;

use super::{PROFILE_BYTES_MAX, Workspace, WorkspaceFault, read_text};
use crate::clock::Now;
use crate::style::profile::{Profile, ProfileName};

/// How many earlier states of one profile are kept.
pub const STATES_MAX: usize = 50;

/// An earlier state of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastProfile {
    /// The file's name without its end, as in `2026-02-08-143000-v3`.
    pub id: String,
    pub version: u64,
    pub tone: String,
    #[serde(skip)]
    path: PathBuf,
}

impl Workspace {
    fn history_dir(&self, name: &ProfileName) -> PathBuf {
        self.profiles_dir().join("history").join(name.as_str())
    }

    /// The files of a history, the newest first: their names begin with the time.
    fn history_files(&self, name: &ProfileName) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.history_dir(name)) else { return Vec::new() };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
        paths.sort_by_key(|path| std::cmp::Reverse(order(path)));
        paths
    }

    /// The earlier states of a profile, the newest first.
    pub fn history(&self, name: &ProfileName) -> Vec<PastProfile> {
        let state = |path: PathBuf| {
            let id = super::stem_of(&path);
            let profile = read_text(&path, PROFILE_BYTES_MAX).ok();
            let profile = profile.and_then(|text| Profile::parse(&text).ok());
            let version = profile.as_ref().map_or_else(|| version_in(&id), Profile::version);
            let tone = profile.map(|profile| profile.voice("tone").to_owned());
            PastProfile { id, version, tone: tone.unwrap_or_default(), path }
        };
        self.history_files(name).into_iter().map(state).collect()
    }

    /// Brings an earlier state back, byte for byte; the present one joins the history.
    pub fn restore(
        &self,
        name: &ProfileName,
        state: &PastProfile,
        now: Now,
    ) -> Result<Profile, WorkspaceFault> {
        let _locked = self.lock_profiles()?;
        let disk = |source| WorkspaceFault::Disk { path: state.path.clone(), source };
        let text = read_text(&state.path, PROFILE_BYTES_MAX).map_err(disk)?;
        let broken = |fault| WorkspaceFault::Broken { name: state.id.clone(), fault };
        let profile = Profile::parse(&text).map_err(broken)?;
        self.remember(name, now)?;
        self.write(name, &profile)?;
        Ok(profile)
    }

    /// Copies the present file of a profile into its history. The caller holds the lock.
    pub(super) fn remember(&self, name: &ProfileName, now: Now) -> Result<(), WorkspaceFault> {
        let path = self.profile_file(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(WorkspaceFault::Disk { path, source }),
        };
        let text = String::from_utf8_lossy(&bytes);
        let version = Profile::parse(&text).map(|profile| profile.version()).unwrap_or_default();
        let folder = self.history_dir(name);
        let stem = format!("{}-v{version}", now.stamp());
        let disk = |source| WorkspaceFault::Disk { path: folder.clone(), source };
        fs::create_dir_all(&folder).map_err(disk)?;
        let file = free_name(&folder, &stem).map_err(disk)?;
        write_atomically(&file, &bytes).map_err(disk)?;
        // A file that cannot be removed is only one too many.
        for old in self.history_files(name).into_iter().skip(STATES_MAX) {
            let _ = fs::remove_file(old);
        }
        Ok(())
    }
}

/// `STEM.json`, or `STEM-2.json` if there is one already.
fn free_name(folder: &std::path::Path, stem: &str) -> io::Result<PathBuf> {
    let names = std::iter::once(format!("{stem}.json"))
        .chain((2..1_000).map(|number| format!("{stem}-{number}.json")));
    let mut paths = names.map(|name| folder.join(name));
    paths.find(|path| !path.exists()).ok_or_else(|| io::Error::other("too many states at once"))
}

/// The time in a name, then the number of states of that second.
fn order(path: &std::path::Path) -> (String, u64, u64) {
    let id = super::stem_of(path);
    let (time, rest) = id.split_once("-v").unwrap_or((&id, ""));
    let number = rest.split_once('-').and_then(|(_, number)| number.parse().ok());
    (time.to_owned(), version_in(&id), number.unwrap_or_default())
}

/// The version in a name such as `2026-02-08-143000-v3`.
fn version_in(id: &str) -> u64 {
    let version = id.split("-v").last().unwrap_or_default();
    version.split('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
