//! The twelve kinds of feedback about style, and the field of the profile each is about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::posts::length::Platform;
use crate::text::language::Lang;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    TooFormal,
    TooCasual,
    TooLong,
    TooShort,
    HookWeak,
    HookStrong,
    ToneOff,
    StructureWrong,
    VocabularyWrong,
    CtaMissing,
    CtaTooPushy,
    Other,
}

impl Category {
    pub const ALL: [Category; 12] = [
        Category::TooFormal,
        Category::TooCasual,
        Category::TooLong,
        Category::TooShort,
        Category::HookWeak,
        Category::HookStrong,
        Category::ToneOff,
        Category::StructureWrong,
        Category::VocabularyWrong,
        Category::CtaMissing,
        Category::CtaTooPushy,
        Category::Other,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Category::TooFormal => "too_formal",
            Category::TooCasual => "too_casual",
            Category::TooLong => "too_long",
            Category::TooShort => "too_short",
            Category::HookWeak => "hook_weak",
            Category::HookStrong => "hook_strong",
            Category::ToneOff => "tone_off",
            Category::StructureWrong => "structure_wrong",
            Category::VocabularyWrong => "vocabulary_wrong",
            Category::CtaMissing => "cta_missing",
            Category::CtaTooPushy => "cta_too_pushy",
            Category::Other => "other",
        }
    }

    /// The field that a change would touch; `*` stands for the platform. None if it is unclear.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Category::TooFormal | Category::TooCasual => Some("voice.formality"),
            Category::TooLong | Category::TooShort => Some("platforms.*.max_length"),
            Category::HookWeak | Category::HookStrong => Some("voice.hooks"),
            Category::ToneOff => Some("voice.tone"),
            Category::StructureWrong => Some("platforms.*.structure"),
            Category::VocabularyWrong => Some("voice.avoid"),
            Category::CtaMissing | Category::CtaTooPushy => Some("voice.closings"),
            Category::Other => None,
        }
    }

    /// The fields as they can be changed, one for each platform where it matters.
    pub fn fields(self, platforms: &[Platform]) -> Vec<String> {
        match self.field() {
            Some(field) if field.contains('*') => {
                platforms.iter().map(|platform| field.replace('*', platform.as_str())).collect()
            }
            Some(field) => vec![field.to_owned()],
            None => Vec::new(),
        }
    }

    /// Is a change of this field an answer to the remark?
    pub fn is_about(self, field: &str) -> bool {
        match self.field().and_then(|own| own.split_once('*')) {
            Some((before, after)) => field.starts_with(before) && field.ends_with(after),
            None => self.field() == Some(field),
        }
    }

    /// The remark as a clause: «текст занадто формальний».
    pub fn complaint(self, lang: Lang) -> &'static str {
        lang.say(match self {
            Category::TooFormal => "feedback.too_formal",
            Category::TooCasual => "feedback.too_casual",
            Category::TooLong => "feedback.too_long",
            Category::TooShort => "feedback.too_short",
            Category::HookWeak => "feedback.hook_weak",
            Category::HookStrong => "feedback.hook_strong",
            Category::ToneOff => "feedback.tone_off",
            Category::StructureWrong => "feedback.structure_wrong",
            Category::VocabularyWrong => "feedback.vocabulary_wrong",
            Category::CtaMissing => "feedback.cta_missing",
            Category::CtaTooPushy => "feedback.cta_too_pushy",
            Category::Other => "feedback.other",
        })
    }

    /// The instruction for a model once a remark was frequent enough. It names only fields that
    /// `update_style_profile` takes.
    pub fn suggestion(self, count: u64, platforms: &[Platform], lang: Lang) -> String {
        let complaint = self.complaint(lang);
        let times = times(count, lang);
        let fields = self.fields(platforms).join(", ");
        let key = match fields.is_empty() {
            true => "feedback.suggestion_open",
            false => "feedback.suggestion",
        };
        let values: [(&str, &dyn fmt::Display); 4] =
            [("count", &count), ("times", &times), ("complaint", &complaint), ("fields", &fields)];
        lang.fill(key, &values)
    }
}

/// 1 раз, 3 рази, 5 разів, 21 раз; 1 time, 3 times.
fn times(count: u64, lang: Lang) -> &'static str {
    lang.say(match (count % 10, count % 100) {
        (_, 11..=14) => "feedback.times_many",
        (1, _) => "feedback.times_one",
        (2..=4, _) => "feedback.times_few",
        _ => "feedback.times_many",
    })
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Category {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Category::ALL.into_iter().find(|one| one.as_str() == text).ok_or_else(|| {
            let near = contract::nearest(text, Category::ALL.map(Category::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("there is no category `{text}`{hint}")
        })
    }
}
