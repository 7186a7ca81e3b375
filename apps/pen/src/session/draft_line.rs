//! What a list of drafts shows of each, kept beside its log so that a list replays none.
//!
//! A line is written after the event that changes it. A crash between the two leaves the line as
//! it was; the next event, which taking up the draft is, writes it anew.

use serde::{Deserialize, Serialize};

use super::draft::{Draft, Status};
use crate::posts::length::Platform;

const PREVIEW_CHARS: usize = 160;

/// One draft in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftLine {
    pub topic: String,
    pub request: Option<String>,
    pub platform: Option<Platform>,
    pub profile: Option<String>,
    pub begun: Option<String>,
    pub updated: String,
    pub planned: Option<String>,
    pub status: LineStatus,
    /// The file in which it was saved last.
    pub file: Option<String>,
    pub preview: String,
    pub versions: usize,
    /// When it was deleted; until it is erased it can be brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineStatus {
    Open,
    Left,
    Saved,
}

impl DraftLine {
    pub fn of(draft: &Draft) -> Self {
        let started = draft.started.as_ref();
        let (status, file) = match &draft.status {
            Status::Open => (LineStatus::Open, None),
            Status::Left => (LineStatus::Left, None),
            Status::Saved { .. } => (LineStatus::Saved, draft.files.last().cloned()),
        };
        Self {
            topic: draft.topic().to_owned(),
            request: started.map(|started| started.request.clone()),
            platform: started.map(|started| started.platform),
            profile: started.map(|started| started.profile_used.clone()),
            begun: started.map(|started| started.at.clone()),
            updated: draft.updated.clone(),
            planned: draft.planned.clone(),
            status,
            file,
            preview: draft.text().chars().take(PREVIEW_CHARS).collect(),
            versions: draft.versions.len(),
            deleted: draft.deleted.clone(),
        }
    }
}
