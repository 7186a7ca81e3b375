//! Searches conversations: their text, their tags, and an excerpt around a match.

use conversation::{Conversation, Entry, view};

use super::organisation::clean_tag;

/// How much text of a conversation is searched; the newest wins.
const WORDS_BYTES_MAX: usize = 64 << 10;
/// Characters on each side of a match.
const AROUND_CHARS: usize = 40;

/// What a person searches for: words, and tags as `tag:name`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// In lower case; may be empty.
    pub text: String,
    pub tags: Vec<String>,
}

impl Wanted {
    pub(crate) fn parse(search: &str) -> Self {
        let tag_of = |word: &str| {
            let (name, tag) = word.split_once(':')?;
            name.eq_ignore_ascii_case("tag").then(|| clean_tag(tag))?
        };
        let tags: Vec<_> = search.split_whitespace().filter_map(tag_of).collect();
        if tags.is_empty() {
            return Self { text: search.trim().to_lowercase(), tags };
        }
        let words = search.split_whitespace().filter(|word| tag_of(word).is_none());
        Self { text: words.collect::<Vec<_>>().join(" ").to_lowercase(), tags }
    }
}

/// The messages of the person and the model.
pub(crate) fn words(conversation: &Conversation) -> String {
    let entries = view(conversation);
    let texts = entries.iter().filter_map(|entry| match entry {
        Entry::User { text, .. } | Entry::Assistant { text, .. } => Some(text.as_str()),
        Entry::Thinking { .. }
        | Entry::System { .. }
        | Entry::Step(_)
        | Entry::BrokeOff { .. }
        | Entry::Ended { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let surplus = text.len().saturating_sub(WORDS_BYTES_MAX);
    text.get(text.ceil_char_boundary(surplus)..).unwrap_or_default().to_owned()
}

/// The text around the first match, on one line; `wanted` is in lower case.
pub(crate) fn excerpt(text: &str, wanted: &str) -> Option<String> {
    if !text.to_lowercase().contains(wanted) {
        return None;
    }
    let (start, end) = span(text, wanted)?;
    let before = text.get(..start)?.char_indices().rev().nth(AROUND_CHARS);
    let after = text.get(end..)?.char_indices().nth(AROUND_CHARS);
    let from = before.map_or(0, |(at, _)| at);
    let to = after.map_or(text.len(), |(at, _)| end + at);
    let shown: Vec<_> = text.get(from..to)?.split_whitespace().collect();
    let (left, right) = (before.map_or("", |_| "…"), after.map_or("", |_| "…"));
    Some(format!("{left}{}{right}", shown.join(" ")))
}

/// Where the first match begins and ends. Lower case may change lengths, so characters are
/// compared one by one.
fn span(text: &str, wanted: &str) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(start, _)| {
        let mut wanted = wanted.chars().peekable();
        for (at, letter) in text.get(start..)?.char_indices() {
            for lower in letter.to_lowercase() {
                // A match may end within the lower case of one character.
                if wanted.peek().is_some() && wanted.next() != Some(lower) {
                    return None;
                }
            }
            if wanted.peek().is_none() {
                return Some((start, start + at + letter.len_utf8()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{Wanted, excerpt};

    #[test]
    fn a_search_has_words_and_tags() {
        let check = |search: &str, text: &str, tags: &[&str]| {
            let wanted = Wanted::parse(search);
            assert_eq!(wanted.text, text);
            assert_eq!(wanted.tags, tags);
        };
        check("", "", &[]);
        check(" The  Clock ", "the  clock", &[]);
        check("tag:Work clock TAG:home", "clock", &["work", "home"]);
        check("tag: clock", "tag: clock", &[]);
        check("a:b", "a:b", &[]);
    }

    #[test]
    fn an_excerpt_shows_the_words_around_a_match() {
        let check = |text: &str, wanted: &str, expected: Option<&str>| {
            assert_eq!(excerpt(text, wanted).as_deref(), expected);
        };
        check("Who built the Clock?", "clock", Some("Who built the Clock?"));
        check("Who built the clock?", "tower", None);
        check("Хто збудував\nГодинник?", "годинник", Some("Хто збудував Годинник?"));
        check("İstanbul is far", "stanbul", Some("İstanbul is far"));
        let long = format!("{}needle{}", "a ".repeat(50), " z".repeat(50));
        let shown = excerpt(&long, "needle").unwrap();
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.chars().count() < 100);
    }
}
