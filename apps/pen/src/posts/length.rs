//! The length of a post, counted as each platform counts it.

mod limits;
mod thread;
mod x;

use std::fmt;
use std::str::FromStr;

use contract::nearest;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

pub(crate) use x::links;

use crate::text::language::Lang;

use limits::Unit;
pub use thread::{ThreadFault, thread};

/// Where posts are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    Linkedin,
    Instagram,
    X,
    Telegram,
    Facebook,
    Threads,
    Bluesky,
    Mastodon,
}

/// An unknown platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub struct UnknownPlatform {
    name: String,
    /// The platform that was perhaps meant.
    near: Option<&'static str>,
}

impl UnknownPlatform {
    /// The fault in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        let name = &self.name;
        match self.near {
            Some(near) => lang.fill("fault.platform_near", &[("name", name), ("near", &near)]),
            None => {
                let known = Platform::ALL.map(Platform::as_str).join(", ");
                lang.fill("fault.platform", &[("name", name), ("known", &known)])
            }
        }
    }
}

impl Platform {
    pub const ALL: [Platform; 8] = [
        Platform::Linkedin,
        Platform::Instagram,
        Platform::X,
        Platform::Telegram,
        Platform::Facebook,
        Platform::Threads,
        Platform::Bluesky,
        Platform::Mastodon,
    ];

    /// The platforms that a new profile describes.
    pub const OF_PROFILES: [Platform; 6] = [
        Platform::Linkedin,
        Platform::Instagram,
        Platform::X,
        Platform::Telegram,
        Platform::Facebook,
        Platform::Threads,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Platform::Linkedin => "linkedin",
            Platform::Instagram => "instagram",
            Platform::X => "x",
            Platform::Telegram => "telegram",
            Platform::Facebook => "facebook",
            Platform::Threads => "threads",
            Platform::Bluesky => "bluesky",
            Platform::Mastodon => "mastodon",
        }
    }

    /// The length of a text as this platform counts it.
    pub fn count(self, text: &str) -> usize {
        match self.limits().unit {
            Unit::Weighted => x::weighted_length(text),
            Unit::Utf16 => text.encode_utf16().count(),
            Unit::Chars => text.chars().count(),
            Unit::Graphemes => text.graphemes(true).count(),
            Unit::GraphemesShortLinks => x::with_short_links(text).graphemes(true).count(),
        }
    }

    /// The maximum length.
    pub fn limit(self) -> usize {
        self.limits().length
    }

    /// The most hashtags, where the platform has a limit.
    pub fn hashtags_max(self) -> Option<usize> {
        self.limits().hashtags
    }

    /// Characters before the platform folds a post.
    pub fn fold(self) -> Option<usize> {
        self.limits().fold
    }

    /// The default length in a profile.
    pub fn usual_length(self) -> usize {
        self.limits().usual
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(text: &str) -> Result<Self, UnknownPlatform> {
        let lower = text.to_lowercase();
        let alias = match lower.as_str() {
            "twitter" => "x",
            "insta" | "ig" => "instagram",
            "fb" => "facebook",
            "tg" => "telegram",
            other => other,
        };
        Platform::ALL.into_iter().find(|one| one.as_str() == alias).ok_or_else(|| {
            let near = nearest(&lower, Platform::ALL.map(Platform::as_str));
            UnknownPlatform { name: text.to_owned(), near }
        })
    }
}

/// A LinkedIn post as its API takes it: characters that its markup uses are escaped.
pub fn little_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '|'
                | '{'
                | '}'
                | '@'
                | '['
                | ']'
                | '('
                | ')'
                | '<'
                | '>'
                | '#'
                | '*'
                | '_'
                | '~'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests;
