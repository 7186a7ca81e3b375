//! Six tools that work on files.

use serde_json::{Map, Value, json};

use super::{Pen, failed};
use crate::clock::Now;
use crate::feedback::Category;
use crate::posts::length::Platform;
use crate::posts::{NewPost, Query};
use crate::style::profile::{ProfileFault, ProfileName, RefusedChange};
use crate::text::language::Lang;
use crate::workspace::WorkspaceFault;

pub(super) fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn profile_name(args: &Value) -> Result<ProfileName, Value> {
    match text(args, "profile_name") {
        "" => Ok(ProfileName::default()),
        name => name.parse().map_err(|bad: crate::style::profile::BadProfileName| {
            failed("invalid_profile_name", &bad.to_string())
        }),
    }
}

pub(super) fn read_style_profile(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let name = match profile_name(args) {
        Ok(name) => name,
        Err(refused) => return refused,
    };
    match pen.workspace().read(&name) {
        Ok(profile) => {
            pen.has_read(conversation, name.as_str(), profile.version());
            json!({ "success": true, "profile": profile.value() })
        }
        Err(fault) => profile_fault(&fault, pen.inner.lang),
    }
}

/// A fault as the tools report it: what it is, and the fix.
fn profile_fault(fault: &WorkspaceFault, lang: Lang) -> Value {
    match fault {
        WorkspaceFault::NotFound { name, available } => {
            let message = match (available.as_slice(), name.as_str()) {
                ([], _) | (_, crate::style::profile::DEFAULT) => match lang {
                    Lang::Uk => {
                        format!("Профіль '{name}' не знайдений. Створіть його: ghostpen init")
                    }
                    Lang::En => format!("Profile '{name}' not found. Make it with `ghostpen init`"),
                },
                (some, _) => match lang {
                    Lang::Uk => format!(
                        "Профіль '{name}' не знайдений. Доступні профілі: {}",
                        some.join(", ")
                    ),
                    Lang::En => format!(
                        "Profile '{name}' not found. Available profiles: {}",
                        some.join(", ")
                    ),
                },
            };
            json!({ "success": false, "error": "profile_not_found", "message": message,
                    "available_profiles": available })
        }
        WorkspaceFault::Broken { fault: ProfileFault::Fields(fields), .. } => json!({
            "success": false, "error": "invalid_profile", "message": fault.to_string(),
            "fields": fields,
        }),
        WorkspaceFault::Broken { .. } | WorkspaceFault::OtherName { .. } => {
            failed("invalid_profile", &fault.to_string())
        }
        WorkspaceFault::Refused(RefusedChange::Reference(_)) => {
            failed("reference_profile", &fault.to_string())
        }
        WorkspaceFault::Refused(RefusedChange::Fields(fields)) => json!({
            "success": false, "error": "validation_failed", "message": fault.to_string(),
            "fields": fields,
        }),
        WorkspaceFault::Refused(_) => failed("validation_failed", &fault.to_string()),
        WorkspaceFault::Exists(_) => failed("profile_exists", &fault.to_string()),
        WorkspaceFault::Disk { source, .. } => failed("disk_error", &format!("{fault}: {source}")),
    }
}

/// Runs only with a person's approval: the contract requires it, and the policy enforces it.
pub(super) fn update_style_profile(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let name = match profile_name(args) {
        Ok(name) => name,
        Err(refused) => return refused,
    };
    let none = Map::new();
    let changes = args.get("changes").and_then(Value::as_object).unwrap_or(&none);
    match pen.workspace().update(&name, changes, text(args, "reason"), Now::read()) {
        Ok(changed) => {
            // The conversation that changed a profile has read it.
            pen.has_read(conversation, name.as_str(), changed.version);
            json!({
                "success": true,
                "version": changed.version,
                "changes_applied": changed.changes_applied,
                "changelog_entry": changed.changelog_entry,
            })
        }
        Err(fault) => profile_fault(&fault, pen.inner.lang),
    }
}

pub(super) fn list_profiles(pen: &Pen, _args: &Value, _conversation: &str) -> Value {
    let profiles = pen.workspace().list();
    let mut data = json!({ "success": true, "profiles": profiles, "total": profiles.len() });
    if profiles.is_empty() {
        let hint = pen.inner.lang.pick(
            "Профілів ще немає. Запустіть: ghostpen init",
            "There are no profiles yet. Run `ghostpen init`",
        );
        data["hint"] = json!(hint);
    }
    data
}

pub(super) fn read_past_posts(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let keywords = args.get("keywords").and_then(Value::as_array);
    let keywords = keywords.into_iter().flatten().filter_map(Value::as_str);
    let limit = args.get("limit").and_then(Value::as_u64).unwrap_or(5);
    let query = Query {
        keywords: keywords.map(str::to_owned).collect(),
        // `all` is not a platform: no filter.
        platform: text(args, "platform").parse::<Platform>().ok(),
        limit: usize::try_from(limit).unwrap_or(5),
    };
    let (posts, total_found) = pen.posts().search(&query);
    json!({ "success": true, "posts": posts, "total_found": total_found })
}

pub(super) fn save_to_file(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let profile_used = profile_used(args);
    let version = match pen.grounded(conversation, profile_used) {
        Ok(version) => version,
        Err(missing) => return not_grounded(&missing),
    };
    match save(pen, args, version) {
        Ok(path) => json!({ "success": true, "file_path": path }),
        Err(refused) => refused,
    }
}

pub(super) fn profile_used(args: &Value) -> &str {
    match text(args, "profile_used") {
        "" => crate::style::profile::DEFAULT,
        name => name,
    }
}

pub(super) fn not_grounded(missing: &[String]) -> Value {
    let message = format!(
        "No post before its profile: call read_style_profile for {} first, then write by it.",
        missing.join(" and ")
    );
    failed("profile_not_read", &message)
}

pub(super) fn save(pen: &Pen, args: &Value, version: u64) -> Result<String, Value> {
    let content = text(args, "content");
    if content.trim().is_empty() {
        return Err(failed("empty_content", "there is no text to save"));
    }
    let platform = text(args, "platform").parse::<Platform>();
    let platform = platform.map_err(|bad| failed("invalid_platform", &bad.to_string()))?;
    let post = NewPost {
        content,
        platform,
        topic: text(args, "topic"),
        profile_used: profile_used(args),
        style_profile_version: version,
    };
    match pen.workspace().save(&post, Now::read()) {
        Ok(saved) => {
            let path = saved.path.display().to_string();
            pen.memory().saved = Some((content.to_owned(), saved.path));
            Ok(path)
        }
        // The text is returned, so that it can be copied.
        Err(fault) => Err(json!({
            "success": false,
            "error": "disk_error",
            "message": format!("{fault}: {}", fault.source),
            "content": fault.text,
        })),
    }
}

/// A tracker that cannot be written does not stop the call: the fault is only logged.
pub(super) fn track_feedback(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let category = match text(args, "category").parse::<Category>() {
        Ok(category) => category,
        Err(unknown) => return failed("invalid_category", &unknown),
    };
    let raw = text(args, "raw_feedback");
    match pen.tracker().track(category, raw, pen.inner.lang, Now::read()) {
        Ok(tracked) => {
            let mut data = json!(tracked);
            data["success"] = json!(true);
            data
        }
        Err(fault) => {
            tracing::warn!(%fault, "feedback was not tracked");
            json!({ "success": true, "category": category, "count": 0, "threshold_reached": false })
        }
    }
}
