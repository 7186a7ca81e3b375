//! Makes a profile from posts: what is measured, and a schema for what a model describes.

mod compare;
mod describe;

use serde_json::{Map, Value, json};

pub use compare::{ProfileDifference, compare};
pub use describe::{analysis_instructions, correction_input, voice_schema};

use crate::clock::Now;
use crate::posts::length::Platform;
use crate::style::profile::{Kind, Profile, ProfileFault, ProfileName};
use crate::style::stylometry::{Stylometry, measure};
use crate::text::language::Lang;

/// The maximum number of example posts in a profile.
const EXAMPLES_MAX: usize = 5;

/// The sources of a new profile.
#[derive(Debug, Clone, Copy)]
pub struct ProfileBuilder<'a> {
    pub name: &'a ProfileName,
    pub kind: Kind,
    pub posts: &'a [String],
    /// The platform of the posts, where known.
    pub platform: Option<Platform>,
    pub lang: Lang,
    pub now: Now,
}

impl ProfileBuilder<'_> {
    /// What was measured in the posts.
    pub fn stylometry(&self) -> Option<Stylometry> {
        measure(&self.posts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A profile whose voice was measured, or described by a model where `described` has it.
    pub fn profile(
        &self,
        style: &Stylometry,
        described: Option<&Value>,
    ) -> Result<Profile, ProfileFault> {
        let mut voice = describe::measured_voice(style, self.lang);
        let mut platforms = describe::usual_platforms(style, self.lang);
        if let Some(described) = described {
            merge(&mut voice, described.get("voice"));
            for (name, rules) in
                described.get("platforms").and_then(Value::as_object).into_iter().flatten()
            {
                merge(platforms.entry(name).or_insert_with(|| json!({})), Some(rules));
            }
        }
        let now = self.now.iso();
        let count = self.posts.len();
        let posts = if count == 1 { "1 post".to_owned() } else { format!("{count} posts") };
        let profile = json!({
            "profile_name": self.name,
            "profile_type": self.kind,
            "source": self.lang.pick(&format!("постів: {count}"), &posts),
            "version": 1,
            "created_at": now,
            "updated_at": now,
            "language": style.language,
            "voice": voice,
            "platforms": platforms,
            "examples": self.examples(described, &now),
            "changelog": [{
                "version": 1,
                "date": now,
                "action": "created",
                "description": self.lang.pick(
                    &format!("Початковий профіль; постів: {count}"),
                    &format!("First profile, from {posts}"),
                ),
            }],
            "measured": style,
        });
        Profile::from_value(&profile)
    }

    fn examples(&self, described: Option<&Value>, now: &str) -> Vec<Value> {
        let platform = self.platform.unwrap_or(Platform::Linkedin);
        let why = |index: usize| {
            let said = described.and_then(|value| value.get("why_good")?.get(index)?.as_str());
            let plain = self.lang.pick("Пост автора, як є.", "A post of the author, as it is.");
            said.unwrap_or(plain).to_owned()
        };
        let chosen = self.posts.iter().take(EXAMPLES_MAX).enumerate();
        chosen
            .map(|(index, text)| {
                json!({
                    "id": format!("ex_{:03}", index + 1),
                    "platform": platform,
                    "text": text,
                    "why_good": why(index),
                    "added_at": now,
                })
            })
            .collect()
    }
}

/// Overrides fields of the first with non-empty ones of the second.
fn merge(into: &mut Value, from: Option<&Value>) {
    let (Value::Object(into), Some(Value::Object(from))) = (into, from) else { return };
    for (key, value) in from {
        let is_empty = match value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        if !is_empty {
            into.insert(key.clone(), value.clone());
        }
    }
}

/// The fields of a profile that a person can correct by hand: `voice.tone = теплий`.
pub fn correction(line: &str) -> Option<Map<String, Value>> {
    let (field, value) = line.split_once('=')?;
    let (field, value) = (field.trim(), value.trim());
    if field.is_empty() || field.contains(char::is_whitespace) || value.is_empty() {
        return None;
    }
    let list = ["hooks", "closings", "signature_phrases", "avoid"];
    let is_list = list.iter().any(|name| field == format!("voice.{name}"));
    let value = match serde_json::from_str::<Value>(value) {
        Ok(json) => json,
        Err(_) if is_list => {
            value.split(';').map(str::trim).filter(|one| !one.is_empty()).collect()
        }
        Err(_) => Value::String(value.to_owned()),
    };
    Some(Map::from_iter([(field.to_owned(), value)]))
}

#[cfg(test)]
mod tests;
