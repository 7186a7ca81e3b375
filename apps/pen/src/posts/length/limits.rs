//! The limits of the platforms, each with the day on which it was last compared with what the
//! platform says.
//!
//! Must hold: `docs/guide/pen.md` has this table; a test compares them.

use super::{Platform, x};

/// How a platform counts a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// X's own weights.
    Weighted,
    /// UTF-16 code units, so that an emoji is two.
    Utf16,
    /// Unicode characters.
    Chars,
    /// What a reader sees as one character.
    Graphemes,
    /// As [`Unit::Graphemes`], with every link as 23.
    GraphemesShortLinks,
}

impl Unit {
    #[cfg(test)]
    fn as_str(self) -> &'static str {
        match self {
            Unit::Weighted => "X's own weights",
            Unit::Utf16 => "UTF-16 units",
            Unit::Chars => "characters",
            Unit::Graphemes => "graphemes",
            Unit::GraphemesShortLinks => "graphemes, a link as 23",
        }
    }
}

/// The limits of one platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// The maximum length of a post.
    pub length: usize,
    pub unit: Unit,
    /// What a new profile asks for.
    pub usual: usize,
    /// Characters before the platform folds a post.
    pub fold: Option<usize>,
    pub hashtags: Option<usize>,
    /// The day of the comparison.
    pub checked: &'static str,
}

/// The day of the last comparison of the whole table.
const CHECKED: &str = "2026-11-17";

impl Platform {
    pub(super) fn limits(self) -> Limits {
        let plain = |length: usize, unit: Unit| Limits {
            length,
            unit,
            usual: length,
            fold: None,
            hashtags: None,
            checked: CHECKED,
        };
        match self {
            Platform::Linkedin => {
                Limits { usual: 1_500, fold: Some(210), ..plain(3_000, Unit::Utf16) }
            }
            // Five hashtags since December 2025.
            Platform::Instagram => Limits {
                usual: 800,
                fold: Some(125),
                hashtags: Some(5),
                ..plain(2_200, Unit::Chars)
            },
            Platform::X => plain(x::limit(), Unit::Weighted),
            // A caption of a photo has 1,024.
            Platform::Telegram => Limits { usual: 2_000, ..plain(4_096, Unit::Utf16) },
            Platform::Facebook => {
                Limits { usual: 2_000, fold: Some(477), ..plain(63_206, Unit::Utf16) }
            }
            Platform::Threads => Limits { hashtags: Some(1), ..plain(500, Unit::Chars) },
            Platform::Bluesky => plain(300, Unit::Graphemes),
            Platform::Mastodon => plain(500, Unit::GraphemesShortLinks),
        }
    }
}

#[cfg(test)]
mod tests;
