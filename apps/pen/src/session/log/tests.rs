//! The session log has its fields and no secrets. GP-21.

use contract::{Secret, Usage};
use serde_json::{Value, json};

use super::{EventKind, SessionLog};
use crate::clock::Now;
use crate::workspace::Workspace;

#[test]
fn gp_21_a_log_has_the_schema_and_no_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let now = Now::at("2026-02-08T14:30:00Z".parse().unwrap());
    let mut log = SessionLog::begin("пост про sk-canary", "default", false, now);
    log.hide(Secret::new("sk-canary"));
    log.add(EventKind::UserFeedback, json!({ "text": ["a sk-canary b"] }), now);
    log.add(EventKind::Save, json!({ "file": "x.md" }), now);
    log.spend(
        &Usage { input: 10, output: 5, cache_read: 3, cache_write: 2, thinking: 1 },
        Some(0.5),
    );
    let path = log.finish(&workspace, now).unwrap();
    assert_eq!(path.file_name().unwrap(), "2026-02-08-143000.json");
    let second = log.finish(&workspace, now).unwrap();
    assert_eq!(second.file_name().unwrap(), "2026-02-08-143000-2.json");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains("sk-canary"), "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<_> = value.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "session_id",
            "started_at",
            "input",
            "profile_used",
            "notion_enabled",
            "events",
            "usage",
            "cost_usd",
            "finished_at"
        ]
    );
    assert_eq!(value["events"][0]["type"], "user_feedback");
    assert_eq!(value["events"][0]["timestamp"], "2026-02-08T14:30:00Z");
    assert_eq!(
        value["usage"],
        json!({ "input": 10, "output": 5, "cache_write": 2, "cache_read": 3 })
    );
    let sum = workspace.sessions();
    assert_eq!((sum.sessions, sum.saved, sum.saved_at_once, sum.feedback), (2, 2, 0, 2));
}
