//! Six tools that work on files.

use serde_json::{Map, Value, json};

use super::{Pen, blocking, failed};
use crate::clock::Now;
use crate::feedback::Category;
use crate::posts::length::Platform;
use crate::posts::{NewPost, Query};
use crate::style::profile::{BadProfileName, FieldFault, ProfileFault, ProfileName, RefusedChange};
use crate::text::language::Lang;
use crate::workspace::WorkspaceFault;

pub(super) fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn profile_name(args: &Value, lang: Lang) -> Result<ProfileName, Value> {
    match text(args, "profile_name") {
        "" => Ok(ProfileName::default()),
        name => name
            .parse()
            .map_err(|bad: BadProfileName| failed("invalid_profile_name", &bad.text(lang))),
    }
}

pub(super) async fn read_style_profile(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let name = match profile_name(args, pen.lang()) {
        Ok(name) => name,
        Err(refused) => return refused,
    };
    let wanted = name.clone();
    let read = match blocking(pen, move |pen| pen.workspace().read(&wanted)).await {
        Ok(read) => read,
        Err(broken) => return broken,
    };
    match read {
        Ok(profile) => {
            pen.has_read(conversation, name.as_str(), profile.version()).await;
            json!({ "success": true, "profile": profile.value() })
        }
        Err(fault) => profile_fault(&fault, pen.lang()),
    }
}

/// A fault as the tools report it: its code, and the message in the writer's language.
fn profile_fault(fault: &WorkspaceFault, lang: Lang) -> Value {
    let message = fault.text(lang);
    let code = match fault {
        WorkspaceFault::NotFound { .. } => "profile_not_found",
        WorkspaceFault::Broken { .. } | WorkspaceFault::OtherName { .. } => "invalid_profile",
        WorkspaceFault::Refused(RefusedChange::Reference(_)) => "reference_profile",
        WorkspaceFault::Refused(_) => "validation_failed",
        WorkspaceFault::Exists(_) => "profile_exists",
        WorkspaceFault::Disk { .. } => "disk_error",
    };
    let mut answer = failed(code, &message);
    match fault {
        WorkspaceFault::NotFound { available, .. } => {
            answer["available_profiles"] = json!(available);
        }
        WorkspaceFault::Broken { fault: ProfileFault::Fields(fields), .. } => {
            let texts: Vec<String> = fields.iter().map(|field| field.text(lang)).collect();
            answer["fields"] = json!(texts);
        }
        WorkspaceFault::Refused(RefusedChange::Fields(fields)) => {
            let field = |one: &FieldFault| {
                let because = one.problem.text(lang);
                json!({ "field": one.field, "because": because })
            };
            answer["fields"] = fields.iter().map(field).collect();
        }
        WorkspaceFault::Broken { .. }
        | WorkspaceFault::OtherName { .. }
        | WorkspaceFault::Refused(_)
        | WorkspaceFault::Exists(_)
        | WorkspaceFault::Disk { .. } => {}
    }
    answer
}

/// Runs only with a person's approval: the contract requires it, and the policy enforces it.
pub(super) async fn update_style_profile(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let name = match profile_name(args, pen.lang()) {
        Ok(name) => name,
        Err(refused) => return refused,
    };
    let none = Map::new();
    let changes = args.get("changes").and_then(Value::as_object).unwrap_or(&none).clone();
    let reason = text(args, "reason").to_owned();
    let wanted = name.clone();
    let update = move |pen: &Pen| {
        let changed = pen.workspace().update(&wanted, &changes, &reason, Now::read());
        if let Ok(changed) = &changed {
            // What was agreed is counted anew.
            resolve(pen, &changed.changes_applied);
        }
        changed
    };
    let changed = match blocking(pen, update).await {
        Ok(changed) => changed,
        Err(broken) => return broken,
    };
    match changed {
        Ok(changed) => {
            // The conversation that changed a profile has read it.
            pen.has_read(conversation, name.as_str(), changed.version).await;
            json!({
                "success": true,
                "version": changed.version,
                "changes_applied": changed.changes_applied,
                "changelog_entry": changed.changelog_entry,
            })
        }
        Err(fault) => profile_fault(&fault, pen.lang()),
    }
}

