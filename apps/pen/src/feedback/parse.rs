//! Parses a line of feedback without a model: save, leave, undo, edit, style.
//!
//! The intent of the whole line comes first. A part of the text and a verb make a concrete edit;
//! a judgement is a remark on style; anything else goes to the model as it is.

use super::category::Category;
use super::edit::Edit;
use super::style_rules::judge;
use crate::intent::Intent;
use crate::text::fold;

/// A line of feedback, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feedback {
    Save,
    /// Save here and in Notion.
    SaveToNotion,
    /// The person edits the text by hand.
    ByHand,
    Leave,
    /// Start over.
    Again,
    Undo,
    Redo,
    Help,
    /// An answer to nothing that was asked: «ні», «може».
    Unclear,
    Edit(Edit),
    Style(Category),
    /// Something that only a model understands.
    Other,
}

/// Parses one line.
pub fn parse_feedback(line: &str) -> Feedback {
    match Intent::of(line) {
        Some(Intent::Save | Intent::Yes) => Feedback::Save,
        Some(Intent::SaveToNotion) => Feedback::SaveToNotion,
        Some(Intent::EditByHand) => Feedback::ByHand,
        Some(Intent::Stop | Intent::Later) => Feedback::Leave,
        Some(Intent::StartOver) => Feedback::Again,
        Some(Intent::Undo) => Feedback::Undo,
        Some(Intent::Redo) => Feedback::Redo,
        Some(Intent::Help) => Feedback::Help,
        Some(Intent::No | Intent::Update | Intent::Unclear | Intent::Nothing) => Feedback::Unclear,
        None => match Edit::parse(line) {
            Some(edit) => Feedback::Edit(edit),
            None => judge(&fold(line)).map_or(Feedback::Other, Feedback::Style),
        },
    }
}
