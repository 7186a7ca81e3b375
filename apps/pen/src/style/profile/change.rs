//! Changes a profile: all changes or none, with a new version and a changelog entry.

use contract::nearest;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::check::{check, texts};
use super::fault::{FieldFault, Problem};
use super::{Document, Kind, Profile};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::text::language::Lang;

/// The applied changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    pub version: u64,
    pub changes_applied: Vec<String>,
    pub changelog_entry: Value,
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedChange {
    #[error("`{0}` is a reference profile; feedback changes only a personal one")]
    Reference(String),
    #[error("there is nothing to change")]
    Nothing,
    #[error("the reason is missing")]
    NoReason,
    #[error("{}", said(.0, Lang::En))]
    Fields(Vec<FieldFault>),
}

impl RefusedChange {
    /// The reason in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            RefusedChange::Reference(name) => lang.fill("fault.reference", &[("name", name)]),
            RefusedChange::Nothing => lang.say("fault.nothing_to_change").to_owned(),
            RefusedChange::NoReason => lang.say("fault.no_reason").to_owned(),
            RefusedChange::Fields(fields) => said(fields, lang),
        }
    }
}

fn said(fields: &[FieldFault], lang: Lang) -> String {
    fields.iter().map(|field| field.refusal(lang)).collect::<Vec<_>>().join("; ")
}

const FIXED: [&str; 6] =
    ["profile_name", "profile_type", "created_at", "version", "updated_at", "changelog"];
const VOICE: [&str; 10] = [
    "tone",
    "formality",
    "personality",
    "sentence_style",
    "paragraph_style",
    "hooks",
    "closings",
    "signature_phrases",
    "avoid",
    "emoji_usage",
];
const PLATFORM: [&str; 6] =
    ["max_length", "structure", "tone_override", "formatting", "hashtags", "notes"];
const ROOT: [&str; 4] = ["source", "language", "examples", "measured"];
const CHANGES_MAX: usize = 50;

impl Profile {
    /// The profile after the changes; this one stays as it is.
    pub fn changed(
        &self,
        changes: &Map<String, Value>,
        reason: &str,
        now: Now,
    ) -> Result<(Profile, Changed), RefusedChange> {
        match self.kind() {
            Kind::Personal => {}
            Kind::Reference => return Err(RefusedChange::Reference(self.name().to_owned())),
        }
        if changes.is_empty() {
            return Err(RefusedChange::Nothing);
        }
        if reason.trim().is_empty() {
            return Err(RefusedChange::NoReason);
        }
        let mut refusals: Vec<_> =
            changes.iter().filter_map(|(path, to)| refusal(path, to)).collect();
        if changes.len() > CHANGES_MAX {
            refusals.push(FieldFault::new("changes", Problem::TooMany));
        }
        if !refusals.is_empty() {
            return Err(RefusedChange::Fields(refusals));
        }
        let mut document = self.document.clone();
        for (path, value) in changes {
            document.set(&path.split('.').collect::<Vec<_>>(), value);
        }
        let version = self.version() + 1;
        let fields: Vec<String> = changes.keys().cloned().collect();
        let entry = json!({
            "version": version,
            "date": now.iso(),
            "action": "updated",
            "description": reason.trim(),
            "fields_changed": fields,
        });
        document.set(&["version"], &json!(version));
        document.set(&["updated_at"], &json!(now.iso()));
        document.push(&["changelog"], &entry);
        let profile = whole(document)?;
        Ok((profile, Changed { version, changes_applied: fields, changelog_entry: entry }))
    }
}

impl Profile {
    /// The profile with other values in some fields, before it is saved.
    pub fn with_fields(&self, fields: &Map<String, Value>) -> Result<Profile, RefusedChange> {
        let refusals: Vec<_> = fields.iter().filter_map(|(path, to)| refusal(path, to)).collect();
        if !refusals.is_empty() {
            return Err(RefusedChange::Fields(refusals));
        }
        let mut document = self.document.clone();
        for (path, value) in fields {
            document.set(&path.split('.').collect::<Vec<_>>(), value);
        }
        whole(document)
    }
}

/// The final check: the result must be a profile again.
fn whole(document: Document) -> Result<Profile, RefusedChange> {
    let faults = check(document.value());
    match faults.is_empty() {
        true => Ok(Profile { document }),
        false => Err(RefusedChange::Fields(faults)),
    }
}

fn refusal(path: &str, to: &Value) -> Option<FieldFault> {
    let problem = match path.split('.').collect::<Vec<_>>().as_slice() {
        [root] if FIXED.contains(root) => Some(Problem::Fixed),
        ["source"] => text(to),
        ["language"] => {
            (!matches!(to.as_str(), Some("uk" | "en" | "uk+en"))).then_some(Problem::NotLanguage)
        }
        ["examples"] => (!to.is_array()).then_some(Problem::NotExamples),
        ["measured"] => (!to.is_object()).then_some(Problem::NotObject),
        ["voice", "hooks" | "avoid"] => {
            (texts(Some(to)).unwrap_or_default() == 0).then_some(Problem::NotSomeTexts)
        }
        ["voice", "closings" | "signature_phrases"] => {
            texts(Some(to)).is_none().then_some(Problem::NotTexts)
        }
        ["voice", field] if VOICE.contains(field) => text(to),
        ["platforms", platform] if is_platform(platform) => {
            (!to.is_object()).then_some(Problem::NotObject)
        }
        ["platforms", platform, "max_length"] if is_platform(platform) => {
            (!to.as_f64().is_some_and(|length| length > 0.0)).then_some(Problem::NotLength)
        }
        ["platforms", platform, field] if is_platform(platform) && PLATFORM.contains(field) => {
            if to.is_null() && *field != "structure" && *field != "formatting" {
                None
            } else {
                text(to)
            }
        }
        _ => Some(Problem::UnknownField(nearest_field(path))),
    };
    problem.map(|problem| FieldFault::new(path, problem))
}

fn is_platform(name: &str) -> bool {
    Platform::ALL.iter().any(|platform| platform.as_str() == name)
}

fn text(to: &Value) -> Option<Problem> {
    let good = to.as_str().is_some_and(|text| !text.trim().is_empty());
    (!good).then_some(Problem::NotText)
}

/// The field that was perhaps meant.
fn nearest_field(path: &str) -> Option<String> {
    let voice = VOICE.iter().map(|field| format!("voice.{field}"));
    let platforms = Platform::OF_PROFILES.iter().flat_map(|platform| {
        PLATFORM.iter().map(move |field| format!("platforms.{platform}.{field}"))
    });
    let root = ROOT.iter().map(|field| (*field).to_owned());
    let known: Vec<String> = root.chain(voice).chain(platforms).collect();
    nearest(path, known.iter().map(String::as_str)).map(str::to_owned)
}
