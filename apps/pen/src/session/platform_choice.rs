//! Which platform a draft is for, and what the author is told about the choice.

use super::Shown;
use super::request::PlatformChoice;
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;

/// The option, else the request, else the first platform of the profile, which is reported.
pub(super) fn choose(
    (option, named): (Option<Platform>, &PlatformChoice),
    profile: &Profile,
    lang: Lang,
) -> (Platform, Vec<Shown>) {
    let first = profile.platforms().first().copied().unwrap_or(Platform::Linkedin);
    let mut notices = Vec::new();
    let guess = |platform: Platform| Shown::Note {
        text: lang.fill("session.platform_guess", &[("platform", &platform)]),
    };
    let platform = match (option, named) {
        (Some(platform), _) => platform,
        (None, PlatformChoice::Named(platform)) => *platform,
        (None, PlatformChoice::Perhaps(platform)) => {
            notices.push(guess(*platform));
            *platform
        }
        (None, PlatformChoice::Several(named)) => {
            let chosen = named.first().copied().unwrap_or(first);
            let all: Vec<_> = named.iter().map(|one| one.as_str()).collect();
            let all = all.join(", ");
            let values: [(&str, &dyn std::fmt::Display); 2] =
                [("all", &all), ("platform", &chosen)];
            let text = lang.fill("session.platforms_named", &values);
            notices.push(Shown::Message { text });
            chosen
        }
        (None, PlatformChoice::Unsaid) => {
            notices.push(guess(first));
            first
        }
    };
    if profile.platform(platform).is_none() {
        let text = lang.fill("session.platform_unknown", &[("platform", &platform)]);
        notices.push(Shown::Note { text });
    }
    (platform, notices)
}
