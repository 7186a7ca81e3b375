//! The length of a post, counted as each platform counts it.

mod thread;
mod x;

use std::fmt;
use std::str::FromStr;

use contract::nearest;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

pub(crate) use x::links;

use crate::text::language::Lang;

pub use thread::{ThreadFault, thread};

/// Where posts are published. A profile describes the first three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    Linkedin,
    Instagram,
    X,
    Bluesky,
    Threads,
    Mastodon,
    Telegram,
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
    pub const ALL: [Platform; 7] = [
        Platform::Linkedin,
        Platform::Instagram,
        Platform::X,
        Platform::Bluesky,
        Platform::Threads,
        Platform::Mastodon,
        Platform::Telegram,
    ];

    /// The platforms that profiles and tools support.
    pub const OF_PROFILES: [Platform; 3] = [Platform::Linkedin, Platform::Instagram, Platform::X];

    pub fn as_str(self) -> &'static str {
        match self {
            Platform::Linkedin => "linkedin",
            Platform::Instagram => "instagram",
            Platform::X => "x",
            Platform::Bluesky => "bluesky",
            Platform::Threads => "threads",
            Platform::Mastodon => "mastodon",
            Platform::Telegram => "telegram",
        }
    }

    /// The length of a text as this platform counts it.
    pub fn count(self, text: &str) -> usize {
        match self {
            Platform::X => x::weighted_length(text),
            // The service counts code units, so that an emoji is two.
            Platform::Linkedin | Platform::Telegram => text.encode_utf16().count(),
            Platform::Instagram | Platform::Threads => text.chars().count(),
            Platform::Bluesky => text.graphemes(true).count(),
            Platform::Mastodon => x::with_short_links(text).graphemes(true).count(),
        }
    }

    /// The maximum length.
    pub fn limit(self) -> usize {
        match self {
            Platform::Linkedin => 3_000,
            Platform::Instagram => 2_200,
            Platform::X => x::limit(),
            Platform::Bluesky => 300,
            Platform::Threads | Platform::Mastodon => 500,
            Platform::Telegram => 4_096,
        }
    }

    /// The most hashtags, where the platform has a limit. Instagram: since December 2025.
    pub fn hashtags_max(self) -> Option<usize> {
        match self {
            Platform::Instagram => Some(5),
            Platform::Threads => Some(1),
            Platform::Linkedin
            | Platform::X
            | Platform::Bluesky
            | Platform::Mastodon
            | Platform::Telegram => None,
        }
    }

    /// Characters before the platform folds a post.
    pub fn fold(self) -> Option<usize> {
        match self {
            Platform::Linkedin => Some(210),
            Platform::Instagram => Some(125),
            Platform::X
            | Platform::Bluesky
            | Platform::Threads
            | Platform::Mastodon
            | Platform::Telegram => None,
        }
    }

    /// The default length in a profile.
    pub fn usual_length(self) -> usize {
        match self {
            Platform::Linkedin => 1_500,
            Platform::Instagram => 800,
            Platform::X => 280,
            Platform::Bluesky | Platform::Threads | Platform::Mastodon | Platform::Telegram => {
                self.limit()
            }
        }
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
