//! What the author sees, one thing at a time.

use serde::Serialize;

use crate::lint::{Finding, Report};
use crate::posts::length::Platform;
use crate::text::diff::LineChange;

/// One thing that a view shows. A terminal prints it; a page can receive it as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shown {
    /// A step that the session took.
    Step {
        tool: String,
        result: String,
    },
    Message {
        text: String,
    },
    /// A message in the background.
    Note {
        text: String,
    },
    /// A message that ends with a value to stress.
    Value {
        label: String,
        value: String,
    },
    /// Text to copy or to choose from.
    Text {
        text: String,
    },
    /// The draft that counts now.
    Draft {
        text: String,
        version: usize,
        versions: usize,
    },
    /// The length and the findings of the draft.
    Findings {
        platform: Platform,
        length: usize,
        length_max: usize,
        report: Report,
    },
    /// Findings that the last change has brought.
    NewFindings {
        title: String,
        violations: Vec<Finding>,
    },
    /// What a change did.
    Diff {
        changes: Vec<LineChange>,
    },
    /// A proposed change of the profile.
    Proposal {
        why: String,
        field: String,
        changes: Vec<LineChange>,
    },
    /// A question; the next line is its answer.
    Question {
        text: String,
    },
    /// Asks for feedback.
    Invite {
        text: String,
    },
}
