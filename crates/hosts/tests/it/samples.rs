//! The sample tools and scaffolds, unchanged, with fake services over a copy of their data.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use contract::ErrorType;
use hosts::{HandlerRun, Repeat};
use policy::{HandlerException, HandlerOutcome};
use serde_json::{Value, json};

use crate::fake_services::FarSide;
use crate::harness::on_shared_host;

/// The repository with `tools`, `kb` and `calendar`: above this crate, or from the environment.
fn repository() -> Option<PathBuf> {
    let named = option_env!("GHOSTHAND_REPOSITORY").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(Path::to_owned);
    named.into_iter().chain(above).find(|folder| folder.join("tools/kb-search/handler.js").exists())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Services with their own copy of the data.
struct SampleData {
    repository: PathBuf,
    data: tempfile::TempDir,
    far: Arc<FarSide>,
    context: Value,
}

impl SampleData {
    fn new() -> Option<Self> {
        let repository = repository()?;
        let data = tempfile::tempdir().unwrap();
        for folder in ["kb", "calendar"] {
            copy(&repository.join(folder), &data.path().join(folder));
        }
        let far = Arc::new(FarSide::with_root(data.path()));
        let context = json!({
            "clientId": "ana",
            "tool": { "id": "sample", "version": "1.0.0", "idempotent": true },
            "session": { "isActive": true, "mode": "text", "toolsVersion": "1.0.0", "state": {} },
            "call": { "id": "c1", "idempotencyKey": "key-1" },
            "capabilities": { "kv": true, "files": true },
        });
        Some(Self { repository, data, far, context })
    }

    fn call_in(&self, tools: &Path, handler: &str, args: &Value) -> HandlerOutcome {
        let run = HandlerRun {
            owner: "ana",
            tools_dir: tools,
            code: None,
            handler,
            args,
            context: &self.context,
            services: self.far.clone(),
            time_limit: Duration::from_secs(60),
            repeat: Repeat::Never,
        };
        on_shared_host(async |host| host.run_handler(run).await.answer)
    }

    fn call(&self, tool: &str, args: Value) -> HandlerOutcome {
        let tools = self.repository.join("tools");
        self.call_in(&tools, &format!("{tool}/handler.js"), &args)
    }

    #[track_caller]
    fn data_of(&self, tool: &str, args: Value) -> Value {
        match self.call(tool, args) {
            HandlerOutcome::Returned(value) if value["ok"] == json!(true) => value["data"].clone(),
            other => panic!("{tool}: {other:?}"),
        }
    }

    #[track_caller]
    fn error_of(&self, tool: &str, args: Value) -> Value {
        match self.call(tool, args) {
            HandlerOutcome::Returned(value) if value["ok"] == json!(false) => {
                value["error"]["type"].clone()
            }
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[test]
fn the_knowledge_base_is_searched_and_read() {
    let Some(mut samples) = SampleData::new() else { return };
    let search = json!({ "query": "tide clock", "top_k": 5, "include_snippets": true });
    let found = samples.data_of("kb-search", search);
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    assert!(found["total_found"].as_u64().unwrap() > 0, "{found}");

    let get = json!({ "id": id, "include_image_data": true });
    assert_eq!(samples.error_of("kb-get", get.clone()), json!("PERMANENT"));
    samples.context["session"]["state"] = json!({ "seenIds": { "kb_search": [id] } });
    assert_eq!(samples.data_of("kb-get", get)["id"], json!(id));

    fs::remove_dir_all(samples.data.path().join("kb")).unwrap();
    let gone = json!({ "query": "tide", "top_k": 5 });
    assert_eq!(samples.error_of("kb-search", gone), json!("PERMANENT"));
}

#[test]
fn an_event_is_planned_then_booked_once_without_overlap() {
    let Some(samples) = SampleData::new() else { return };
    let day = json!({ "from": "2031-03-03T08:00:00Z", "to": "2031-03-03T18:00:00Z", "duration_minutes": 30 });
    let free = samples.data_of("calendar-get-availability", day.clone());
    let slot = free["slots"][0].clone();
    let event = json!({
        "title": "Tide clock, spring service", "attendees": ["ana@example.org"],
        "start_time": slot["start"], "end_time": "2031-03-03T09:00:00Z",
        "calendar_revision": free["calendar_revision"],
    });
    assert_eq!(samples.data_of("calendar-create-event", event.clone())["status"], json!("created"));
    // The same call again finds its event and writes nothing.
    let text = fs::read_to_string(samples.data.path().join("calendar/calendar.ics")).unwrap();
    let again = samples.data_of("calendar-create-event", event.clone());
    assert_eq!(again["status"], json!("already_created"));
    let unchanged = fs::read_to_string(samples.data.path().join("calendar/calendar.ics")).unwrap();
    assert_eq!(text, unchanged);
    // Another call with the old plan is a conflict.
    let mut samples = samples;
    samples.context["call"]["idempotencyKey"] = json!("key-2");
    assert_eq!(samples.error_of("calendar-create-event", event), json!("CONFLICT"));
    let fewer = samples.data_of("calendar-get-availability", day);
    assert_ne!(fewer["slots"][0], slot);
    assert_eq!(samples.far.asked_for("audit.log").len(), 1);
}

#[test]
fn the_tools_without_effects_work() {
    let Some(samples) = SampleData::new() else { return };
    let text =
        "Write to Ana <ana@example.org> or call +44 20 7946 0958, see www.example.org/a_(b).";
    let contacts = samples.data_of("extract-contacts", json!({ "text": text }));
    assert_eq!(contacts["emails"][0]["email"], json!("ana@example.org"));
    assert_eq!(contacts["urls"][0]["url"], json!("https://www.example.org/a_(b)"));
    let long = json!({ "datetime": "2026-12-09T07:00:00Z", "format": "long", "locale": "de" });
    assert!(samples.data_of("format-datetime", long)["text"].as_str().unwrap().contains("2026"));
    let email = samples.call("validate-email", json!({ "email": "ana@example.org" }));
    assert!(matches!(email, HandlerOutcome::Returned(_)), "{email:?}");
}

#[test]
fn a_user_is_blocked_and_notified_or_not_blocked_at_all() {
    let Some(samples) = SampleData::new() else { return };
    let args = json!({ "duration_seconds": 60, "farewell_message": "That was too much. Goodbye." });
    let blocked = samples.data_of("ignore-user", args.clone());
    assert_eq!(blocked["extended"], json!(false));
    assert_eq!(samples.far.asked_for("messaging.send").len(), 1);
    assert_eq!(samples.data_of("ignore-user", args.clone())["extended"], json!(true));

    let before = samples.far.stored("timeouts/ana");
    samples.far.break_messaging();
    let HandlerOutcome::Threw(thrown) = samples.call("ignore-user", args) else {
        panic!("it did not throw")
    };
    let HandlerException { kind, retryable, partial_side_effects, place, .. } = thrown;
    assert_eq!((kind, retryable, partial_side_effects), (Some(ErrorType::Transient), true, false));
    let place = place.unwrap();
    // The engine reports the last line of a statement that spans several.
    assert!(place.starts_with("ignore-user/handler.js:53:"), "{place}");
    assert_eq!(samples.far.stored("timeouts/ana"), before, "the block was undone");
}

#[test]
fn voice_sessions_start_and_end_with_intents() {
    let Some(mut samples) = SampleData::new() else { return };
    let start = samples.call("start-voice-session", json!({ "pending_request": " tell me more " }));
    let HandlerOutcome::Returned(start) = start else { panic!("{start:?}") };
    let intent = json!([{ "type": "SET_PENDING_MESSAGE", "message": "tell me more" }]);
    assert_eq!(start["intents"], intent);
    let end = json!({ "reason": "user_request" });
    assert_eq!(samples.error_of("end-voice-session", end.clone()), json!("SESSION_INACTIVE"));
    samples.context["session"]["mode"] = json!("voice");
    assert_eq!(samples.data_of("end-voice-session", end)["after"], json!("immediate"));
    assert_eq!(samples.error_of("start-voice-session", json!({})), json!("CONFLICT"));
}

#[test]
fn the_scaffolds_run_unchanged() {
    let Some(samples) = SampleData::new() else { return };
    let templates = samples.repository.join("crates/cli/templates");
    let tools = tempfile::tempdir().unwrap();
    for kind in ["action", "retrieval", "utility"] {
        let source = fs::read_to_string(templates.join(kind).join("handler.js")).unwrap();
        let folder = tools.path().join(kind);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("handler.js"), source.replace("{{tool_id}}", kind)).unwrap();
    }
    let data = |kind: &str, args: Value| match samples.call_in(
        tools.path(),
        &format!("{kind}/handler.js"),
        &args,
    ) {
        HandlerOutcome::Returned(value) => value["data"].clone(),
        other => panic!("{kind}: {other:?}"),
    };
    assert_eq!(data("action", json!({ "text": "milk" })), json!({ "id": "note-1", "count": 1 }));
    assert_eq!(data("action", json!({ "text": "bread" })), json!({ "id": "note-2", "count": 2 }));
    let matches = data("retrieval", json!({ "query": "what is a contract", "limit": 1 }));
    assert_eq!(matches["matches"][0]["id"], json!("term:contract"));
    let counts = data("utility", json!({ "text": "one two — 😀", "words_per_minute": 60 }));
    assert_eq!(counts, json!({ "words": 2, "characters": 11, "reading_seconds": 2 }));
}