/// Resets the counts of the remarks that these fields are about.
fn resolve(pen: &Pen, fields: &[String]) {
    for category in Category::ALL {
        let is_about = fields.iter().any(|field| category.is_about(field));
        if is_about && let Err(fault) = pen.tracker().resolve(category, Now::read()) {
            tracing::warn!(%fault, "cannot reset the feedback count");
        }
    }
}

pub(super) async fn list_profiles(pen: &Pen, _args: &Value, _conversation: &str) -> Value {
    let profiles = match blocking(pen, |pen| pen.workspace().list(pen.lang())).await {
        Ok(profiles) => profiles,
        Err(broken) => return broken,
    };
    let mut data = json!({ "success": true, "profiles": profiles, "total": profiles.len() });
    if profiles.is_empty() {
        data["hint"] = json!(pen.lang().say("tools.no_profiles"));
    }
    data
}

pub(super) async fn read_past_posts(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let keywords = args.get("keywords").and_then(Value::as_array);
    let keywords = keywords.into_iter().flatten().filter_map(Value::as_str);
    let limit = args.get("limit").and_then(Value::as_u64).unwrap_or(5);
    let query = Query {
        keywords: keywords.map(str::to_owned).collect(),
        // `all` is not a platform: no filter.
        platform: text(args, "platform").parse::<Platform>().ok(),
        limit: usize::try_from(limit).unwrap_or(5),
    };
    match blocking(pen, move |pen| pen.posts().search(&query)).await {
        Ok((posts, total_found)) => {
            json!({ "success": true, "posts": posts, "total_found": total_found })
        }
        Err(broken) => broken,
    }
}

pub(super) async fn save_to_file(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let version = match pen.grounded(conversation, profile_used(args)).await {
        Ok(version) => version,
        Err(refused) => return refused,
    };
    let args = args.clone();
    match blocking(pen, move |pen| save(pen, &args, version)).await {
        Ok(Ok(path)) => json!({ "success": true, "file_path": path }),
        Ok(Err(refused)) | Err(refused) => refused,
    }
}

pub(super) fn profile_used(args: &Value) -> &str {
    match text(args, "profile_used") {
        "" => crate::style::profile::DEFAULT,
        name => name,
    }
}

pub(super) fn save(pen: &Pen, args: &Value, version: u64) -> Result<String, Value> {
    let lang = pen.lang();
    let content = text(args, "content");
    if content.trim().is_empty() {
        return Err(failed("empty_content", lang.say("tools.empty_content")));
    }
    let platform = text(args, "platform").parse::<Platform>();
    let platform = platform.map_err(|bad| failed("invalid_platform", &bad.text(lang)))?;
    let post = NewPost {
        content,
        platform,
        topic: text(args, "topic"),
        profile_used: profile_used(args),
        style_profile_version: version,
    };
    match pen.workspace().save(&post, Now::read()) {
        Ok(saved) => Ok(saved.path.display().to_string()),
        // The text is returned, so that it can be copied.
        Err(fault) => {
            let folder = fault.folder.display();
            let values: [(&str, &dyn std::fmt::Display); 2] =
                [("path", &folder), ("why", &fault.source)];
            let mut answer = failed("disk_error", &lang.fill("tools.save_error", &values));
            answer["content"] = json!(fault.text);
            Err(answer)
        }
    }
}

/// A tracker that cannot be written does not stop the call: the fault is only logged.
pub(super) async fn track_feedback(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let lang = pen.lang();
    let Ok(category) = text(args, "category").parse::<Category>() else {
        let name = text(args, "category");
        let message = lang.fill("tools.no_category", &[("name", &name)]);
        return failed("invalid_category", &message);
    };
    let raw = text(args, "raw_feedback").to_owned();
    let track = move |pen: &Pen| pen.tracker().track(category, &raw, lang, Now::read());
    match blocking(pen, track).await {
        Ok(Ok(tracked)) => {
            let mut data = json!(tracked);
            data["success"] = json!(true);
            data
        }
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "feedback was not tracked");
            json!({ "success": true, "category": category, "count": 0, "threshold_reached": false })
        }
        Err(broken) => broken,
    }
}
