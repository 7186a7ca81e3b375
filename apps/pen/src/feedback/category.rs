//! The twelve kinds of feedback about style, and the field of the profile each is about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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

    /// The field that a change would touch; `*` stands for the platform.
    pub fn field(self) -> &'static str {
        match self {
            Category::TooFormal | Category::TooCasual => "voice.formality",
            Category::TooLong | Category::TooShort => "platforms.*.max_length",
            Category::HookWeak | Category::HookStrong => "voice.hooks",
            Category::ToneOff => "voice.tone",
            Category::StructureWrong => "platforms.*.structure",
            Category::VocabularyWrong => "voice.avoid",
            Category::CtaMissing | Category::CtaTooPushy => "voice.closings",
            Category::Other => "voice",
        }
    }

    /// The remark as a clause: «текст занадто формальний».
    pub fn complaint(self, lang: Lang) -> &'static str {
        let (uk, en) = match self {
            Category::TooFormal => ("текст занадто формальний", "the text is too formal"),
            Category::TooCasual => ("текст занадто розмовний", "the text is too casual"),
            Category::TooLong => ("текст задовгий", "the text is too long"),
            Category::TooShort => ("текст закороткий", "the text is too short"),
            Category::HookWeak => ("hook слабкий", "the hook is weak"),
            Category::HookStrong => ("hook занадто сильний", "the hook is too strong"),
            Category::ToneOff => ("тон не той", "the tone is off"),
            Category::StructureWrong => ("структура не та", "the structure is wrong"),
            Category::VocabularyWrong => ("слова не ті", "the words are wrong"),
            Category::CtaMissing => ("бракує заклику", "a call to action is missing"),
            Category::CtaTooPushy => ("заклик нав'язливий", "the call to action is pushy"),
            Category::Other => ("щось інше не так", "something else is wrong"),
        };
        lang.pick(uk, en)
    }

    /// The instruction for a model once a remark was frequent enough.
    pub fn suggestion(self, count: u64, lang: Lang) -> String {
        let (complaint, field) = (self.complaint(lang), self.field());
        match lang {
            Lang::Uk => format!(
                "Користувач {count} {} сказав, що {complaint}. \
                 Запропонуй оновити {field} у style profile: покажи старе і нове значення.",
                times(count)
            ),
            Lang::En => format!(
                "The user said {count} times that {complaint}. \
                 Propose a change of {field} in the style profile: show the old and the new value."
            ),
        }
    }
}

/// 1 раз, 3 рази, 5 разів, 21 раз.
pub(crate) fn times(count: u64) -> &'static str {
    match (count % 10, count % 100) {
        (_, 11..=14) => "разів",
        (1, _) => "раз",
        (2..=4, _) => "рази",
        _ => "разів",
    }
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
