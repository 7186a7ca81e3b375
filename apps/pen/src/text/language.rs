//! The languages of the interface and of posts.

use crate::text::words;

/// The language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    Uk,
    #[default]
    En,
}

impl Lang {
    /// `uk_UA.UTF-8`, `uk`, `en-GB`; anything else is English.
    pub fn of_locale(locale: &str) -> Self {
        if locale.to_lowercase().starts_with("uk") { Lang::Uk } else { Lang::En }
    }

    /// One of two texts.
    pub fn pick<'a>(self, uk: &'a str, en: &'a str) -> &'a str {
        match self {
            Lang::Uk => uk,
            Lang::En => en,
        }
    }

    pub fn as_str(self) -> &'static str {
        self.pick("uk", "en")
    }
}

/// The share of words in a second script from which a text counts as mixed.
const MIXED_SHARE: f64 = 0.15;

/// What posts are written in, as a profile's `language` says it: `uk`, `en` or `uk+en`.
pub fn spoken(text: &str) -> &'static str {
    let (mut cyrillic, mut latin) = (0_usize, 0_usize);
    for word in words(text) {
        match word.text.chars().find(|c| c.is_alphabetic()) {
            Some(letter) if is_cyrillic(letter) => cyrillic += 1,
            Some(letter) if letter.is_ascii_alphabetic() => latin += 1,
            Some(_) | None => {}
        }
    }
    let share = latin as f64 / (latin + cyrillic).max(1) as f64;
    match (cyrillic, share) {
        (0, _) => "en",
        (_, share) if share < MIXED_SHARE => "uk",
        (_, share) if share > 1.0 - MIXED_SHARE => "en",
        _ => "uk+en",
    }
}

pub(crate) fn is_cyrillic(letter: char) -> bool {
    ('\u{0400}'..='\u{052f}').contains(&letter)
}
