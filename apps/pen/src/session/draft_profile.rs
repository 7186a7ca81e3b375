//! A profile as a draft uses it: one, or a mix of two, read without a conversation.

use super::ports::SessionFault;
use super::profile_gate::{ProfileSource, mix_of_one, profile};
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
            return Err(mix_of_one(lang));
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
