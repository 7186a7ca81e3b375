//! The folder of a writer: profiles, posts, logs, the feedback tracker.
//!
//! Must hold: files are written atomically; a lock is held from reading a profile or the tracker
//! to writing it, so that two programs lose nothing.

mod history;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use files::write_atomically;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};

pub use history::{PastProfile, STATES_MAX};

use crate::clock::Now;
use crate::style::profile::{Changed, Profile, ProfileFault, ProfileName, RefusedChange};
use crate::text::language::Lang;

/// The maximum size of a profile.
const PROFILE_BYTES_MAX: u64 = 1 << 20;
/// The maximum number of listed profiles.
const PROFILES_MAX: usize = 10_000;

/// The maximum number of profiles whose examples a draft is compared with.
const OTHERS_MAX: usize = 200;

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

impl WorkspaceFault {
    /// The fault in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            WorkspaceFault::NotFound { name, available } => match available.as_slice() {
                [] => lang.fill("fault.no_profile_yet", &[("name", name)]),
                _ if name == crate::style::profile::DEFAULT => {
                    lang.fill("fault.no_profile_yet", &[("name", name)])
                }
                some => {
                    let list = some.join(", ");
                    lang.fill("fault.profile_not_found", &[("name", name), ("available", &list)])
                }
            },
            WorkspaceFault::Broken { name, fault } => {
                let why = fault.text(lang);
                lang.fill("fault.profile_broken", &[("name", name), ("why", &why)])
            }
            WorkspaceFault::Refused(refused) => refused.text(lang),
            WorkspaceFault::Exists(name) => lang.fill("fault.profile_exists", &[("name", name)]),
            WorkspaceFault::OtherName { name, found } => {
                lang.fill("fault.other_name", &[("name", name), ("found", found)])
            }
            WorkspaceFault::Disk { path, source } => {
                let path = path.display();
                lang.fill("fault.disk", &[("path", &path), ("why", source)])
            }
        }
    }
}

impl WorkspaceFault {
    /// What the writer can do about it.
    pub fn fix(&self, lang: Lang) -> &'static str {
        lang.say(match self {
            WorkspaceFault::NotFound { available, .. } if available.is_empty() => {
                "profile.fix_init"
            }
            WorkspaceFault::NotFound { .. } => "profile.fix_list",
            WorkspaceFault::Broken { .. } | WorkspaceFault::OtherName { .. } => {
                "profile.fix_fields"
            }
            WorkspaceFault::Refused(_) => "profile.fix_change",
            WorkspaceFault::Exists(_) => "profile.fix_exists",
            WorkspaceFault::Disk { .. } => "profile.fix_disk",
        })
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
        self.remember(name, now)?;
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

    /// Replaces the profile of the same name; the old one joins the history.
    pub fn replace(&self, profile: &Profile, now: Now) -> Result<(), WorkspaceFault> {
        let name = self.name_of(profile)?;
        let _locked = self.lock_profiles()?;
        self.remember(&name, now)?;
        self.write(&name, profile)
    }

    /// Deletes a profile; its history stays.
    pub fn delete(&self, name: &ProfileName, now: Now) -> Result<(), WorkspaceFault> {
        let _locked = self.lock_profiles()?;
        self.remember(name, now)?;
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
    pub fn list(&self, lang: Lang) -> Vec<ProfileSummary> {
        let mut list: Vec<_> = self.files().par_iter().map(|path| line_of(path, lang)).collect();
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

    /// The example posts of all profiles but this one.
    pub fn examples_except(&self, name: &str) -> Vec<String> {
        let others = self.names().into_iter().filter(|other| other != name).take(OTHERS_MAX);
        let names = others.filter_map(|other| other.parse::<ProfileName>().ok());
        let profiles = names.filter_map(|other| self.read(&other).ok());
        profiles.flat_map(|profile| profile.examples()).map(|example| example.text).collect()
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

/// A profile in the list. One that cannot be used is listed with what is wrong with it.
fn line_of(path: &Path, lang: Lang) -> ProfileSummary {
    let name = stem_of(path);
    let text = read_text(path, PROFILE_BYTES_MAX).map_err(|fault| fault.to_string());
    let profile = text.and_then(|text| Profile::parse(&text).map_err(|fault| fault.text(lang)));
    let profile = profile.and_then(|profile| match profile.name() == name {
        true => Ok(profile),
        false => {
            let found = profile.name().to_owned();
            Err(WorkspaceFault::OtherName { name: name.clone(), found }.text(lang))
        }
    });
    match profile {
        Ok(profile) => {
            let text = |field: &str| {
                let value = profile.value().get(field).and_then(Value::as_str);
                value.unwrap_or_default().to_owned()
            };
            ProfileSummary {
                name,
                kind: text("profile_type"),
                language: text("language"),
                version: profile.version(),
                updated_at: text("updated_at"),
                tone_summary: profile.voice("tone").to_owned(),
                broken: None,
            }
        }
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
