//! The prompt that a session would send, as one text to paste into any chat.
//!
//! Must hold: it has the same rules, profile, past posts and request as the session's own
//! messages, because the same functions make them.

use super::Shown;
use super::draft::{Draft, Started};
use super::draft_profile::DraftProfile;
use super::platform_choice::choose;
use super::ports::SessionFault;
use super::profile_gate::ProfileSource;
use super::prompt::{self, Brief};
use super::request::Request;
use super::sources::past_posts;
use crate::feedback::{Feedback, parse_feedback};
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::tools::Pen;

/// A prompt for a first draft, and what it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Paste {
    pub prompt: String,
    pub platform: Platform,
    /// The profile, or the mix of two.
    pub profile: Profile,
    /// A profile's name, or `mix:base+techniques`.
    pub profile_used: String,
    /// What the author is told about the choice of the platform and the mix.
    pub notices: Vec<Shown>,
}

impl Paste {
    /// Reads the profile and the past posts, and writes the prompt.
    pub fn of(
        request: &Request,
        source: &ProfileSource,
        platform: Option<Platform>,
        notes: Option<&str>,
        (pen, lang): (&Pen, Lang),
    ) -> Result<Self, SessionFault> {
        let read = DraftProfile::read(source, pen, lang)?;
        let (platform, notices) = choose((platform, &request.platform), &read.profile, lang);
        let message = first(&request.text, &request.topic, notes, pen);
        let prompt = to_paste(&read, platform, &message);
        let profile_used = read.used().to_owned();
        Ok(Self { prompt, platform, profile: read.profile, profile_used, notices })
    }
}

/// The prompt for the first text of a draft; with a remark, for the next one.
pub fn paste_prompt(
    draft: &Draft,
    remark: Option<&str>,
    pen: &Pen,
    lang: Lang,
) -> Result<String, SessionFault> {
    let Some(started) = &draft.started else {
        let what = lang.say("session.empty_draft");
        return Err(SessionFault::message(what, lang.say("session.empty_draft_fix")));
    };
    let read = DraftProfile::read(&started.profile, pen, lang)?;
    let message = match remark {
        Some(remark) if !draft.text().is_empty() => about(draft, started, remark),
        Some(_) | None => first(&started.request, &started.topic, draft.notes.as_deref(), pen),
    };
    Ok(to_paste(&read, started.platform, &message))
}

fn to_paste(read: &DraftProfile, platform: Platform, message: &str) -> String {
    let rules = prompt::without_tools(&read.profile, platform, read.mixed.as_ref());
    format!("{rules}\n\n{message}\n")
}

/// The message for the first text. It asks for no facts: whether the chat can search is unknown.
fn first(request: &str, topic: &str, notes: Option<&str>, pen: &Pen) -> String {
    let past = past_posts(topic, pen);
    prompt::first(&Brief { request, past: &past, notes, ..Brief::default() })
}

/// The message that a session sends for this remark.
fn about(draft: &Draft, started: &Started, remark: &str) -> String {
    let text = draft.text();
    match parse_feedback(remark) {
        Feedback::Style(category) => prompt::restyled(text, remark, category),
        Feedback::Again => prompt::again(&started.request, text),
        Feedback::Save
        | Feedback::SaveToNotion
        | Feedback::ByHand
        | Feedback::Leave
        | Feedback::Undo
        | Feedback::Redo
        | Feedback::Help
        | Feedback::Unclear
        | Feedback::Edit(_)
        | Feedback::Other => prompt::revised(text, remark),
    }
}

#[cfg(test)]
mod tests;
