//! Parses a request in one line: the platform and the topic.

use crate::posts::length::Platform;
use crate::text::{fold, words};

/// A request, parsed without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The line as it was written.
    pub text: String,
    pub topic: String,
    pub platform: PlatformChoice,
}

/// Which platform was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlatformChoice {
    Named(Platform),
    /// One was mentioned, not as a place or a goal.
    Perhaps(Platform),
    /// Several were named, each as clearly as the others.
    Several(Vec<Platform>),
    Unsaid,
}

/// How certainly a word names the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Confidence {
    Bare,
    /// «в інсту»
    Place,
    /// «для LinkedIn», «твіт»
    Goal,
}

const NAMES: [(Platform, &[&str]); 8] = [
    (Platform::Linkedin, &["linkedin", "лінкед", "лінкдін", "линкед"]),
    (Platform::Instagram, &["instagram", "insta", "інст", "инст"]),
    (Platform::X, &["twitter", "твітер", "твіттер", "твиттер"]),
    (Platform::Telegram, &["telegram", "телеграм", "тг"]),
    (Platform::Facebook, &["facebook", "фейсбук", "фэйсбук", "фб"]),
    (Platform::Threads, &["threads", "тредс", "тредз"]),
    (Platform::Bluesky, &["bluesky", "блускай"]),
    (Platform::Mastodon, &["mastodon", "мастодон"]),
];

impl Request {
    pub fn parse(line: &str) -> Self {
        let named = named(line);
        let surest = named.iter().map(|(_, confidence)| *confidence).max();
        let mut sure: Vec<Platform> = Vec::new();
        for (platform, confidence) in &named {
            if Some(*confidence) == surest && !sure.contains(platform) {
                sure.push(*platform);
            }
        }
        let platform = match (sure.as_slice(), surest) {
            ([], _) | (_, None) => PlatformChoice::Unsaid,
            ([only], Some(Confidence::Bare)) => PlatformChoice::Perhaps(*only),
            ([only], Some(_)) => PlatformChoice::Named(*only),
            (several, Some(_)) => PlatformChoice::Several(several.to_vec()),
        };
        Self { text: line.to_owned(), topic: topic(line), platform }
    }
}

fn named(line: &str) -> Vec<(Platform, Confidence)> {
    let folded: Vec<String> = words(line).map(|word| fold(word.text)).collect();
    let mut found = Vec::new();
    for (index, word) in folded.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| folded.get(at)).map_or("", String::as_str);
        let is_goal = matches!(before, "для" | "for");
        let is_place = matches!(before, "в" | "у" | "на" | "on" | "in" | "to" | "до");
        if matches!(before, "про" | "about") {
            continue;
        }
        if word.starts_with("твіт") && !word.starts_with("твіте") && !word.starts_with("твітт")
            || matches!(word.as_str(), "tweet" | "твит")
        {
            found.push((Platform::X, Confidence::Goal));
            continue;
        }
        // A single letter names a platform only after a preposition.
        let is_x = matches!(word.as_str(), "x" | "х") && (is_goal || is_place);
        let known = NAMES.iter().find(|(_, names)| names.iter().any(|name| word.starts_with(name)));
        let platform = if is_x { Some(Platform::X) } else { known.map(|(platform, _)| *platform) };
        if let Some(platform) = platform {
            let confidence = match (is_goal, is_place) {
                (true, _) => Confidence::Goal,
                (false, true) => Confidence::Place,
                (false, false) => Confidence::Bare,
            };
            found.push((platform, confidence));
        }
    }
    found
}

/// The line without «напиши пост про» and «для LinkedIn».
fn topic(line: &str) -> String {
    const HEADS: [&str; 22] = [
        "напиши",
        "напишіть",
        "зроби",
        "створи",
        "згенеруй",
        "пост",
        "допис",
        "твіт",
        "текст",
        "про",
        "на",
        "тему",
        "write",
        "make",
        "create",
        "a",
        "an",
        "post",
        "tweet",
        "about",
        "on",
        "me",
    ];
    let mut rest = line.trim();
    loop {
        let Some(first) = words(rest).next() else { break };
        let folded = fold(first.text);
        let platform_ahead = first.start == 0 && is_platform_phrase(rest);
        let is_last = first.end() == rest.len();
        if !is_last && first.start == 0 && (HEADS.contains(&folded.as_str()) || platform_ahead) {
            rest = rest[first.end()..].trim_start_matches([' ', ':', ',', '-', '—']);
        } else {
            break;
        }
    }
    let mut kept = rest.to_owned();
    for glue in [" для ", " for ", " в ", " у ", " на ", " on "] {
        if let Some(at) = kept.rfind(glue) {
            let tail = kept[at + glue.len()..].trim();
            let is_platform = words(tail).count() == 1 && !named(&format!("для {tail}")).is_empty();
            if is_platform {
                kept.truncate(at);
            }
        }
    }
    kept.trim().trim_matches(['.', ',', '"', '«', '»']).to_owned()
}

/// Does the line begin with «для LinkedIn» or `linkedin:`?
fn is_platform_phrase(rest: &str) -> bool {
    let mut all = words(rest);
    let first = all.next().map(|word| fold(word.text)).unwrap_or_default();
    let second = all.next().map(|word| word.text).unwrap_or_default();
    let goal = matches!(first.as_str(), "для" | "for" | "в" | "у" | "on");
    (goal && !named(&format!("для {second}")).is_empty())
        || NAMES.iter().any(|(_, names)| names.iter().any(|name| first.starts_with(name)))
}

#[cfg(test)]
mod tests;
