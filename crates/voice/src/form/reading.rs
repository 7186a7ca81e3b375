//! Reads one spoken answer as the value of one field.

use serde_json::Value;

use crate::form::choice::{one_choice, several_choices};
use crate::form::date::{Day, spoken_day, spoken_time};
use crate::form::number::spoken_number;
use crate::form::{Field, FieldKind};
use crate::words::answer::{SpokenAnswer, normalize, spoken_answer};
use crate::words::language::Language;

/// What an answer is read with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Locale {
    /// The first is that of our own sentences.
    pub languages: Vec<Language>,
    pub today: Day,
    pub utc_offset_minutes: i32,
}

impl Locale {
    /// The language of our own sentences.
    pub fn language(&self) -> Language {
        self.languages.first().copied().unwrap_or(Language::En)
    }
}

/// The value, if the words have one for this kind of field and the contract accepts it.
pub(crate) fn value_of(field: &Field, text: &str, locale: &Locale) -> Option<Value> {
    let languages = &locale.languages;
    let value = match &field.kind {
        FieldKind::Text => trimmed(text).map(Value::String),
        FieldKind::Address => Some(Value::String(address(text, languages))),
        FieldKind::Date => {
            spoken_day(text, languages, locale.today).map(|day| Value::String(day.to_string()))
        }
        FieldKind::DateTime => {
            spoken_time(text, languages, locale.today, locale.utc_offset_minutes).map(Value::String)
        }
        FieldKind::Number => spoken_number(text, languages)?.as_json(),
        FieldKind::Integer => spoken_number(text, languages)?.as_integer().map(Value::from),
        FieldKind::YesNo => match spoken_answer(text, languages) {
            SpokenAnswer::Yes => Some(Value::Bool(true)),
            SpokenAnswer::No => Some(Value::Bool(false)),
            SpokenAnswer::Unclear => None,
        },
        FieldKind::OneOf(choices) => {
            one_choice(text, choices, languages).map(|choice| choice.value.clone().into())
        }
        FieldKind::SeveralOf(choices) => {
            let named = several_choices(text, choices, languages)?;
            Some(Value::Array(named.into_iter().map(|one| one.value.clone().into()).collect()))
        }
    };
    value.filter(|value| field.accepts(value))
}

/// A recogniser ends every sentence with a full stop, which is not part of a name.
fn trimmed(text: &str) -> Option<String> {
    let text = text.trim();
    let is_sentence = text.contains(['.', '!', '?']) && text.contains(' ') && text.len() > 60;
    let text = if is_sentence { text } else { text.strip_suffix('.').unwrap_or(text) };
    (!text.is_empty()).then(|| text.to_owned())
}

/// "ana at example dot com" is `ana@example.com`.
fn address(text: &str, languages: &[Language]) -> String {
    let spoken = text.trim().trim_end_matches('.');
    if spoken.contains(['@', '/']) && !spoken.contains(' ') {
        return spoken.to_owned();
    }
    let words = normalize(&spoken.replace(['@', '_'], " at "));
    let mark = |word: &str| {
        let is = |list: fn(Language) -> &'static [String]| {
            languages.iter().any(|language| list(*language).iter().any(|one| one == word))
        };
        match (is(|l| &l.words().spelling.at), is(|l| &l.words().spelling.dot)) {
            (true, _) => "@".to_owned(),
            (_, true) => ".".to_owned(),
            (false, false) => word.to_owned(),
        }
    };
    // A recogniser may have written the last dot already: "example.com".
    let dotted = spoken.to_lowercase();
    let keeps_dot = |word: &str| dotted.contains(&format!("{word}."));
    let mut out = String::new();
    for word in words.split(' ') {
        out.push_str(&mark(word));
        if keeps_dot(word) {
            out.push('.');
        }
    }
    out
}

#[cfg(test)]
mod tests;
