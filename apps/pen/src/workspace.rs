//! The folder of a writer: profiles, posts, logs, the feedback tracker.
//!
//! Must hold: files are written atomically; a lock is held from reading a profile or the tracker
//! to writing it, so that two programs lose nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use files::write_atomically;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clock::Now;
use crate::style::profile::{Changed, Profile, ProfileFault, ProfileName, RefusedChange};

/// The maximum size of a profile.
const PROFILE_BYTES_MAX: u64 = 1 << 20;
/// The maximum number of listed profiles.
const PROFILES_MAX: usize = 10_000;

/// The folder.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
}

/// Why a profile cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceFault {
    #[error("profile `{name}` not found{}", listed(.available))]
    NotFound { name: String, available: Vec<String> },
    #[error("profile `{name}` is broken: {fault}")]
    Broken { name: String, fault: ProfileFault },
    #[error(transparent)]
    Refused(#[from] RefusedChange),
    #[error("profile `{0}` already exists")]
    Exists(String),
    #[error("the file says it is profile `{found}`, and its name is `{name}.json`")]
    OtherName { name: String, found: String },
    #[error("`{}` cannot be used", path.display())]
    Disk { path: PathBuf, source: io::Error },
}

fn listed(available: &[String]) -> String {
    match available {
        [] => "; there are no profiles yet, run `ghostpen init`".to_owned(),
        some => format!(". Available profiles: {}", some.join(", ")),
    }
}

/// An entry in the list of profiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileSummary {
    pub name: String,
    /// `personal`, `reference`, or `?` for a broken file.
    #[serde(rename = "type")]
    pub kind: String,
    pub language: String,
    pub version: u64,
    pub updated_at: String,
    pub tone_summary: String,
    /// What is wrong with the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// The lock of a folder, held from reading to writing.
#[derive(Debug)]
pub(crate) struct FileLock(
    #[expect(dead_code, reason = "closing the file gives the lock back")] File,
);

impl Workspace {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn profiles_dir(&self) -> PathBuf {
        self.root.join("profiles")
    }

    pub fn posts_dir(&self) -> PathBuf {
        self.root.join("output").join("generated")
    }

    pub fn logs_dir(&self) -> PathBuf {
        self.root.join("output").join("logs")
    }

    pub fn tracker_file(&self) -> PathBuf {
        self.root.join("feedback-tracker.json")
    }

    pub fn profile_file(&self, name: &ProfileName) -> PathBuf {
        self.profiles_dir().join(format!("{name}.json"))
    }

    /// A profile by its name.
    pub fn read(&self, name: &ProfileName) -> Result<Profile, WorkspaceFault> {
        let path = self.profile_file(name);
        let text = match read_text(&path, PROFILE_BYTES_MAX) {
            Ok(text) => text,
            Err(fault) if fault.kind() == ErrorKind::NotFound => {
                return Err(WorkspaceFault::NotFound {
                    name: name.to_string(),
                    available: self.names(),
                });
            }
            Err(source) => return Err(WorkspaceFault::Disk { path, source }),
        };
        let broken = |fault| WorkspaceFault::Broken { name: name.to_string(), fault };
        let profile = Profile::parse(&text).map_err(broken)?;
        match profile.name() == name.as_str() {
            true => Ok(profile),
            false => Err(WorkspaceFault::OtherName {
                name: name.to_string(),
                found: profile.name().to_owned(),
            }),
        }
    }

    /// Changes a profile under its lock, and writes it whole.
    pub fn update(
        &self,
        name: &ProfileName,
        changes: &Map<String, Value>,
        reason: &str,
        now: Now,
    ) -> Result<Changed, WorkspaceFault> {
        let _locked = self.lock_profiles()?;
        let (profile, changed) = self.read(name)?.changed(changes, reason, now)?;
        self.write(name, &profile)?;
        Ok(changed)
    }

    /// Creates a profile.
    pub fn create(&self, profile: &Profile) -> Result<(), WorkspaceFault> {
        let name = self.name_of(profile)?;
        let _locked = self.lock_profiles()?;
        if self.profile_file(&name).exists() {
            return Err(WorkspaceFault::Exists(name.to_string()));
        }
        self.write(&name, profile)
    }

