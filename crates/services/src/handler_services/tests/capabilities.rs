//! Which contracts may use which service, and how often.

use contract::SideEffects;
use policy::Services as _;
use serde_json::{Value, json};

use super::*;
use crate::permissions::Service;

fn everything() -> Value {
    json!({
        "kv": ["notes/"], "files": ["data"], "net": ["127.0.0.1:9"], "secrets": ["TOKEN"],
        "attachments": ["read"],
    })
}

fn sample(service: Service) -> Value {
    match service {
        Service::KvGet
        | Service::KvDelete
        | Service::KvExists
        | Service::KvLen
        | Service::KvPopLeft
        | Service::KvPopRight => json!({"key": "notes/l"}),
        Service::KvRange => json!({"key": "notes/l", "start": 0, "stop": -1}),
        Service::KvPushLeft | Service::KvPushRight => json!({"key": "notes/l", "value": 1}),
        Service::KvRemoveAt => json!({"key": "notes/l", "index": 0}),
        Service::KvList | Service::KvKeys => json!({"prefix": "notes/"}),
        Service::PersonasNames | Service::PersonasList => json!({}),
        Service::MessagesSystem => json!({"content": "a"}),
        Service::AiComplete => json!({"prompt": "a"}),
        Service::KvSet => json!({"key": "notes/a", "value": 1}),
        Service::FilesList => json!({"path": "data"}),
        Service::FilesRead | Service::FilesStat => json!({"path": "data/a.txt"}),
        Service::FilesWrite => json!({"path": "data/a.txt", "text": "a"}),
        Service::AttachmentsList => json!({}),
        Service::AttachmentsText | Service::AttachmentsBytes => json!({"id": "a"}),
        Service::Fetch => json!({"url": "http://127.0.0.1:9/"}),
        Service::SecretsGet => json!({"name": "TOKEN"}),
        Service::MessagingSend => json!({"message": {"type": "hello"}}),
        Service::Chunk => json!({"channel": "assistant", "text": "a"}),
        Service::Progress => json!({"fraction": 0.5, "note": null}),
        Service::AuditLog => json!({"event": "seen", "data": {"a": 1}}),
        Service::Console => json!({"level": "info", "text": "a"}),
    }
}

/// One character per service in the order of the table: `+` allowed, `-` refused.
async fn check(side_effects: &str, capabilities: Value, expected: &str) {
    let world = World::new();
    let run = world.run(side_effects, capabilities);
    let mut seen = String::new();
    for service in Service::ALL {
        let answer = run.call(service.as_str(), sample(*service)).await;
        let refused = answer.is_err_and(|fault| {
            // The address is refused after the check that is tested here.
            fault.code == "NOT_ALLOWED" && !fault.message.contains("leads to a private")
        });
        seen.push(if refused { '-' } else { '+' });
    }
    assert_eq!(seen, expected, "{side_effects}");
}

#[tokio::test]
async fn tk_20_a_handler_reaches_only_what_its_contract_names() {
    // kv: reads (6) and writes (7); files; attachments; fetch, secrets; personas (2), system, ai; send;
    // chunk, progress, audit, console
    check(
        "writes",
        everything(),
        "++++++ +++++++ ++++ +++ ++ ++++ + ++++".replace(' ', "").as_str(),
    )
    .await;
    check(
        "read_only",
        everything(),
        "++++++ ------- +++- +++ ++ ++-+ - ++++".replace(' ', "").as_str(),
    )
    .await;
    check("none", everything(), "------ ------- ---- --- -- ---- - ++++".replace(' ', "").as_str())
        .await;
    check("writes", json!({}), "------ ------- ---- --- -- ++++ + ++++".replace(' ', "").as_str())
        .await;
    check(
        "writes",
        json!({"kv": ["notes/"]}),
        "++++++ +++++++ ---- --- -- ++++ + ++++".replace(' ', "").as_str(),
    )
    .await;
    check(
        "writes",
        json!({"kv": ["other/"]}),
        "------ ------- ---- --- -- ++++ + ++++".replace(' ', "").as_str(),
    )
    .await;
    check(
        "writes",
        json!({"files": ["data/"]}),
        "------ ------- ++++ --- -- ++++ + ++++".replace(' ', "").as_str(),
    )
    .await;
    check(
        "writes",
        json!({"secrets": ["TOKEN"]}),
        "------ ------- ---- --- -+ ++++ + ++++".replace(' ', "").as_str(),
    )
    .await;
}

