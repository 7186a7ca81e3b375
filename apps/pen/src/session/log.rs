//! The log of one session: requests, tool calls, drafts, feedback and saves. No secrets.

use std::io;
use std::path::PathBuf;

use contract::{Secret, Usage};
use files::write_atomically;
use serde::Serialize;
use serde_json::{Value, json};

use crate::clock::Now;
use crate::workspace::Workspace;

/// The log of one session.
#[derive(Debug, Clone, Serialize)]
pub struct SessionLog {
    session_id: String,
    started_at: String,
    input: String,
    profile_used: String,
    notion_enabled: bool,
    events: Vec<SessionEvent>,
    usage: Tokens,
    cost_usd: Option<f64>,
    finished_at: Option<String>,
    #[serde(skip)]
    secrets: Vec<Secret>,
}

#[derive(Debug, Clone, Serialize)]
struct SessionEvent {
    timestamp: String,
    #[serde(rename = "type")]
    kind: EventKind,
    data: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    ApiCall,
    ToolCall,
    ToolResult,
    AssistantText,
    UserFeedback,
    Error,
    Save,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Tokens {
    input: u64,
    output: u64,
    cache_write: u64,
    cache_read: u64,
}

/// The maximum number of events; later ones are left out.
const EVENTS_MAX: usize = 10_000;

impl SessionLog {
    pub fn begin(input: &str, profile_used: &str, notion_enabled: bool, now: Now) -> Self {
        Self {
            session_id: now.stamp(),
            started_at: now.iso(),
            input: input.to_owned(),
            profile_used: profile_used.to_owned(),
            notion_enabled,
            events: Vec::new(),
            usage: Tokens::default(),
            cost_usd: None,
            finished_at: None,
            secrets: Vec::new(),
        }
    }

    /// Redacts a value everywhere in the log.
    pub fn hide(&mut self, secret: Secret) {
        if !secret.expose().is_empty() {
            self.secrets.push(secret);
        }
    }

    pub fn add(&mut self, kind: EventKind, data: Value, now: Now) {
        if self.events.len() < EVENTS_MAX {
            self.events.push(SessionEvent { timestamp: now.iso(), kind, data });
        }
    }

    pub fn spend(&mut self, usage: &Usage, cost_usd: Option<f64>) {
        let Usage { input, output, cache_read, cache_write, thinking: _ } = *usage;
        self.usage = Tokens { input, output, cache_write, cache_read };
        self.cost_usd = cost_usd;
    }

    /// Writes the log to a new file.
    pub fn finish(&mut self, workspace: &Workspace, now: Now) -> io::Result<PathBuf> {
        self.finished_at = Some(now.iso());
        let folder = workspace.logs_dir();
        std::fs::create_dir_all(&folder)?;
        let value = self.redacted(serde_json::to_value(&*self).map_err(io::Error::other)?);
        let text = serde_json::to_string_pretty(&value).map_err(io::Error::other)?;
        let mut path = folder.join(format!("{}.json", self.session_id));
        for number in 2..1_000 {
            if !path.exists() {
                break;
            }
            path = folder.join(format!("{}-{number}.json", self.session_id));
        }
        write_atomically(&path, format!("{text}\n").as_bytes())?;
        Ok(path)
    }

    fn redacted(&self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let hidden = self
                    .secrets
                    .iter()
                    .fold(text, |text, secret| text.replace(secret.expose(), "[secret]"));
                Value::String(hidden)
            }
            Value::Array(items) => items.into_iter().map(|item| self.redacted(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(key, value)| (key, self.redacted(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

/// Totals over all sessions of a workspace.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Sessions {
    pub sessions: usize,
    pub saved: usize,
    /// Saved without any feedback.
    pub saved_at_once: usize,
    pub feedback: usize,
    pub cost_usd: f64,
}

impl Workspace {
    /// Reads every session log.
    pub fn sessions(&self) -> Sessions {
        let mut sum = Sessions::default();
        let Ok(entries) = std::fs::read_dir(self.logs_dir()) else { return sum };
        for entry in entries.flatten() {
            let Ok(text) = crate::workspace::read_text(&entry.path(), 16 << 20) else { continue };
            let Ok(log) = serde_json::from_str::<Value>(&text) else { continue };
            let events = log["events"].as_array().cloned().unwrap_or_default();
            let count = |kind: &str| events.iter().filter(|one| one["type"] == kind).count();
            sum.sessions += 1;
            sum.feedback += count("user_feedback");
            sum.saved += usize::from(count("save") > 0);
            sum.saved_at_once += usize::from(count("save") > 0 && count("user_feedback") == 0);
            sum.cost_usd += log["cost_usd"].as_f64().unwrap_or_default();
        }
        sum
    }
}

impl Workspace {
    /// The saved drafts of all sessions with their files, from the logs.
    pub fn saved_drafts(&self) -> Vec<(PathBuf, String)> {
        let Ok(entries) = std::fs::read_dir(self.logs_dir()) else { return Vec::new() };
        let texts = entries
            .flatten()
            .filter_map(|entry| crate::workspace::read_text(&entry.path(), 16 << 20).ok());
        let logs = texts.filter_map(|text| serde_json::from_str::<Value>(&text).ok());
        let saves = logs.flat_map(|log| {
            let events = log["events"].as_array().cloned().unwrap_or_default();
            events.into_iter().filter(|event| event["type"] == "save")
        });
        saves
            .filter_map(|event| {
                let text = |name: &str| event["data"][name].as_str().map(str::to_owned);
                Some((PathBuf::from(text("file")?), text("text")?))
            })
            .collect()
    }
}

/// A lint report for the log.
pub fn logged(report: &crate::lint::Report) -> Value {
    json!({ "violations": report.violations, "unchecked": report.unchecked })
}

#[cfg(test)]
mod tests;
