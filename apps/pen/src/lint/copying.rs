//! Finds text copied from an example or an older post, whole or in part, without exception.
//!
//! A caller that checks a saved post leaves that post out of [`LintContext::past`]; here a text
//! that equals a source is a copy of it.

use std::collections::HashSet;

use super::{Level, LintContext, Report, Rule};
use crate::text::{fold, words};

const SAME_CHARS_MAX: usize = 60;
const RUN_WORDS: usize = 5;
const RUNS_MIN: usize = 10;
const SHARE_MAX: f64 = 0.2;
/// A shorter text can be equal by chance: «Дякую.»
const WHOLE_WORDS_MIN: usize = 3;

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let examples = against.profile.examples();
    let sources = examples.iter().map(|one| one.text.as_str()).chain(against.past.iter().copied());
    let draft = plain(draft);
    for source in sources {
        let source = plain(source);
        if let Some(copied) = copied(&draft, &source, report) {
            let hint = report.say("lint.copied_fix").to_owned();
            report.whole(Rule::Copying, Level::Error, copied, hint);
            return;
        }
    }
}

/// What is copied, in words; none if nothing is.
fn copied(draft: &str, source: &str, report: &Report) -> Option<String> {
    if draft == source && words(draft).count() >= WHOLE_WORDS_MIN {
        return Some(report.say("lint.copied_whole").to_owned());
    }
    if let Some(same) = common(draft, source) {
        return Some(same);
    }
    let share = shared_runs(draft, source);
    let percent = format!("{:.0}", share * 100.0);
    (share > SHARE_MAX).then(|| report.lang.fill("lint.copied_share", &[("percent", &percent)]))
}

/// The words alone: punctuation, case and line breaks make no new text.
fn plain(text: &str) -> String {
    let folded = fold(text);
    words(&folded).map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// The first common substring of this length.
fn common(draft: &str, source: &str) -> Option<String> {
    let windows = |text: &str| -> Vec<(usize, usize)> {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let spans = ends.iter().zip(ends.iter().skip(SAME_CHARS_MAX));
        spans.map(|(start, end)| (*start, *end)).collect()
    };
    let known: HashSet<&str> = windows(source).into_iter().map(|(s, e)| &source[s..e]).collect();
    let found =
        windows(draft).into_iter().find(|(start, end)| known.contains(&draft[*start..*end]));
    found.map(|(start, end)| draft[start..end].to_owned())
}

fn shared_runs(draft: &str, source: &str) -> f64 {
    let runs = |text: &str| -> HashSet<String> {
        let words: Vec<_> = words(text).map(|word| word.text.to_owned()).collect();
        words.windows(RUN_WORDS).map(|run| run.join(" ")).collect()
    };
    let (draft, source) = (runs(draft), runs(source));
    if draft.len() < RUNS_MIN {
        return 0.0;
    }
    draft.intersection(&source).count() as f64 / draft.len() as f64
}
