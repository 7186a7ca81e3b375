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
    (Platform::Telegram, &["telegram", "телеграм", "тг", "tg"]),
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

/// Every platform that the line names as its own, in its order.
fn named(line: &str) -> Vec<(Platform, Confidence)> {
    let folded: Vec<String> = words(line).map(|word| fold(word.text)).collect();
    let mut found = Vec::new();
    // The last platform's place, and how it was named; none if it is what the post is about.
    let mut last: Option<(usize, Option<Confidence>)> = None;
    for (index, word) in folded.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| folded.get(at)).map_or("", String::as_str);
        // «для LinkedIn, Instagram і X»: one preposition for all of them.
        let steps_back = if is_and(before) { 2 } else { 1 };
        let listed = last.filter(|(at, _)| at + steps_back == index).map(|(_, named)| named);
        let own = match before {
            "про" | "about" => Some(None),
            "для" | "for" => Some(Some(Confidence::Goal)),
            "в" | "у" | "на" | "on" | "in" | "to" | "до" => Some(Some(Confidence::Place)),
            _ => None,
        };
        let said = own.or(listed);
        let Some((platform, alone)) = platform_of(word, said.flatten()) else { continue };
        let confidence = match said {
            Some(None) => None,
            Some(Some(said)) => Some(alone.map_or(said, |alone| alone.max(said))),
            None => Some(alone.unwrap_or(Confidence::Bare)),
        };
        last = Some((index, confidence));
        found.extend(confidence.map(|confidence| (platform, confidence)));
    }
    found
}

fn is_and(word: &str) -> bool {
    matches!(word, "і" | "й" | "та" | "и" | "або" | "чи" | "или" | "and" | "or")
}

/// The platform that a word names, and how surely if the word alone says it: «твіт». Short and
/// ambiguous words name one only after a preposition.
fn platform_of(word: &str, after: Option<Confidence>) -> Option<(Platform, Option<Confidence>)> {
    let is_tweet =
        word.starts_with("твіт") && !word.starts_with("твіте") && !word.starts_with("твітт")
            || matches!(word, "tweet" | "твит");
    if is_tweet {
        return Some((Platform::X, Some(Confidence::Goal)));
    }
    let known = NAMES.iter().find(|(_, names)| names.iter().any(|name| word.starts_with(name)));
    let short = || match word {
        "x" | "х" => Some(Platform::X),
        word if word.starts_with("телег") || word == "телезі" => {
            Some(Platform::Telegram)
        }
        _ => None,
    };
    let platform = known.map(|(platform, _)| *platform).or_else(|| after.and_then(|_| short()))?;
    Some((platform, None))
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
    let mut after_platform = false;
    loop {
        let Some(first) = words(rest).next() else { break };
        let folded = fold(first.text);
        let is_last = first.end() == rest.len();
        let ahead = is_platform_phrase(rest);
        // «для LinkedIn і Instagram: …»
        let joins = after_platform && is_and(&folded) && {
            let next = words(rest).nth(1).map(|word| fold(word.text)).unwrap_or_default();
            !named(&format!("для {next}")).is_empty()
        };
        let completes = after_platform && !named(&format!("для {folded}")).is_empty();
        let goes = HEADS.contains(&folded.as_str()) || ahead || joins || completes;
        if is_last || first.start != 0 || !goes {
            break;
        }
        after_platform = ahead || joins || completes;
        rest = rest[first.end()..].trim_start_matches([' ', ':', ',', '-', '—']);
        // What follows is the topic, whatever it names.
        if matches!(folded.as_str(), "про" | "about" | "тему") {
            break;
        }
    }
    let kept = without_platforms_at_the_end(rest);
    kept.trim().trim_matches(['.', ',', '"', '«', '»']).to_owned()
}

/// «вигорання для LinkedIn і для X» without «для LinkedIn і для X».
fn without_platforms_at_the_end(text: &str) -> &str {
    let all: Vec<_> = words(text).collect();
    let mut cut = None;
    let mut has_platform = false;
    for word in all.iter().rev() {
        let folded = fold(word.text);
        let is_glue = matches!(folded.as_str(), "для" | "for" | "в" | "у" | "на" | "on");
        let is_platform = !named(&format!("для {folded}")).is_empty();
        if !(is_glue || is_platform || is_and(&folded)) {
            break;
        }
        has_platform |= is_platform;
        if is_glue && has_platform && word.start > 0 {
            cut = Some(word.start);
        }
    }
    cut.and_then(|at| text.get(..at)).unwrap_or(text)
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
