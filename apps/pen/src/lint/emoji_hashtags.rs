//! Emoji and hashtags: how many, which, where.

use super::{Level, LintContext, Report, Rule};
use crate::posts::length::Platform;
use crate::text::emoji::{emoji, is_arrow};
use crate::text::{fold, hashtags, words};

pub(super) fn check_emoji(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let usage = against.profile.voice("emoji_usage");
    let folded = fold(usage);
    let found = emoji(draft);
    if says_never(&folded) {
        for span in found {
            let hint = report.lang.fill("lint.emoji_none", &[("usage", &usage)]);
            report.find(Rule::Emoji, Level::Error, draft, span, hint);
        }
        return;
    }
    if let (Some((_, most)), false) = (range_in(&folded), found.is_empty())
        && let (true, Some(extra)) = (found.len() > most, found.get(most))
    {
        let hint = report.there_are(found.len(), &report.profile_says(usage));
        report.find(Rule::Emoji, Level::Warn, draft, extra.clone(), hint);
    }
    let allowed: Vec<&str> = emoji(usage).into_iter().map(|span| &usage[span]).collect();
    let is_closed = ["тільки", "лише", "only", "just"].iter().any(|word| folded.contains(word));
    if !is_closed || (allowed.is_empty() && !usage.chars().any(is_arrow)) {
        return;
    }
    for span in found {
        if !allowed.iter().any(|one| bare(one) == bare(&draft[span.clone()])) {
            let hint = report.lang.fill("lint.emoji_own", &[("usage", &usage)]);
            report.find(Rule::Emoji, Level::Error, draft, span, hint);
        }
    }
}

/// Does a description of emoji use say "none"?
pub(crate) fn says_never(folded: &str) -> bool {
    let never =
        ["ніколи не", "не використов", "без emoji", "без емодзі", "no emoji", "never uses", "none"];
    never.iter().any(|word| folded.contains(word))
        || matches!(folded.trim(), "ніколи" | "never" | "немає" | "не вживає")
}

/// An emoji without its variation selector.
fn bare(sign: &str) -> String {
    sign.chars().filter(|c| *c != '\u{fe0f}').collect()
}

pub(super) fn check_hashtags(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let LintContext { profile, platform, .. } = against;
    let rules = profile.platform(*platform);
    let wish = rules.as_ref().and_then(|rules| rules.hashtags.clone()).unwrap_or_default();
    let formatting = rules.map(|rules| rules.formatting).unwrap_or_default();
    let folded = fold(&wish);
    let found = hashtags(draft);
    let wanted = range_in(&folded);
    check_limit(*platform, &wish, wanted, report);
    let in_comment = folded.contains("комент") || folded.contains("comment");
    let most = match (in_comment, wanted, platform.hashtags_max()) {
        (true, _, _) => Some(0),
        (false, Some((_, wanted)), Some(limit)) => Some(wanted.min(limit)),
        (false, Some((_, wanted)), None) => Some(wanted),
        (false, None, limit) => limit,
    };
    if let Some(most) = most
        && found.len() > most
    {
        let reason = match wish.is_empty() {
            true => {
                report.lang.fill("lint.platform_allows", &[("platform", platform), ("most", &most)])
            }
            false => report.profile_says(&wish),
        };
        // The number is about the whole draft: each tag may have a finding about its place.
        let text = report.lang.fill("lint.hashtags_count", &[("count", &found.len())]);
        report.whole(Rule::Hashtags, Level::Error, text, reason);
    }
    let at_end = folded.contains("кінці") || folded.contains("end");
    let not_inside = at_end || fold(&formatting).contains("без хештегів в тілі");
    if not_inside {
        for tag in found.iter().filter(|tag| !tag.at_end) {
            let hint = report.say("lint.hashtags_end");
            report.find(Rule::Hashtags, Level::Error, draft, tag.span.clone(), hint.to_owned());
        }
    }
    if let (false, Some((least, _))) = (in_comment, wanted)
        && found.len() < least
    {
        let text = report.lang.fill("lint.hashtags_count", &[("count", &found.len())]);
        report.whole(Rule::Hashtags, Level::Warn, text, report.profile_says(&wish));
    }
}

/// A profile may ask for more than the platform allows.
fn check_limit(
    platform: Platform,
    wish: &str,
    wanted: Option<(usize, usize)>,
    report: &mut Report,
) {
    if let (Some((_, most)), Some(limit)) = (wanted, platform.hashtags_max())
        && most > limit
    {
        let hint =
            report.lang.fill("lint.platform_limit", &[("platform", &platform), ("limit", &limit)]);
        report.whole(Rule::Hashtags, Level::Warn, report.profile_says(wish), hint);
    }
}

/// «3-5», `0–1`, `2`: the least and the most.
pub(crate) fn range_in(folded: &str) -> Option<(usize, usize)> {
    let mut numbers =
        words(folded).filter_map(|word| Some((word, word.text.parse::<usize>().ok()?)));
    let (first, least) = numbers.next()?;
    match numbers.next() {
        Some((second, most)) => {
            let between = folded[first.end()..second.start].trim();
            let is_range = matches!(between, "-" | "–" | "—" | "до" | "to");
            Some(if is_range { (least, most) } else { (least, least) })
        }
        None => Some((0, least))
            .filter(|_| folded.contains("до ") || folded.contains("up to"))
            .or(Some((least, least))),
    }
}
