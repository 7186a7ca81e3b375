//! The prompt that a session would send, as one text to paste into any chat.
//!
//! Must hold: it has the same rules, profile, past posts and request as the session's own
//! messages, because the same functions make them.

use super::draft::{Draft, Started};
use super::ports::SessionFault;
use super::profile_gate::{ProfileSource, profile};
use super::prompt::{self, Brief};
use super::sources::past_posts;
use crate::feedback::{Feedback, parse_feedback};
use crate::style::mix::{Mixed, mix};
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::tools::Pen;

/// A profile as a draft uses it.
#[derive(Debug, Clone)]
pub struct DraftProfile {
    pub profile: Profile,
    pub mixed: Option<Mixed>,
}

impl DraftProfile {
    /// Reads the profile, or mixes the two.
    pub fn read(source: &ProfileSource, pen: &Pen, lang: Lang) -> Result<Self, SessionFault> {
        let (base, techniques) = match source {
            ProfileSource::One(name) => {
                return Ok(Self { profile: profile(name, pen)?, mixed: None });
            }
            ProfileSource::Mix(base, techniques) => (base, techniques),
        };
        if base == techniques {
            let what = lang.say("session.mix_of_one");
            return Err(SessionFault::message(what, "--mix default competitor-alex"));
        }
        let mixed = mix(&profile(base, pen)?, &profile(techniques, pen)?);
        let mixed = mixed.map_err(SessionFault::Mix)?;
        Ok(Self { profile: mixed.profile.clone(), mixed: Some(mixed) })
    }

    /// `default`, or `mix:default+competitor-alex`.
    pub fn used(&self) -> &str {
        self.mixed.as_ref().map_or(self.profile.name(), |mixed| &mixed.used)
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
    let system = prompt::system(&read.profile, started.platform, read.mixed.as_ref());
    let message = match remark {
        Some(remark) if !draft.text().is_empty() => about(draft, started, remark),
        Some(_) | None => first(draft, started, pen),
    };
    Ok(format!("{system}\n\n---\n\n{message}\n"))
}

fn first(draft: &Draft, started: &Started, pen: &Pen) -> String {
    let past = past_posts(&started.topic, pen);
    prompt::first(&Brief {
        request: &started.request,
        past: &past,
        notes: draft.notes.as_deref(),
        // There is no search in a chat that we do not know.
        facts: false,
        hook: None,
    })
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
