//! The right to ask for a draft: a profile that was read in this conversation.

use serde_json::{Value, json};

use super::ports::{Author, Conversation, SessionFault};
use crate::style::mix::{Mixed, mix};
use crate::style::profile::{Profile, ProfileName};
use crate::text::language::Lang;
use crate::tools::Pen;

/// Which profile a draft is written with.
#[derive(Debug, Clone)]
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
    pub(super) async fn read<C, A>(
        source: &ProfileSource,
        (pen, lang): (&Pen, Lang),
        conversation: &mut C,
        author: &mut A,
    ) -> Result<Self, A::Fault>
    where
        C: Conversation<Fault = A::Fault>,
        A: Author,
    {
        let (base, techniques) = match source {
            ProfileSource::One(name) => {
                let profile = read(name, pen, lang, conversation, author).await?;
                let personal = profile.name().to_owned();
                return Ok(Self { profile, mixed: None, personal });
            }
            ProfileSource::Mix(base, techniques) => (base, techniques),
        };
        if base == techniques {
            return Err(author.fault(SessionFault::message(
                lang.pick("мікс потребує двох різних профілів", "a mix needs two profiles"),
                "--mix default competitor-alex",
            )));
        }
        let base = read(base, pen, lang, conversation, author).await?;
        let techniques = read(techniques, pen, lang, conversation, author).await?;
        let mixed =
            mix(&base, &techniques).map_err(|fault| author.fault(SessionFault::Mix(fault)))?;
        let from = lang.pick("взято від", "taken from");
        let borrowed = mixed.borrowed.join(", ");
        author.message(&format!("Mix: {from} {}: {borrowed}", techniques.name()))?;
        for hook in &mixed.dropped {
            let dropped = lang
                .pick("hook відкинуто, бо база його уникає", "hook left out, the base avoids it");
            author.message(&format!("  {dropped}: {hook}"))?;
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

/// A profile by its name.
pub(super) fn profile(name: &str, pen: &Pen) -> Result<Profile, SessionFault> {
    let name: ProfileName = name.parse().map_err(SessionFault::BadName)?;
    pen.workspace().read(&name).map_err(SessionFault::Profile)
}

async fn read<C, A>(
    name: &str,
    pen: &Pen,
    lang: Lang,
    conversation: &mut C,
    author: &mut A,
) -> Result<Profile, A::Fault>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    // A bad name is reported before anything is read.
    let name: ProfileName = name.parse().map_err(|bad| author.fault(SessionFault::BadName(bad)))?;
    let data = conversation.run("read_style_profile", json!({ "profile_name": name })).await;
    let data =
        data.map_err(|message| author.fault(SessionFault::message(message, "run it again")))?;
    if data.get("success") != Some(&Value::Bool(true)) {
        let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
        let fix = lang.pick(
            "`ghostpen init` створює профіль, `ghostpen profile list` показує всі",
            "`ghostpen init` creates one, `ghostpen profile list` shows them all",
        );
        return Err(author.fault(SessionFault::message(message, fix)));
    }
    let profile = profile(name.as_str(), pen).map_err(|fault| author.fault(fault))?;
    author.step("read_style_profile", &format!("{name} v{}", profile.version()));
    Ok(profile)
}
