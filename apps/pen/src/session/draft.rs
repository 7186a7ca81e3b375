//! A draft as it is stored: a log of events, and the state that follows from them.
//!
//! Must hold: the state is a pure function of the events, so that a session goes on after a
//! crash where it was: with all versions, undone ones too, and the question that was open.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::profile_gate::ProfileSource;
use crate::feedback::Category;
use crate::lint::Finding;
use crate::posts::length::Platform;

/// One event of a draft's log. Events are added and never change their meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum DraftEvent {
    Started(Started),
    /// The author's notes, as material for the first draft.
    Notes {
        text: String,
    },
    /// A text that facts may come from.
    Source {
        text: String,
    },
    /// What the author said of the draft.
    Feedback {
        text: String,
        at: String,
    },
    Version(Version),
    /// Undo or redo: this version counts now.
    Moved {
        version: usize,
    },
    /// The author is asked something.
    Asked {
        question: Question,
    },
    /// The question is settled.
    Answered,
    Saved {
        file: String,
        at: String,
    },
    Left {
        at: String,
    },
    /// The author wants to publish it on this day, or on none that is known.
    Planned {
        day: Option<String>,
        at: String,
    },
    /// The author goes on.
    Resumed {
        at: String,
    },
    /// The author does not want it any more; its texts are kept for a while.
    Deleted {
        at: String,
    },
    /// The author wants it back.
    Restored {
        at: String,
    },
}

/// How a draft began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    pub request: String,
    pub topic: String,
    pub profile: ProfileSource,
    pub profile_used: String,
    pub platform: Platform,
    /// Was the author promised facts from the web?
    #[serde(default)]
    pub facts: bool,
    #[serde(default)]
    pub variants: usize,
    pub at: String,
}

/// One text of the draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    pub text: String,
    pub origin: Origin,
    pub violations: Vec<Finding>,
    pub at: String,
}

/// Where a version comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The model wrote the whole text.
    Model,
    /// An edit of one part.
    Edit,
    /// The author's own editor.
    Hand,
}

/// What the author is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Question {
    /// Which opening?
    Hook { hooks: Vec<String> },
    /// Change this field of the profile?
    Proposal(ProfileChange),
    /// Is this value, which the author typed, right?
    Value(ProfileChange),
    /// Save the post in Notion too?
    Notion,
}

/// A change of the personal profile, not made yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileChange {
    pub category: Category,
    /// How often the remark was made.
    pub count: u64,
    pub field: String,
    pub old: Value,
    pub new: Value,
}

/// The state of a draft.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Draft {
    pub started: Option<Started>,
    pub notes: Option<String>,
    /// Texts that facts may come from, the request first.
    pub sources: Vec<String>,
    pub versions: Vec<Version>,
    /// The index of the version that counts.
    pub current: usize,
    pub feedback: usize,
    pub question: Option<Question>,
    pub status: Status,
    /// The names of the files in which it was saved.
    #[serde(default)]
    pub files: Vec<String>,
    /// The day on which the author wants to publish it: `2026-02-08`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<String>,
    /// When it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
    pub updated: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    #[default]
    Open,
    Left,
    Saved {
        file: String,
    },
}

impl Draft {
    /// The state after these events.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a DraftEvent>) -> Self {
        let mut draft = Self::default();
        events.into_iter().for_each(|event| draft.apply(event));
        draft
    }

    pub fn apply(&mut self, event: &DraftEvent) {
        match event {
            DraftEvent::Started(started) => {
                self.sources.push(started.request.clone());
                self.updated.clone_from(&started.at);
                self.started = Some(started.clone());
            }
            DraftEvent::Notes { text } => {
                self.sources.push(text.clone());
                self.notes = Some(text.clone());
            }
            DraftEvent::Source { text } => self.sources.push(text.clone()),
            DraftEvent::Feedback { at, .. } => {
                self.feedback += 1;
                self.updated.clone_from(at);
            }
            DraftEvent::Version(version) => {
                // What was undone is out of the way; the log still has it.
                self.versions.truncate(self.current + 1);
                self.updated.clone_from(&version.at);
                self.versions.push(version.clone());
                self.current = self.versions.len() - 1;
            }
            DraftEvent::Moved { version } => {
                self.current = (*version).min(self.versions.len().saturating_sub(1));
            }
            DraftEvent::Asked { question } => self.question = Some(question.clone()),
            DraftEvent::Answered => self.question = None,
            DraftEvent::Saved { file, at } => {
                let name = std::path::Path::new(file).file_name().and_then(|name| name.to_str());
                self.files.extend(name.map(str::to_owned));
                self.status = Status::Saved { file: file.clone() };
                self.updated.clone_from(at);
            }
            DraftEvent::Left { at } => {
                if self.status == Status::Open {
                    self.status = Status::Left;
                }
                self.updated.clone_from(at);
            }
            DraftEvent::Planned { day, at } => {
                self.planned.clone_from(day);
                self.updated.clone_from(at);
            }
            DraftEvent::Resumed { at } => {
                self.status = Status::Open;
                self.updated.clone_from(at);
            }
            // Its place in a list by time stays.
            DraftEvent::Deleted { at } => self.deleted = Some(at.clone()),
            DraftEvent::Restored { .. } => self.deleted = None,
        }
    }

    /// The text that counts; empty before the first one.
    pub fn text(&self) -> &str {
        self.versions.get(self.current).map_or("", |version| version.text.as_str())
    }

    /// The last text of the model up to here, to find what the author changed by hand.
    pub fn model_text(&self) -> &str {
        let up_to = self.versions.iter().take(self.current + 1).rev();
        let by_model = up_to.into_iter().find(|version| version.origin != Origin::Hand);
        by_model.map_or("", |version| version.text.as_str())
    }

    pub fn topic(&self) -> &str {
        self.started.as_ref().map_or("", |started| started.topic.as_str())
    }
}

#[cfg(test)]
mod tests;