#[tokio::test]
async fn a_refusal_says_what_to_declare() {
    let world = World::new();
    let run = world.run("read_only", json!({}));
    let message_of = async |name, args| fault(&run, name, args).await.message;

    let message = message_of("kv.get", json!({"key": "a"})).await;
    assert!(message.contains(r#""kv": ["notes/"]"#), "{message}");
    let message = message_of("fetch", json!({"url": "https://example.com/"})).await;
    assert!(message.contains("needs `net`"), "{message}");
    let message = message_of("files.write", json!({"path": "a", "text": "a"})).await;
    assert!(message.contains("declare `writes`"), "{message}");

    let run = world.run("read_only", json!({"net": ["example.com"]}));
    let args = json!({"url": "https://example.com/", "method": "POST"});
    let message = fault(&run, "fetch", args).await.message;
    assert!(message.starts_with("`fetch` with `POST` makes changes"), "{message}");
}

#[tokio::test]
async fn unknown_services_and_fields_are_refused() {
    let world = World::new();
    let run = world.run("writes", everything());
    let check = async |name: &str, args: Value, expected: &str| {
        assert_eq!(ask(&run, name, args).await, Err(expected.to_owned()), "{name}");
    };
    check("kv.steal", json!({}), "UNKNOWN_SERVICE").await;
    check("", json!(null), "UNKNOWN_SERVICE").await;
    check("kv.get", json!(null), "BAD_REQUEST").await;
    check("kv.get", json!({"key": 7}), "BAD_REQUEST").await;
    check("kv.set", json!({"key": "notes/a", "value": 1, "expectedRevison": 1}), "BAD_REQUEST")
        .await;
    check("kv.set", json!({"key": "notes/a", "value": 1, "ttlMs": 0}), "BAD_REQUEST").await;
    check("chunk", json!({"channel": "aside", "text": ""}), "BAD_REQUEST").await;
    check("progress", json!({"fraction": null}), "BAD_REQUEST").await;
    check("fetch", json!({"url": "https://127.0.0.1:9", "method": "CONNECT"}), "BAD_REQUEST").await;
    assert_eq!(run.effects(), EffectLevel::None);
    assert_eq!(contract("none", json!({})).side_effects, SideEffects::None);
}

#[tokio::test]
async fn calls_and_bytes_are_limited() {
    let mut world = World::new();
    world.limits.calls_max = 3;
    let run = world.run("writes", everything());
    for _ in 0..3 {
        assert_eq!(ask(&run, "kv.get", json!({"key": "notes/a"})).await, Ok(Value::Null));
    }
    let over = ask(&run, "kv.get", json!({"key": "notes/a"})).await;
    assert_eq!(over, Err("LIMIT_REACHED".into()));

    world.limits.calls_max = 1_000;
    world.limits.bytes_max = 1_000;
    let run = world.run("writes", everything());
    let args = json!({"key": "notes/a", "value": "x".repeat(400)});
    assert!(ask(&run, "kv.set", args.clone()).await.is_ok());
    assert!(ask(&run, "kv.get", json!({"key": "notes/a"})).await.is_ok());
    // The result would exceed the limit.
    let over = ask(&run, "kv.get", json!({"key": "notes/a"})).await;
    assert_eq!(over, Err("LIMIT_REACHED".into()));

    world.limits.event_bytes_max = 100;
    let run = world.run("none", json!({}));
    let args = json!({"channel": "system", "text": "x".repeat(101)});
    assert_eq!(ask(&run, "chunk", args).await, Err("TOO_LARGE".into()));
}

#[tokio::test]
async fn events_arrive_in_order_and_count() {
    let world = World::new();
    let run = world.run("writes", json!({}));
    assert_eq!(run.effects(), EffectLevel::None);
    let _progress = run.call("progress", json!({"fraction": 7, "note": "far"}));
    let _log = run.call("console", json!({"level": "warn", "text": "w"}));
    let _audit = run.call("audit.log", json!({"event": "seen"}));
    assert_eq!(run.effects(), EffectLevel::None);
    // In order, although the first was not awaited yet.
    let first = run.call("chunk", json!({"channel": "assistant", "text": "1"}));
    let second = run.call("chunk", json!({"channel": "context", "text": "2"}));
    assert_eq!(second.await, Ok(Value::Null));
    assert_eq!(first.await, Ok(Value::Null));
    assert_eq!(run.effects(), EffectLevel::Shown);

    let refused = ask(&run, "messaging.send", json!({"message": "refuse me"})).await;
    assert_eq!(refused, Err("UNAVAILABLE".into()));
    assert_eq!(run.effects(), EffectLevel::Shown, "nothing was delivered");
    assert!(ask(&run, "messaging.send", json!({"message": "hello"})).await.is_ok());
    assert_eq!(run.effects(), EffectLevel::Written);

    let seen: Vec<String> =
        world.surface.events().iter().map(|event| format!("{event:?}")).collect();
    assert_eq!(
        seen,
        [
            r#"Progress { fraction: 1.0, note: Some("far") }"#,
            r#"Console { level: Warn, text: "w" }"#,
            r#"Audit { event: "seen", data: Null }"#,
            r#"Chunk(Chunk { channel: Assistant, text: "1" })"#,
            r#"Chunk(Chunk { channel: Context, text: "2" })"#,
            r#"Message(String("hello"))"#,
        ]
    );
}
