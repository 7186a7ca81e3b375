//! Checks a profile and reports every broken field.

use serde_json::Value;

use super::ProfileName;
use super::fault::{FieldFault, Problem};
use crate::posts::length::Platform;

const LANGUAGES: [&str; 3] = ["uk", "en", "uk+en"];
const VOICE_TEXTS: [&str; 6] =
    ["tone", "formality", "personality", "sentence_style", "paragraph_style", "emoji_usage"];

/// The faults of a profile, each with its field first.
pub fn check(profile: &Value) -> Vec<FieldFault> {
    let Value::Object(_) = profile else {
        return vec![FieldFault::new("profile", Problem::NotObject)];
    };
    let mut faults = Vec::new();
    check_root(profile, &mut faults);
    check_voice(profile.get("voice"), &mut faults);
    check_platforms(profile.get("platforms"), &mut faults);
    check_examples(profile.get("examples"), &mut faults);
    match profile.get("changelog") {
        None | Some(Value::Array(_)) => {}
        Some(_) => faults.push(FieldFault::new("changelog", Problem::NotList)),
    }
    faults
}

fn check_root(profile: &Value, faults: &mut Vec<FieldFault>) {
    let text = |name: &str| profile.get(name).and_then(Value::as_str);
    match text("profile_name").map(str::parse::<ProfileName>) {
        Some(Ok(_)) => {}
        Some(Err(bad)) => {
            faults.push(FieldFault::new("profile_name", Problem::BadName(bad)));
        }
        None => faults.push(FieldFault::new("profile_name", Problem::Missing)),
    }
    if !matches!(text("profile_type"), Some("personal" | "reference")) {
        faults.push(FieldFault::new("profile_type", Problem::NotType));
    }
    if text("source").is_none_or(|source| source.trim().is_empty()) {
        faults.push(FieldFault::new("source", Problem::NoSource));
    }
    if profile.get("version").and_then(Value::as_u64).is_none_or(|version| version < 1) {
        faults.push(FieldFault::new("version", Problem::NotVersion));
    }
    for name in ["created_at", "updated_at"] {
        let is_time = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
        if !text(name).is_some_and(is_time) {
            faults.push(FieldFault::new(name, Problem::NotTime));
        }
    }
    if !text("language").is_some_and(|language| LANGUAGES.contains(&language)) {
        faults.push(FieldFault::new("language", Problem::NotLanguage));
    }
}

fn check_voice(voice: Option<&Value>, faults: &mut Vec<FieldFault>) {
    let Some(Value::Object(voice)) = voice else {
        faults.push(FieldFault::new("voice", Problem::Missing));
        return;
    };
    for name in VOICE_TEXTS {
        if !matches!(voice.get(name), None | Some(Value::String(_))) {
            faults.push(FieldFault::new(format!("voice.{name}"), Problem::NotText));
        }
    }
    for name in ["hooks", "avoid"] {
        match texts(voice.get(name)) {
            Some(0) => faults.push(FieldFault::new(format!("voice.{name}"), Problem::Empty)),
            Some(_) => {}
            None => faults.push(FieldFault::new(format!("voice.{name}"), Problem::NotTexts)),
        }
    }
    for name in ["closings", "signature_phrases"] {
        if voice.get(name).is_some() && texts(voice.get(name)).is_none() {
            faults.push(FieldFault::new(format!("voice.{name}"), Problem::NotTexts));
        }
    }
}

/// The number of texts in a list; none if it is not a list of texts.
pub(crate) fn texts(value: Option<&Value>) -> Option<usize> {
    let list = value?.as_array()?;
    let good = |item: &Value| item.as_str().is_some_and(|text| !text.trim().is_empty());
    list.iter().all(good).then_some(list.len())
}

fn check_platforms(platforms: Option<&Value>, faults: &mut Vec<FieldFault>) {
    let Some(Value::Object(platforms)) = platforms else {
        faults.push(FieldFault::new("platforms", Problem::Missing));
        return;
    };
    if platforms.is_empty() {
        faults.push(FieldFault::new("platforms", Problem::NoPlatform));
    }
    for (name, rules) in platforms {
        let place = format!("platforms.{name}");
        if let Err(unknown) = name.parse::<Platform>() {
            faults.push(FieldFault::new(&*place, Problem::UnknownPlatform(unknown)));
        }
        check_length(&place, rules.get("max_length"), faults);
        for field in ["structure", "formatting"] {
            if !matches!(rules.get(field), Some(Value::String(_))) {
                faults.push(FieldFault::new(format!("{place}.{field}"), Problem::NotText));
            }
        }
        for field in ["tone_override", "hashtags", "notes"] {
            if !matches!(rules.get(field), None | Some(Value::String(_) | Value::Null)) {
                faults.push(FieldFault::new(format!("{place}.{field}"), Problem::NotText));
            }
        }
    }
}

fn check_length(place: &str, length: Option<&Value>, faults: &mut Vec<FieldFault>) {
    if !length.and_then(Value::as_f64).is_some_and(|length| length > 0.0) {
        faults.push(FieldFault::new(format!("{place}.max_length"), Problem::NotLength));
    }
}

fn check_examples(examples: Option<&Value>, faults: &mut Vec<FieldFault>) {
    match examples.and_then(Value::as_array) {
        None => faults.push(FieldFault::new("examples", Problem::Missing)),
        Some(list) if list.is_empty() => {
            faults.push(FieldFault::new("examples", Problem::NoExample));
        }
        Some(list) => {
            for (index, example) in list.iter().enumerate() {
                let text = example.get("text").and_then(Value::as_str);
                if text.is_none_or(|text| text.trim().is_empty()) {
                    let field = format!("examples.{index}.text");
                    faults.push(FieldFault::new(field, Problem::Missing));
                }
            }
        }
    }
}
