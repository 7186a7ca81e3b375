//! Checks a profile and reports every broken field.

use serde_json::Value;

use super::ProfileName;
use crate::posts::length::Platform;

const LANGUAGES: [&str; 3] = ["uk", "en", "uk+en"];
const VOICE_TEXTS: [&str; 6] =
    ["tone", "formality", "personality", "sentence_style", "paragraph_style", "emoji_usage"];

/// The faults of a profile, each with its field first.
pub fn check(profile: &Value) -> Vec<String> {
    let Value::Object(_) = profile else { return vec!["the profile must be an object".to_owned()] };
    let mut faults = Vec::new();
    check_root(profile, &mut faults);
    check_voice(profile.get("voice"), &mut faults);
    check_platforms(profile.get("platforms"), &mut faults);
    check_examples(profile.get("examples"), &mut faults);
    match profile.get("changelog") {
        None | Some(Value::Array(_)) => {}
        Some(_) => faults.push("`changelog` must be a list".to_owned()),
    }
    faults
}

fn check_root(profile: &Value, faults: &mut Vec<String>) {
    let text = |name: &str| profile.get(name).and_then(Value::as_str);
    match text("profile_name").map(str::parse::<ProfileName>) {
        Some(Ok(_)) => {}
        Some(Err(bad)) => faults.push(format!("`profile_name`: {bad}")),
        None => faults.push("`profile_name` is missing".to_owned()),
    }
    if !matches!(text("profile_type"), Some("personal" | "reference")) {
        faults.push("`profile_type` must be `personal` or `reference`".to_owned());
    }
    if text("source").is_none_or(|source| source.trim().is_empty()) {
        faults.push("`source` must say where the posts come from".to_owned());
    }
    if profile.get("version").and_then(Value::as_u64).is_none_or(|version| version < 1) {
        faults.push("`version` must be a whole number from 1".to_owned());
    }
    for name in ["created_at", "updated_at"] {
        let is_time = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
        if !text(name).is_some_and(is_time) {
            faults.push(format!("`{name}` must be a time, as in `2026-02-08T14:00:00Z`"));
        }
    }
    if !text("language").is_some_and(|language| LANGUAGES.contains(&language)) {
        faults.push("`language` must be `uk`, `en` or `uk+en`".to_owned());
    }
}

fn check_voice(voice: Option<&Value>, faults: &mut Vec<String>) {
    let Some(Value::Object(voice)) = voice else {
        faults.push("`voice` is missing".to_owned());
        return;
    };
    for name in VOICE_TEXTS {
        if !matches!(voice.get(name), None | Some(Value::String(_))) {
            faults.push(format!("`voice.{name}` must be text"));
        }
    }
    for name in ["hooks", "avoid"] {
        match texts(voice.get(name)) {
            Some(0) => faults.push(format!("`voice.{name}` is empty")),
            Some(_) => {}
            None => faults.push(format!("`voice.{name}` must be a list of texts")),
        }
    }
    for name in ["closings", "signature_phrases"] {
        if voice.get(name).is_some() && texts(voice.get(name)).is_none() {
            faults.push(format!("`voice.{name}` must be a list of texts"));
        }
    }
}

/// The number of texts in a list; none if it is not a list of texts.
pub(crate) fn texts(value: Option<&Value>) -> Option<usize> {
    let list = value?.as_array()?;
    let good = |item: &Value| item.as_str().is_some_and(|text| !text.trim().is_empty());
    list.iter().all(good).then_some(list.len())
}

fn check_platforms(platforms: Option<&Value>, faults: &mut Vec<String>) {
    let Some(Value::Object(platforms)) = platforms else {
        faults.push("`platforms` is missing".to_owned());
        return;
    };
    if platforms.is_empty() {
        faults.push("`platforms` has no platform".to_owned());
    }
    for (name, rules) in platforms {
        let place = format!("platforms.{name}");
        if let Err(unknown) = name.parse::<Platform>() {
            faults.push(format!("`{place}`: {unknown}"));
        }
        check_length(&place, rules.get("max_length"), faults);
        for field in ["structure", "formatting"] {
            if !matches!(rules.get(field), Some(Value::String(_))) {
                faults.push(format!("`{place}.{field}` must be text"));
            }
        }
        for field in ["tone_override", "hashtags", "notes"] {
            if !matches!(rules.get(field), None | Some(Value::String(_) | Value::Null)) {
                faults.push(format!("`{place}.{field}` must be text"));
            }
        }
    }
}

fn check_length(place: &str, length: Option<&Value>, faults: &mut Vec<String>) {
    if !length.and_then(Value::as_f64).is_some_and(|length| length > 0.0) {
        faults.push(format!("`{place}.max_length` must be a number above 0"));
    }
}

fn check_examples(examples: Option<&Value>, faults: &mut Vec<String>) {
    match examples.and_then(Value::as_array) {
        None => faults.push("`examples` is missing".to_owned()),
        Some(list) if list.is_empty() => faults.push("`examples` has no example".to_owned()),
        Some(list) => {
            for (index, example) in list.iter().enumerate() {
                let text = example.get("text").and_then(Value::as_str);
                if text.is_none_or(|text| text.trim().is_empty()) {
                    faults.push(format!("`examples.{index}.text` is missing"));
                }
            }
        }
    }
}
