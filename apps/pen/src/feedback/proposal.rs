//! A change of the profile that three equal remarks suggest: field, old, new.

use serde::Serialize;
use serde_json::{Value, json};

use super::category::Category;
use super::quotes::quoted;
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;

/// A proposed change. Nothing happens before a person agrees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    pub field: String,
    pub old: Value,
    pub new: Value,
}

/// The change for a category; none where none is certain.
pub fn propose(
    category: Category,
    profile: &Profile,
    platform: Platform,
    last_words: &str,
    lang: Lang,
) -> Option<Proposal> {
    let field = category.fields(&[platform]).into_iter().next()?;
    let pointer = format!("/{}", field.replace('.', "/"));
    let old = profile.value().pointer(&pointer).cloned().unwrap_or_default();
    let new = new_value(category, &old, platform, last_words, lang)?;
    (new != old).then_some(Proposal { field, old, new })
}

fn new_value(
    category: Category,
    old: &Value,
    platform: Platform,
    last_words: &str,
    lang: Lang,
) -> Option<Value> {
    match category {
        Category::TooFormal => {
            Some(more(old, lang.say("propose.casual"), lang.say("propose.more_casual")))
        }
        Category::TooCasual => {
            Some(more(old, lang.say("propose.formal"), lang.say("propose.more_formal")))
        }
        Category::TooLong => length(old, 0.8, platform),
        Category::TooShort => length(old, 1.25, platform),
        Category::HookWeak | Category::HookStrong => rotated(old),
        Category::ToneOff | Category::StructureWrong => Some(added(old, last_words, lang)),
        Category::VocabularyWrong => Some(appended(old, &avoid_rule(last_words))),
        Category::CtaMissing => Some(first(old, lang.say("propose.closing_question"))),
        Category::CtaTooPushy => Some(first(old, lang.say("propose.closing_calm"))),
        Category::Other => None,
    }
}

/// Adds the words, or strengthens them if they are present.
fn more(old: &Value, new: &str, still: &str) -> Value {
    match old.as_str() {
        Some(old) if old.contains(new) => json!(format!("{old}; {still}")),
        _ => json!(new),
    }
}

fn length(old: &Value, factor: f64, platform: Platform) -> Option<Value> {
    let old = old.as_f64().unwrap_or(platform.usual_length() as f64);
    // Round to tens, below the platform's limit.
    let new = ((old * factor) / 10.0).round() * 10.0;
    let new = new.clamp(50.0, platform.limit() as f64);
    Some(json!(new as u64))
}

/// The first hook has priority; one that does not work moves to the end.
fn rotated(old: &Value) -> Option<Value> {
    let mut hooks = old.as_array()?.clone();
    if hooks.len() < 2 {
        return None;
    }
    hooks.rotate_left(1);
    Some(Value::Array(hooks))
}

fn added(old: &Value, last_words: &str, lang: Lang) -> Value {
    let old = old.as_str().unwrap_or_default();
    let words = last_words.trim();
    json!(lang.fill("propose.mind", &[("old", &old), ("words", &words)]))
}

/// A phrase to avoid, in quotes, as a rule that the lint can check.
fn avoid_rule(last_words: &str) -> String {
    match quoted(last_words).as_slice() {
        [] => last_words.trim().to_owned(),
        words => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", "),
    }
}

fn appended(old: &Value, rule: &str) -> Value {
    let mut list = old.as_array().cloned().unwrap_or_default();
    if !list.contains(&json!(rule)) {
        list.push(json!(rule));
    }
    Value::Array(list)
}

fn first(old: &Value, rule: &str) -> Value {
    let mut list = old.as_array().cloned().unwrap_or_default();
    list.retain(|one| one != rule);
    list.insert(0, json!(rule));
    Value::Array(list)
}
