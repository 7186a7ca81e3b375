//! The transcript: what people said and heard, in the order of its beginning.

use policy::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::TurnNumber;

/// One line of the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When it began.
    pub at: Timestamp,
    pub turn: TurnNumber,
    pub speaker: Speaker,
    pub text: String,
    #[serde(default, skip_serializing_if = "Shown::is_yes")]
    pub shown: Shown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
    /// Our own words: a read-back, a question, a farewell. The model did not say them.
    Host,
}

/// Whether people see the line. A hidden one stays in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    #[default]
    Yes,
    No,
}

impl Shown {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_yes(&self) -> bool {
        *self == Shown::Yes
    }
}

/// Puts a line where it began: transcripts of speech come late.
pub(crate) fn insert(lines: &mut Vec<Line>, line: Line) {
    let at = lines.partition_point(|other| other.at <= line.at);
    lines.insert(at, line);
}
