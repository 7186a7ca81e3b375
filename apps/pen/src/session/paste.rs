//! A prompt to paste: what a session would send for the first draft, made without a model.

use super::Shown;
use super::platform_choice::choose;
use super::ports::SessionFault;
use super::profile_gate::{ProfileSource, on_disk};
use super::prompt::{Brief, to_paste};
use super::request::Request;
use super::sources::{PAST_MAX, keywords};
use crate::posts::Query;
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::tools::Pen;

/// A prompt, and what it was made of.
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
        let (profile, mixed) = on_disk(source, pen, lang)?;
        let (platform, notices) = choose((platform, &request.platform), &profile, lang);
        let keywords = keywords(&request.topic);
        let past = match keywords.is_empty() {
            true => Vec::new(),
            false => pen.posts().search(&Query { keywords, platform: None, limit: PAST_MAX }).0,
        };
        let brief = Brief { request: &request.text, past: &past, notes, ..Brief::default() };
        let prompt = to_paste(&profile, platform, mixed.as_ref(), &brief);
        let profile_used =
            mixed.as_ref().map_or_else(|| profile.name().to_owned(), |mixed| mixed.used.clone());
        Ok(Self { prompt, platform, profile, profile_used, notices })
    }
}
