//! What can be wrong with a field of a profile, in the writer's language.

use std::fmt;

use super::name::BadProfileName;
use crate::posts::length::UnknownPlatform;
use crate::text::language::Lang;

/// A field and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// A dotted path, as in `voice.hooks`.
    pub field: String,
    pub problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    Missing,
    Empty,
    NoPlatform,
    NoExample,
    NoSource,
    NotText,
    NotTexts,
    NotSomeTexts,
    NotList,
    NotObject,
    NotVersion,
    NotTime,
    NotType,
    NotLanguage,
    NotLength,
    NotExamples,
    BadName(BadProfileName),
    UnknownPlatform(UnknownPlatform),
    /// The program changes this field itself.
    Fixed,
    /// There is no such field; perhaps this one was meant.
    UnknownField(Option<String>),
    TooMany,
}

impl FieldFault {
    pub(crate) fn new(field: impl Into<String>, problem: Problem) -> Self {
        Self { field: field.into(), problem }
    }

    /// The field, then the problem: «`version` має бути цілим числом від 1».
    pub fn text(&self, lang: Lang) -> String {
        let is_sentence =
            matches!(&self.problem, Problem::BadName(_) | Problem::UnknownPlatform(_));
        let colon = if is_sentence { ":" } else { "" };
        format!("`{}`{colon} {}", self.field, self.problem.text(lang))
    }

    /// As a refused value: «Невалідне значення для version: …».
    pub fn refusal(&self, lang: Lang) -> String {
        let why = self.problem.text(lang);
        lang.fill("fault.invalid_value", &[("field", &self.field), ("why", &why)])
    }
}

impl Problem {
    /// What is wrong, as the rest of a sentence that begins with the field.
    pub fn text(&self, lang: Lang) -> String {
        let key = match self {
            Problem::Missing => "field.missing",
            Problem::Empty => "field.empty",
            Problem::NoPlatform => "field.no_platform",
            Problem::NoExample => "field.no_example",
            Problem::NoSource => "field.no_source",
            Problem::NotText => "field.not_text",
            Problem::NotTexts => "field.not_texts",
            Problem::NotSomeTexts => "field.not_some_texts",
            Problem::NotList => "field.not_list",
            Problem::NotObject => "field.not_object",
            Problem::NotVersion => "field.not_version",
            Problem::NotTime => "field.not_time",
            Problem::NotType => "field.not_type",
            Problem::NotLanguage => "field.not_language",
            Problem::NotLength => "field.not_length",
            Problem::NotExamples => "field.not_examples",
            Problem::Fixed => "field.fixed",
            Problem::UnknownField(None) => "field.unknown",
            Problem::TooMany => "field.too_many",
            Problem::UnknownField(Some(near)) => {
                return lang.fill("field.unknown_near", &[("near", near)]);
            }
            Problem::BadName(bad) => return bad.text(lang),
            Problem::UnknownPlatform(unknown) => return unknown.text(lang),
        };
        lang.say(key).to_owned()
    }
}

impl fmt::Display for FieldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}