    /// Replaces the profile of the same name.
    pub fn replace(&self, profile: &Profile) -> Result<(), WorkspaceFault> {
        let name = self.name_of(profile)?;
        let _locked = self.lock_profiles()?;
        self.write(&name, profile)
    }

    pub fn delete(&self, name: &ProfileName) -> Result<(), WorkspaceFault> {
        let _locked = self.lock_profiles()?;
        let path = self.profile_file(name);
        match fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(fault) if fault.kind() == ErrorKind::NotFound => {
                Err(WorkspaceFault::NotFound { name: name.to_string(), available: self.names() })
            }
            Err(source) => Err(WorkspaceFault::Disk { path, source }),
        }
    }

    /// Every profile: personal first, then reference ones by their last change.
    pub fn list(&self) -> Vec<ProfileSummary> {
        let mut list: Vec<_> = self.files().par_iter().map(|path| line_of(path)).collect();
        list.sort_by(|one, other| {
            let rank = |line: &ProfileSummary| match line.kind.as_str() {
                "personal" => 0,
                "reference" => 1,
                _ => 2,
            };
            let time = other.updated_at.cmp(&one.updated_at);
            rank(one).cmp(&rank(other)).then(time).then_with(|| one.name.cmp(&other.name))
        });
        list
    }

    /// The names of all profiles, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.files().iter().map(|path| stem_of(path)).collect();
        names.sort();
        names
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.profiles_dir()) else { return Vec::new() };
        let is_profile = |path: &PathBuf| {
            path.extension().is_some_and(|end| end == "json") && !stem_of(path).starts_with('.')
        };
        let paths = entries.flatten().map(|entry| entry.path()).filter(is_profile);
        paths.take(PROFILES_MAX).collect()
    }

    fn name_of(&self, profile: &Profile) -> Result<ProfileName, WorkspaceFault> {
        // The name was checked when the profile was parsed.
        profile.name().parse().map_err(|_| WorkspaceFault::NotFound {
            name: profile.name().to_owned(),
            available: Vec::new(),
        })
    }

    fn write(&self, name: &ProfileName, profile: &Profile) -> Result<(), WorkspaceFault> {
        let path = self.profile_file(name);
        write_atomically(&path, profile.text().as_bytes())
            .map_err(|source| WorkspaceFault::Disk { path, source })
    }

    fn lock_profiles(&self) -> Result<FileLock, WorkspaceFault> {
        let folder = self.profiles_dir();
        lock(&folder).map_err(|source| WorkspaceFault::Disk { path: folder, source })
    }
}

/// Waits for the lock of a folder; creates the folder if it is missing.
pub(crate) fn lock(folder: &Path) -> io::Result<FileLock> {
    fs::create_dir_all(folder)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(".ghostpen-lock"))?;
    file.lock()?;
    Ok(FileLock(file))
}

pub(crate) fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    Ok(files::read_text(path, bytes_max)?)
}

fn stem_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The fields for a list; the rest of the file is skipped.
#[derive(Deserialize)]
struct ProfileHead {
    profile_type: String,
    language: String,
    version: u64,
    updated_at: String,
    #[serde(default)]
    voice: Tone,
}

#[derive(Deserialize, Default)]
struct Tone {
    #[serde(default)]
    tone: String,
}

fn line_of(path: &Path) -> ProfileSummary {
    let name = stem_of(path);
    let head =
        read_text(path, PROFILE_BYTES_MAX).map_err(|fault| fault.to_string()).and_then(|text| {
            serde_json::from_str::<ProfileHead>(&text).map_err(|fault| fault.to_string())
        });
    match head {
        Ok(ProfileHead { profile_type, language, version, updated_at, voice }) => ProfileSummary {
            name,
            kind: profile_type,
            language,
            version,
            updated_at,
            tone_summary: voice.tone,
            broken: None,
        },
        Err(fault) => ProfileSummary {
            name,
            kind: "?".to_owned(),
            language: String::new(),
            version: 0,
            updated_at: String::new(),
            tone_summary: String::new(),
            broken: Some(fault),
        },
    }
}

#[cfg(test)]
mod tests;
