//! Checks length, opening, end, signature and rhythm of a draft.

use super::{Level, LintContext, Report, Rule};
use crate::style::stylometry::{Closing, Opening, Rhythm, Spread, Stylometry, sentence_lengths};
use crate::text::{first_line, fold, last_line};

pub(super) fn check_length(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let LintContext { profile, platform, .. } = against;
    let own = profile.platform(*platform).and_then(|rules| rules.max_length);
    let max = own.unwrap_or(usize::MAX).min(platform.limit());
    let length = platform.count(draft.trim_end());
    if length > max {
        let text = report.lang.fill("lint.length", &[("length", &length), ("most", &max)]);
        let excess = length - max;
        let hint =
            report.lang.fill("lint.length_fix", &[("excess", &excess), ("platform", platform)]);
        report.whole(Rule::Length, Level::Error, text, hint);
    }
}

pub(super) fn check_signature(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let phrases = against.profile.voices("signature_phrases");
    if phrases.is_empty() {
        return;
    }
    let used: usize = phrases.iter().map(|phrase| uses(draft, phrase)).sum();
    let hint = match used {
        0 => report.say("lint.signature_none"),
        4.. => report.say("lint.signature_many"),
        _ => return,
    };
    let text = report.lang.fill("lint.signature", &[("count", &used)]);
    report.whole(Rule::Signature, Level::Warn, text, hint.to_owned());
}

fn uses(draft: &str, phrase: &str) -> usize {
    let (draft, phrase) = (fold(draft), fold(phrase));
    let phrase = phrase.trim();
    let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_whole = |at: usize| {
        free(draft[..at].chars().next_back())
            && (!phrase.ends_with(char::is_alphanumeric)
                || free(draft[at + phrase.len()..].chars().next()))
    };
    if phrase.is_empty() {
        0
    } else {
        draft.match_indices(phrase).filter(|(at, _)| is_whole(*at)).count()
    }
}

/// The kinds of openings that a described hook means; none if unclear.
fn opening_kinds(hook: &str) -> Option<&'static [Opening]> {
    let hook = fold(hook);
    let has = |words: &[&str]| words.iter().any(|word| hook.contains(word));
    Some(if has(&["питан", "question"]) {
        &[Opening::Question]
    } else if has(&["статистик", "цифр", "число", "statistic", "number", "data", "дан"])
    {
        &[Opening::Number, Opening::FirstPerson]
    } else if has(&["цитат", "quote", "діалог"]) {
        &[Opening::Quote]
    } else if has(&["істор", "особист", "story", "personal", "спогад", "зізнан", "confession"])
    {
        &[Opening::FirstPerson]
    } else if has(&["твердж", "провокат", "statement", "claim", "теза", "bold", "contrarian"])
    {
        &[Opening::ShortStatement, Opening::Statement]
    } else {
        return None;
    })
}

pub(super) fn check_hook(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let hooks = against.profile.voices("hooks");
    let mut known = Vec::new();
    for hook in &hooks {
        match opening_kinds(hook) {
            Some(kinds) => known.extend_from_slice(kinds),
            None => {
                report.unchecked.push(format!("hook: {hook}"));
                return;
            }
        }
    }
    if !known.contains(&Opening::of(draft)) {
        let hint = report.lang.fill("lint.hook", &[("ways", &hooks.join("; "))]);
        report.find(Rule::Hook, Level::Warn, draft, first_line(draft), hint);
    }
}

fn closing_kinds(closing: &str) -> Option<&'static [Closing]> {
    let closing = fold(closing);
    let has = |words: &[&str]| words.iter().any(|word| closing.contains(word));
    Some(if has(&["питан", "question"]) {
        &[Closing::Question]
    } else if has(&["cta", "заклик", "call", "збереж", "підпис"])
        && !has(&["без заклику", "without a call"])
    {
        &[Closing::Call, Closing::Question]
    } else if has(&["підсум", "рядок", "висновок", "sum", "one line", "punch", "теза", "line that"])
    {
        &[Closing::ShortStatement]
    } else if has(&["хештег", "hashtag"]) {
        &[Closing::Hashtags]
    } else {
        return None;
    })
}

pub(super) fn check_closing(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let closings = against.profile.voices("closings");
    let mut known = Vec::new();
    for closing in &closings {
        match closing_kinds(closing) {
            Some(kinds) => known.extend_from_slice(kinds),
            None => {
                report.unchecked.push(format!("closing: {closing}"));
                return;
            }
        }
    }
    if known.is_empty() {
        return;
    }
    if known.contains(&Closing::ShortStatement) {
        // A block of hashtags hides the line before it.
        known.push(Closing::Hashtags);
    }
    if !known.contains(&Closing::of(draft)) {
        let hint = report.lang.fill("lint.closing", &[("ways", &closings.join("; "))]);
        report.find(Rule::Closing, Level::Warn, draft, last_line(draft), hint);
    }
}

/// How far the mean may be from those of the author's posts.
const MEAN_SLACK: f64 = 1.35;
const POSTS_MIN: usize = 2;
const POSTS_FOR_MEAN_MIN: usize = 3;
const SENTENCES_MIN: usize = 4;

pub(super) fn check_rhythm(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let Some((posts, rhythm)) = rhythm_of(against).filter(|(posts, _)| *posts >= POSTS_MIN) else {
        let why = report.say("lint.too_few_posts");
        report.unchecked.push(format!("rhythm: {why}"));
        return;
    };
    let lengths = sentence_lengths(draft);
    if lengths.len() < SENTENCES_MIN {
        return;
    }
    let spread = Spread::of(&lengths);
    let (low, high) = rhythm.post_mean_range;
    let most = rhythm.sentence_words.max;
    if spread.p90 > most {
        let text = report.lang.fill("lint.long_sentences", &[("words", &spread.p90)]);
        let hint = report.lang.fill("lint.longest", &[("words", &most)]);
        report.whole(Rule::Rhythm, Level::Warn, text, hint);
    } else if posts < POSTS_FOR_MEAN_MIN {
        // Two posts show the range of sentence lengths, but not their mean.
    } else if spread.mean > high * MEAN_SLACK || spread.mean < low / MEAN_SLACK {
        let mean = format!("{:.1}", spread.mean);
        let text = report.lang.fill("lint.mean", &[("words", &mean)]);
        let (low, high) = (format!("{low:.1}"), format!("{high:.1}"));
        let hint = report.lang.fill("lint.mean_range", &[("low", &low), ("high", &high)]);
        report.whole(Rule::Rhythm, Level::Warn, text, hint);
    }
}

/// The measured rhythm, else that of the examples; and of how many posts.
fn rhythm_of(against: &LintContext<'_>) -> Option<(usize, Rhythm)> {
    let measured = against.profile.measured().cloned();
    let stored = measured.and_then(|value| serde_json::from_value::<Stylometry>(value).ok());
    if let Some(style) = stored {
        return Some((style.posts, style.rhythm));
    }
    let examples = against.profile.examples();
    let posts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
    (!posts.is_empty()).then(|| (posts.len(), Rhythm::of(&posts)))
}
