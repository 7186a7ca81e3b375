//! Compares a profile with measurements of posts.

use serde::Serialize;

use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::style::stylometry::Stylometry;
use crate::text::fold;
use crate::text::language::Lang;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileDifference {
    pub field: String,
    pub profile: String,
    pub measured: String,
}

/// Compares a profile with what posts show; an empty list means that they agree.
pub fn compare(profile: &Profile, style: &Stylometry, lang: Lang) -> Vec<ProfileDifference> {
    let mut lines = Vec::new();
    let mut differ = |field: &str, profile: String, measured: String| {
        lines.push(ProfileDifference { field: field.to_owned(), profile, measured });
    };
    if profile.language() != style.language {
        differ("language", profile.language().to_owned(), style.language.clone());
    }
    let used: Vec<&str> = profile.voices("signature_phrases");
    let found: Vec<&String> = style
        .signature_candidates
        .iter()
        .filter(|phrase| !used.iter().any(|known| fold(known).contains(phrase.as_str())))
        .collect();
    if !found.is_empty() {
        let joined = found.iter().map(|one| format!("«{one}»")).collect::<Vec<_>>().join(", ");
        differ("voice.signature_phrases", used.join(", "), joined);
    }
    if let Some(before) = profile
        .measured()
        .and_then(|value| serde_json::from_value::<Stylometry>(value.clone()).ok())
    {
        compare_numbers(&before, style, lang, &mut differ);
    } else {
        let words = &style.rhythm.sentence_words;
        let measured = match lang {
            Lang::Uk => format!("у середньому {:.1} слів, найдовше {:.0}", words.mean, words.max),
            Lang::En => format!("{:.1} words on average, {:.0} at most", words.mean, words.max),
        };
        differ("voice.sentence_style", profile.voice("sentence_style").to_owned(), measured);
    }
    let emoji = format!("{:.1} / {}", style.emoji.per_post, lang.pick("пост", "post"));
    let says_none = crate::lint::says_no_emoji(&fold(profile.voice("emoji_usage")));
    if style.emoji.most > 0 && says_none {
        differ("voice.emoji_usage", profile.voice("emoji_usage").to_owned(), emoji);
    }
    for platform in Platform::OF_PROFILES {
        let wanted = profile.platform(platform).and_then(|rules| rules.hashtags);
        let limit = platform.hashtags_max();
        let range = wanted.as_deref().and_then(crate::lint::hashtag_range);
        if let (Some(wanted), Some(limit), Some((_, most))) = (wanted, limit, range)
            && most > limit
        {
            let field = format!("platforms.{platform}.hashtags");
            let text = match lang {
                Lang::Uk => format!("{platform} дозволяє щонайбільше {limit}"),
                Lang::En => format!("{platform} allows {limit} at most"),
            };
            differ(&field, wanted, text);
        }
    }
    lines
}

fn compare_numbers(
    before: &Stylometry,
    now: &Stylometry,
    lang: Lang,
    differ: &mut impl FnMut(&str, String, String),
) {
    let number = |value: f64| format!("{value:.2}");
    let pairs = [
        ("sentence words", before.rhythm.sentence_words.mean, now.rhythm.sentence_words.mean),
        ("fragments", before.rhythm.fragment_share, now.rhythm.fragment_share),
        ("questions", before.question_share, now.question_share),
        ("emoji", before.emoji.per_post, now.emoji.per_post),
        ("hashtags", before.hashtags.per_post, now.hashtags.per_post),
    ];
    for (name, old, new) in pairs {
        // A difference of a fifth does not count.
        if (old - new).abs() > 0.2 * old.abs().max(0.05) {
            differ(&format!("measured: {name}"), number(old), number(new));
        }
    }
    let first = |style: &Stylometry| style.openings.first().map(|(kind, _)| format!("{kind:?}"));
    if let (Some(old), Some(new)) = (first(before), first(now))
        && old != new
    {
        differ(lang.pick("найчастіший початок", "most frequent opening"), old, new);
    }
}
