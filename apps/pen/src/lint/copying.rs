//! Finds text copied from an example or an older post.

use std::collections::HashSet;

use super::{Level, LintContext, Report, Rule};
use crate::text::{fold, words};

const SAME_CHARS_MAX: usize = 60;
const RUN_WORDS: usize = 5;
const RUNS_MIN: usize = 10;
const SHARE_MAX: f64 = 0.2;

pub(super) fn check(draft: &str, against: &LintContext<'_>, report: &mut Report) {
    let examples = against.profile.examples();
    let sources = examples.iter().map(|one| one.text.as_str()).chain(against.past.iter().copied());
    let plain_draft = plain(draft);
    for source in sources {
        let source = plain(source);
        // A post is not a copy of itself.
        if source == plain_draft {
            continue;
        }
        if let Some(same) = common(&plain_draft, &source) {
            let hint = report.say(
                "скажіть по-новому: це вже є в давнішому пості",
                "rephrase: this is in an older post",
            );
            report.whole(Rule::Copying, Level::Error, same, hint.to_owned());
            return;
        }
        let share = shared_runs(&plain_draft, &source);
        if share > SHARE_MAX {
            let old = report.say("тексту вже є в давнішому пості", "of it is in an older post");
            let text = format!("{:.0} % {old}", share * 100.0);
            let hint = report.say("скажіть по-новому", "say it anew").to_owned();
            report.whole(Rule::Copying, Level::Error, text, hint);
            return;
        }
    }
}

fn plain(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ")
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
