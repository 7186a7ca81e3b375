//! Counts remarks on style in `feedback-tracker.json` until a change is agreed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use files::write_atomically;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::category::Category;
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::style::profile::ProfileName;
use crate::text::language::Lang;
use crate::workspace::{Workspace, lock, read_text};

/// After this many remarks of one kind a change is proposed.
const THRESHOLD: u64 = 3;
const HISTORY_MAX: usize = 10;
const RAW_CHARS_MAX: usize = 500;
const TRACKER_BYTES_MAX: u64 = 4 << 20;

/// The tracker of a workspace.
#[derive(Debug, Clone)]
pub struct Tracker {
    workspace: Workspace,
    folder: PathBuf,
    file: PathBuf,
}

/// The count after a remark on style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tracked {
    pub category: Category,
    pub count: u64,
    pub threshold_reached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("the feedback tracker `{}` cannot be used", path.display())]
pub struct TrackerFault {
    path: PathBuf,
    source: io::Error,
}

impl Tracker {
    pub fn of(workspace: &Workspace) -> Self {
        let (folder, file) = (workspace.root().to_owned(), workspace.tracker_file());
        Self { workspace: workspace.clone(), folder, file }
    }

    /// Counts one remark.
    pub fn track(
        &self,
        category: Category,
        raw: &str,
        lang: Lang,
        now: Now,
    ) -> Result<Tracked, TrackerFault> {
        let raw: String = raw.chars().take(RAW_CHARS_MAX).collect();
        let mut count = 0;
        let mut declined_at = 0;
        self.change(category, now, |entry| {
            count = number(entry, "count") + 1;
            declined_at = number(entry, "declined_at");
            entry.insert("count".into(), json!(count));
            entry.insert("last_seen".into(), json!(now.iso()));
            let history = entry.entry("history").or_insert_with(|| json!([]));
            if !history.is_array() {
                *history = json!([]);
            }
            if let Value::Array(history) = history {
                history.push(json!({ "date": now.date(), "raw": raw }));
                let extra = history.len().saturating_sub(HISTORY_MAX);
                history.drain(..extra);
            }
        })?;
        let threshold_reached = count >= declined_at + THRESHOLD;
        let suggestion =
            threshold_reached.then(|| category.suggestion(count, &self.platforms(), lang));
        Ok(Tracked { category, count, threshold_reached, suggestion })
    }

    /// The platforms of the personal profile, or those that profiles have.
    fn platforms(&self) -> Vec<Platform> {
        let profile = self.workspace.read(&ProfileName::default());
        let platforms = profile.map(|profile| profile.platforms()).unwrap_or_default();
        match platforms.is_empty() {
            true => Platform::OF_PROFILES.to_vec(),
            false => platforms,
        }
    }

    /// A change was agreed: restarts the count. Nothing is written if nothing was counted.
    pub fn resolve(&self, category: Category, now: Now) -> Result<(), TrackerFault> {
        if !self.all().contains_key(category.as_str()) {
            return Ok(());
        }
        self.change(category, now, |entry| {
            let resolved = number(entry, "resolved") + 1;
            entry.insert("count".into(), json!(0));
            entry.insert("resolved".into(), json!(resolved));
            entry.remove("declined_at");
        })
    }

    /// The person declined: asks again after three more remarks.
    pub fn decline(&self, category: Category, now: Now) -> Result<(), TrackerFault> {
        self.change(category, now, |entry| {
            let count = number(entry, "count");
            entry.insert("declined_at".into(), json!(count));
        })
    }

    /// Everything that was counted.
    pub fn all(&self) -> Map<String, Value> {
        let text = read_text(&self.file, TRACKER_BYTES_MAX).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// The last remark in a category.
    pub fn last_words(&self, category: Category) -> Option<String> {
        let all = self.all();
        let history = all.get(category.as_str())?.get("history")?.as_array()?;
        Some(history.last()?.get("raw")?.as_str()?.to_owned())
    }

    fn change(
        &self,
        category: Category,
        now: Now,
        change: impl FnOnce(&mut Map<String, Value>),
    ) -> Result<(), TrackerFault> {
        let fault = |source| TrackerFault { path: self.file.clone(), source };
        let _locked = lock(&self.folder).map_err(fault)?;
        let mut all = self.read(now).map_err(fault)?;
        let entry = all.entry(category.as_str()).or_insert_with(|| json!({}));
        if !entry.is_object() {
            *entry = json!({});
        }
        if let Value::Object(entry) = entry {
            change(entry);
        }
        let text = serde_json::to_string_pretty(&all).map_err(io::Error::other).map_err(fault)?;
        write_atomically(&self.file, format!("{text}\n").as_bytes()).map_err(fault)
    }

    /// The counts so far. An unreadable file is renamed, never deleted.
    fn read(&self, now: Now) -> io::Result<Map<String, Value>> {
        match read_text(&self.file, TRACKER_BYTES_MAX) {
            Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(Map::new()),
            Err(fault) if fault.kind() != ErrorKind::InvalidData => Err(fault),
            text => match text.ok().and_then(|text| serde_json::from_str(&text).ok()) {
                Some(all) => Ok(all),
                None => {
                    let aside = format!("feedback-tracker.broken-{}.json", now.stamp());
                    fs::rename(&self.file, self.folder.join(&aside))?;
                    tracing::warn!(file = aside, "the feedback tracker is broken; it was renamed");
                    Ok(Map::new())
                }
            },
        }
    }
}

fn number(entry: &Map<String, Value>, name: &str) -> u64 {
    entry.get(name).and_then(Value::as_u64).unwrap_or_default()
}
