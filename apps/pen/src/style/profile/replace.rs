//! A new profile in the place of an old one: what would be lost, and what goes on.

use serde_json::{Value, json};

use super::{Document, Profile, ProfileFault};
use crate::clock::Now;
use crate::text::language::Lang;

/// Fields of a voice that only a person or a model can describe.
const DESCRIBED: [&str; 3] = ["tone", "personality", "formality"];
/// Fields that the program writes by itself.
const OWN: [&str; 12] = [
    "profile_name",
    "profile_type",
    "source",
    "version",
    "created_at",
    "updated_at",
    "language",
    "voice",
    "platforms",
    "examples",
    "changelog",
    "measured",
];

impl Profile {
    /// The fields that this profile describes and the new one does not.
    pub fn lost_in(&self, new: &Profile) -> Vec<String> {
        let mut lost = Vec::new();
        if self.is_described() && !new.is_described() {
            lost.extend(DESCRIBED.iter().map(|field| format!("voice.{field}")));
        }
        for field in ["closings", "signature_phrases"] {
            if !self.voices(field).is_empty() && new.voices(field).is_empty() {
                lost.push(format!("voice.{field}"));
            }
        }
        let kept = new.platforms();
        let gone = self.platforms().into_iter().filter(|platform| !kept.contains(platform));
        lost.extend(gone.map(|platform| format!("platforms.{platform}")));
        lost
    }

    /// Was the voice described, not only measured?
    pub fn is_described(&self) -> bool {
        let tone = self.voice("tone");
        let is_measured =
            [Lang::Uk, Lang::En].iter().any(|lang| lang.say("style.tone_unknown") == tone);
        !tone.trim().is_empty() && !is_measured
    }

    /// This profile as the next version of an old one, whose own fields and changelog go on.
    pub fn after(&self, old: &Profile, lang: Lang, now: Now) -> Result<Profile, ProfileFault> {
        let mut value = self.value().clone();
        let version = old.version() + 1;
        value["version"] = json!(version);
        if let Some(created) = old.value().get("created_at") {
            value["created_at"] = created.clone();
        }
        let mut changelog =
            old.value().get("changelog").and_then(Value::as_array).cloned().unwrap_or_default();
        let source = self.value().get("source").and_then(Value::as_str).unwrap_or_default();
        changelog.push(json!({
            "version": version,
            "date": now.iso(),
            "action": "updated",
            "description": lang.fill("style.replaced", &[("source", &source)]),
            "fields_changed": ["voice", "platforms", "examples", "measured"],
        }));
        value["changelog"] = Value::Array(changelog);
        let fields = old.value().as_object().into_iter().flatten();
        for (name, field) in fields.filter(|(name, _)| !OWN.contains(&name.as_str())) {
            value[name.as_str()] = field.clone();
        }
        Self::of(Document::of(&value))
    }
}
