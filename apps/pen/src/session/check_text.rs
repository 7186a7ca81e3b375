//! Checks a text as a session would, outside of one: while the author types.

use super::draft_profile::DraftProfile;
use crate::lint::{LintContext, Report, lint};
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::tools::Pen;

/// Saved posts that a text is compared with, those with the most words in common.
const SIMILAR_MAX: usize = 20;

/// What a text is checked against.
#[derive(Clone, Copy)]
pub struct TextCheck<'a> {
    pub pen: &'a Pen,
    pub profile: &'a DraftProfile,
    pub platform: Platform,
    /// The sources of facts; none: facts are not checked.
    pub given: Option<&'a [String]>,
    /// The files in which the text itself was saved.
    pub own: &'a [String],
    pub lang: Lang,
}

/// The findings of a text.
pub fn check_text(text: &str, check: &TextCheck<'_>) -> Report {
    let TextCheck { pen, profile, platform, given, own, lang } = check;
    let profile = &profile.profile;
    let mut texts = pen.workspace().examples_except(profile.name());
    texts.extend(pen.posts().similar(text, SIMILAR_MAX, own));
    let past: Vec<&str> = texts.iter().map(String::as_str).collect();
    let given: Option<Vec<&str>> = given.map(|all| all.iter().map(String::as_str).collect());
    let (platform, lang) = (*platform, *lang);
    lint(text, &LintContext { profile, platform, past: &past, given: given.as_deref(), lang })
}

/// The most that a post may have: the profile's own limit, or the platform's.
pub fn length_max(profile: &Profile, platform: Platform) -> usize {
    let own = profile.platform(platform).and_then(|rules| rules.max_length);
    own.unwrap_or(usize::MAX).min(platform.limit())
}
