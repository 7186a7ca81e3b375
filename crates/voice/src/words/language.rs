//! The languages of own speech and of spoken answers: word lists and sentences, as data.
//!
//! In: `data/languages/*.toml`. Out: [`Words`]. Must hold: every entry is in the form that
//! [`crate::words::answer::normalize`] gives, so that a list is compared word for word. To add a
//! language, add a file and a row of [`Language`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// A language with word lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    En,
    Uk,
    Ru,
    Lv,
    De,
    Es,
}

impl Language {
    pub const ALL: [Language; 6] =
        [Language::En, Language::Uk, Language::Ru, Language::Lv, Language::De, Language::Es];

    /// The ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Uk => "uk",
            Language::Ru => "ru",
            Language::Lv => "lv",
            Language::De => "de",
            Language::Es => "es",
        }
    }

    /// The language of a code such as `uk` or `uk-UA`.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    pub fn words(self) -> &'static Words {
        static NONE: LazyLock<Words> = LazyLock::new(Words::default);
        FILES.get(&self).unwrap_or(&NONE)
    }

    fn file(self) -> &'static str {
        match self {
            Language::En => include_str!("../../data/languages/en.toml"),
            Language::Uk => include_str!("../../data/languages/uk.toml"),
            Language::Ru => include_str!("../../data/languages/ru.toml"),
            Language::Lv => include_str!("../../data/languages/lv.toml"),
            Language::De => include_str!("../../data/languages/de.toml"),
            Language::Es => include_str!("../../data/languages/es.toml"),
        }
    }
}

/// Parsed once. A test ensures that every file can be read.
static FILES: LazyLock<BTreeMap<Language, Words>> = LazyLock::new(|| {
    let read = |language: Language| Some((language, toml::from_str(language.file()).ok()?));
    Language::ALL.into_iter().filter_map(read).collect()
});

/// One file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub yes: Vec<String>,
    pub no: Vec<String>,
    /// Left out before an answer is compared: "yes, please".
    pub polite: Vec<String>,
    /// Said while listening, without wanting the turn.
    pub backchannel: Vec<String>,
    /// Words whose full stop does not end a sentence, without it.
    pub abbreviations: Vec<String>,
    pub commands: CommandWords,
    pub say: Sentences,
    pub numbers: NumberWords,
    pub dates: DateWords,
    pub choices: ChoiceWords,
    pub spelling: SpellingWords,
}

/// What a person says to move through a form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandWords {
    pub skip: Vec<String>,
    pub back: Vec<String>,
    pub repeat: Vec<String>,
    pub cancel: Vec<String>,
}

/// Our own sentences.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentences {
    pub one_moment: String,
    pub goodbye: String,
    pub no_answer: String,
    pub approval_intro: String,
    pub approval_question: String,
    pub approval_unclear: String,
    pub approval_button: String,
    pub option_or: String,
    pub form_options: String,
    pub form_optional: String,
    pub form_yes_no: String,
    pub form_required: String,
    pub form_unfit: String,
    pub form_readback: String,
    pub form_cancelled: String,
    pub form_sent: String,
    pub form_failed: String,
    pub form_unsure: String,
    pub form_on_page: String,
    pub form_empty: String,
    pub form_yes: String,
    pub form_no: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberWords {
    pub words: BTreeMap<String, u32>,
    /// Words that multiply what is in front of them.
    pub scales: BTreeMap<String, u32>,
    pub point: Vec<String>,
    pub minus: Vec<String>,
    pub joiners: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateWords {
    pub today: Vec<String>,
    pub tomorrow: Vec<String>,
    pub after_tomorrow: Vec<String>,
    pub yesterday: Vec<String>,
    pub joiners: Vec<String>,
    /// January first, each with its forms.
    pub months: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceWords {
    pub joiners: Vec<String>,
    /// "first" first, each with its forms.
    pub ordinals: Vec<Vec<String>>,
    pub last: Vec<String>,
}

/// How the marks of an address are said aloud.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpellingWords {
    pub at: Vec<String>,
    pub dot: Vec<String>,
}

#[cfg(test)]
mod tests;
