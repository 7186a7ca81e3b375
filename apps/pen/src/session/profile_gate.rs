//! The right to ask for a draft: a profile that was read in this conversation.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shown;
use super::ports::{Conversation, SessionFault, View};
use crate::style::mix::{Mixed, mix};
use crate::style::profile::{Profile, ProfileName};
use crate::text::language::Lang;
use crate::tools::Pen;

/// Which profile a draft is written with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileSource {
    One(String),
    /// The voice of the first with the techniques of the second.
    Mix(String, String),
}

/// A profile that was read; without one there is no draft.
pub(super) struct ReadProfile {
    profile: Profile,
    mixed: Option<Mixed>,
    /// The profile that learns from feedback.
    personal: String,
}

impl ReadProfile {
    pub(super) async fn read<C, V>(
        source: &ProfileSource,
        (pen, lang): (&Pen, Lang),
        conversation: &mut C,
        view: &mut V,
    ) -> Result<Self, V::Fault>
    where
        C: Conversation<Fault = V::Fault>,
        V: View,
    {
        let (base, techniques) = match source {
            ProfileSource::One(name) => {
                let profile = read(name, pen, lang, conversation, view).await?;
                let personal = profile.name().to_owned();
                return Ok(Self { profile, mixed: None, personal });
            }
            ProfileSource::Mix(base, techniques) => (base, techniques),
        };
        if base == techniques {
            return Err(view.fault(mix_of_one(lang)));
        }
        let base = read(base, pen, lang, conversation, view).await?;
        let techniques = read(techniques, pen, lang, conversation, view).await?;
        let mixed =
            mix(&base, &techniques).map_err(|fault| view.fault(SessionFault::Mix(fault)))?;
        let borrowed = mixed.borrowed.join(", ");
        let from = techniques.name();
        let text = lang.fill("session.mix_takes", &[("profile", &from), ("fields", &borrowed)]);
        view.show(&Shown::Message { text })?;
        for hook in &mixed.dropped {
            let text = lang.fill("session.mix_drops", &[("hook", hook)]);
            view.show(&Shown::Message { text })?;
        }
        let personal = base.name().to_owned();
        Ok(Self { profile: mixed.profile.clone(), mixed: Some(mixed), personal })
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }

    pub(super) fn mix(&self) -> Option<&Mixed> {
        self.mixed.as_ref()
    }

    /// `default`, or `mix:default+competitor-alex`.
    pub(super) fn used(&self) -> &str {
        self.mixed.as_ref().map_or(self.profile.name(), |mixed| &mixed.used)
    }

    pub(super) fn personal(&self) -> &str {
        &self.personal
    }

    /// Reads the profile again after a change; the next drafts are checked against it.
    pub(super) fn reload(&mut self, pen: &Pen) -> Result<(), SessionFault> {
        if self.mixed.is_none() {
            self.profile = profile(&self.personal, pen)?;
        }
        Ok(())
    }
}

pub(super) fn mix_of_one(lang: Lang) -> SessionFault {
    SessionFault::message(lang.say("session.mix_of_one"), "--mix default competitor-alex")
}

/// A profile by its name.
pub(super) fn profile(name: &str, pen: &Pen) -> Result<Profile, SessionFault> {
    let name: ProfileName = name.parse().map_err(SessionFault::BadName)?;
    pen.workspace().read(&name).map_err(SessionFault::Profile)
}

async fn read<C, V>(
    name: &str,
    pen: &Pen,
    lang: Lang,
    conversation: &mut C,
    view: &mut V,
) -> Result<Profile, V::Fault>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    // A bad name is reported before anything is read.
    let name: ProfileName = name.parse().map_err(|bad| view.fault(SessionFault::BadName(bad)))?;
    let result = conversation.run("read_style_profile", json!({ "profile_name": name })).await;
    if let Err(failure) = result {
        let fix = lang.say("session.profile_fix");
        return Err(view.fault(SessionFault::message(failure.text(), fix)));
    }
    let profile = profile(name.as_str(), pen).map_err(|fault| view.fault(fault))?;
    let result = format!("{name} v{}", profile.version());
    view.show(&Shown::Step { tool: "read_style_profile".to_owned(), result })?;
    Ok(profile)
}
