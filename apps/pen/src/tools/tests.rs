//! The nine handlers, with faked services at the far side. GP-03, GP-09, GP-12, GP-13, GP-22, GP-23.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use contract::{BoxFuture, Secret};
use hosts::native::NativeHost;
use models::HttpClient;
use policy::{HandlerOutcome, ServiceFault, Services};
use serde_json::{Value, json};
use testkit::notion::{FakeNotion, TOKEN, Trip};

use super::{IDS, Pen, ReadsInMemory, add_to, native_ids, unpack};
use crate::remote::notion::{Client, NotionService, Parent};
use crate::remote::{Hit, RemoteFault, RemoteServices, Search};
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::workspace::Workspace;

const GOLDEN: &str = include_str!("../../tests/data/golden-profile.json");

struct NoServices;

impl Services for NoServices {
    fn call(&self, name: &str, _args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let name = name.to_owned();
        Box::pin(async move { Err(ServiceFault { code: "NONE".into(), message: name }) })
    }
}

struct World {
    dir: tempfile::TempDir,
    host: NativeHost,
}

impl World {
    fn new(far: RemoteServices) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut host = NativeHost::new(1 << 20);
        let reads = Arc::<ReadsInMemory>::default();
        add_to(&mut host, &Pen::new(Workspace::new(dir.path()), Lang::Uk, far, reads));
        Self { dir, host }
    }

    fn with_golden(far: RemoteServices) -> Self {
        let world = Self::new(far);
        world.workspace().create(&Profile::parse(GOLDEN).unwrap()).unwrap();
        world
    }

    fn workspace(&self) -> Workspace {
        Workspace::new(self.dir.path())
    }

    async fn call(&self, tool: &str, args: Value) -> Value {
        let plain = json!({ "metadata": { "conversationId": "c1" } });
        let time = Duration::from_secs(60);
        let answer = self.host.run_handler(tool, args, plain, Arc::new(NoServices), time).await;
        let HandlerOutcome::Returned(value) = answer else { panic!("{tool}: {answer:?}") };
        assert_eq!(value["ok"], true, "{value}");
        value["data"].clone()
    }
}

fn post() -> Value {
    json!({ "content": "Плани не працюють.", "platform": "linkedin", "topic": "плани",
            "profile_used": "default" })
}

#[test]
fn every_tool_has_a_contract_that_a_registry_takes() {
    let dir = tempfile::tempdir().unwrap();
    unpack(dir.path()).unwrap();
    let build = registry::read_tools(dir.path(), &native_ids()).unwrap();
    let faults: Vec<_> = build.faults.iter().map(|fault| fault.what.clone()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let ids: BTreeSet<_> =
        build.registry.tools().map(|tool| tool.contract.tool_id.to_string()).collect();
    assert_eq!(ids, IDS.iter().map(|id| (*id).to_owned()).collect());
    // What a person must agree to.
    let asks: BTreeSet<_> = build
        .registry
        .tools()
        .filter(|tool| tool.contract.requires_confirmation)
        .map(|tool| tool.contract.tool_id.to_string())
        .collect();
    let expected = ["save_to_file", "update_style_profile", "write_to_notion"];
    assert_eq!(asks, expected.iter().map(|id| (*id).to_owned()).collect());
}

#[tokio::test]
async fn gp_03_a_profile_is_read_or_told_what_there_is() {
    let world = World::with_golden(RemoteServices::default());
    let read = world.call("read_style_profile", json!({})).await;
    assert_eq!(read["success"], true);
    assert_eq!(read["profile"], serde_json::from_str::<Value>(GOLDEN).unwrap());
    let missing = world.call("read_style_profile", json!({ "profile_name": "alex" })).await;
    assert_eq!(missing["error"], "profile_not_found");
    assert_eq!(missing["available_profiles"], json!(["default"]));
    let message = missing["message"].as_str().unwrap();
    assert!(
        message.starts_with("Профіль не знайдений") && message.ends_with("default"),
        "{missing}"
    );
    std::fs::write(world.dir.path().join("profiles/torn.json"), "{").unwrap();
    let torn = world.call("read_style_profile", json!({ "profile_name": "torn" })).await;
    assert!(torn["message"].as_str().unwrap().starts_with("Профіль пошкоджений"), "{torn}");
    let bad = world.call("read_style_profile", json!({ "profile_name": "../x" })).await;
    assert_eq!(bad["error"], "invalid_profile_name");
    let none = World::new(RemoteServices::default()).call("read_style_profile", json!({})).await;
    assert!(none["message"].as_str().unwrap().contains("ghostpen init"), "{none}");
}

#[tokio::test]
async fn gp_09_an_empty_shelf_has_a_hint() {
    let list = World::new(RemoteServices::default()).call("list_profiles", json!({})).await;
    assert_eq!((&list["profiles"], &list["total"]), (&json!([]), &json!(0)));
    assert!(list["hint"].as_str().unwrap().contains("ghostpen init"));
}

#[tokio::test]
async fn no_post_is_saved_before_its_profile_was_read() {
    let world = World::with_golden(RemoteServices::default());
    let refused = world.call("save_to_file", post()).await;
    assert_eq!(refused["error"], "profile_not_read");
    world.call("read_style_profile", json!({})).await;
    let saved = world.call("save_to_file", post()).await;
    assert_eq!(saved["success"], true, "{saved}");
    let text = std::fs::read_to_string(saved["file_path"].as_str().unwrap()).unwrap();
    assert!(text.contains("style_profile_version: 3\n"), "{text}");
    let mut mixed = post();
    mixed["profile_used"] = json!("mix:default+alex");
    let refused = world.call("save_to_file", mixed).await;
    assert!(refused["message"].as_str().unwrap().contains("для alex"), "{refused}");
}

#[tokio::test]
async fn gp_12_a_disk_that_fails_gives_the_text_back() {
    let world = World::with_golden(RemoteServices::default());
    world.call("read_style_profile", json!({})).await;
    std::fs::write(world.dir.path().join("output"), "in the way").unwrap();
    let failed = world.call("save_to_file", post()).await;
    assert_eq!((&failed["error"], &failed["content"]), (&json!("disk_error"), &post()["content"]));
}

#[tokio::test]
async fn gp_13_feedback_is_counted_and_a_broken_disk_is_silent() {
    let world = World::new(RemoteServices::default());
    let word = json!({ "category": "too_formal", "raw_feedback": "офіційно" });
    for count in 1..=3 {
        let tracked = world.call("track_feedback", word.clone()).await;
        assert_eq!(
            (&tracked["count"], &tracked["threshold_reached"]),
            (&json!(count), &json!(count == 3))
        );
    }
    let unknown = json!({ "category": "nope", "raw_feedback": "x" });
    assert_eq!(world.call("track_feedback", unknown).await["error"], "invalid_category");
    std::fs::remove_file(world.workspace().tracker_file()).unwrap();
    std::fs::create_dir(world.workspace().tracker_file()).unwrap();
    assert_eq!(world.call("track_feedback", word).await["success"], true);
}

#[tokio::test]
async fn gp_13_an_accepted_change_resets_the_count_in_every_surface() {
    let world = World::with_golden(RemoteServices::default());
    let word = json!({ "category": "too_formal", "raw_feedback": "офіційно" });
    for _ in 0..4 {
        world.call("track_feedback", word.clone()).await;
    }
    let change = json!({ "changes": { "voice.formality": "просто" }, "reason": "agreed" });
    assert_eq!(world.call("update_style_profile", change).await["success"], true);
    let tracked = world.call("track_feedback", word).await;
    assert_eq!((&tracked["count"], &tracked["threshold_reached"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn gp_05_a_refused_value_names_its_field() {
    let world = World::with_golden(RemoteServices::default());
    let change = json!({ "changes": { "voice.hooks": [] }, "reason": "why" });
    let refused = world.call("update_style_profile", change).await;
    assert_eq!(refused["error"], "validation_failed");
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("Невалідне значення для voice.hooks"), "{message}");
    assert_eq!(refused["fields"][0]["field"], "voice.hooks");
}

#[tokio::test]
async fn gp_06_a_reference_profile_is_refused_and_untouched() {
    let world = World::new(RemoteServices::default());
    let text = GOLDEN.replacen("\"personal\"", "\"reference\"", 1);
    world.workspace().create(&Profile::parse(&text).unwrap()).unwrap();
    let change = json!({ "changes": { "voice.tone": "x" }, "reason": "why" });
    let refused = world.call("update_style_profile", change).await;
    assert_eq!(refused["error"], "reference_profile");
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("Reference профілі не оновлюються автоматично"), "{message}");
    let path = world.dir.path().join("profiles/default.json");
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}

/// A search that finds seven things, fails, or never answers.
enum Searching {
    Finds,
    Fails,
    Hangs,
}

impl Search for Searching {
    fn search<'a>(
        &'a self,
        query: &'a str,
        _max: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, RemoteFault>> {
        let hit =
            Hit { title: query.into(), url: "https://example.org".into(), snippet: "s".into() };
        Box::pin(async move {
            match self {
                Searching::Finds => Ok(vec![hit; 7]),
                Searching::Fails => {
                    Err(RemoteFault { code: "down".into(), message: "down".into() })
                }
                Searching::Hangs => std::future::pending().await,
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn gp_22_a_search_gives_five_or_the_draft_goes_on_without() {
    let check = async |search: Option<Searching>, expected: Value| {
        let search = search.map(|search| Arc::new(search) as Arc<dyn Search>);
        let world = World::new(RemoteServices { search, notion: None });
        let found = world.call("search_web", json!({ "query": "burnout 2026" })).await;
        let got = found
            .get("results")
            .map_or(found["message"].clone(), |list| json!(list.as_array().unwrap().len()));
        assert_eq!(got, expected);
    };
    let without = json!("Пошук недоступний, генерую без зовнішніх даних");
    check(Some(Searching::Finds), json!(5)).await;
    check(Some(Searching::Fails), without.clone()).await;
    check(Some(Searching::Hangs), without.clone()).await;
    check(None, without).await;
}

/// The tools over a workspace of the real client.
async fn with_notion(notion: &FakeNotion) -> World {
    let calendar = json!({ "Name": { "type": "title", "title": {} },
        "Topic": { "type": "rich_text", "rich_text": {} } });
    let (database, _) = notion.database(&[("Plan", calendar)]);
    let line = HttpClient::new(models::Limits::usual()).unwrap();
    let limits =
        crate::remote::notion::Limits { retries_max: 0, ..crate::remote::notion::Limits::usual() };
    let client = Client::new(&notion.base_url(), Secret::new(TOKEN), line, limits);
    let workspace = NotionService::new(client, Some(Parent::Database(database)), Lang::Uk);
    let world = World::with_golden(RemoteServices {
        notion: Some(Arc::new(workspace)),
        ..RemoteServices::default()
    });
    world.call("read_style_profile", json!({})).await;
    world
}

fn page() -> Value {
    let mut page = post();
    page["title"] = json!("plany");
    page
}

#[tokio::test]
async fn gp_23_notion_writes_a_page_or_the_text_becomes_a_file() {
    let notion = FakeNotion::start().await.unwrap();
    let stranger = World::with_golden(RemoteServices::default());
    assert_eq!(stranger.call("write_to_notion", page()).await["error"], "profile_not_read");
    let world = with_notion(&notion).await;
    let written = world.call("write_to_notion", page()).await;
    let made = notion.made();
    assert_eq!((&written["success"], &written["page_id"]), (&json!(true), &json!(made[0].id)));
    assert_eq!(made[0].properties["Name"]["title"][0]["plain_text"], "plany");
    let read = world.call("read_notion_page", json!({ "page_id": made[0].id })).await;
    assert_eq!((&read["success"], &read["title"]), (&json!(true), &json!("plany")));

    let busy = Trip::Says { status: 429, code: "rate_limited", retry_after: Some(60) };
    notion.trip("POST /v1/pages", busy);
    let kept = world.call("write_to_notion", page_of("Інший текст.")).await;
    assert_eq!((&kept["success"], &kept["error"]), (&json!(false), &json!("notion_rate_limited")));
    let message = kept["message"].as_str().unwrap();
    assert!(message.starts_with("Помилка Notion, зберігаю локально: "), "{kept}");
    assert!(std::path::Path::new(kept["file_path"].as_str().unwrap()).exists());
    // What was saved a moment ago is not saved twice.
    let busy = Trip::Says { status: 429, code: "rate_limited", retry_after: Some(60) };
    notion.trip("POST /v1/pages", busy);
    let again = world.call("write_to_notion", page_of("Інший текст.")).await;
    assert_eq!(again["file_path"], kept["file_path"]);
    assert_eq!(notion.made().len(), 1);
}

fn page_of(text: &str) -> Value {
    let mut page = page();
    page["content"] = json!(text);
    page
}

#[tokio::test]
async fn gp_23_without_a_token_notion_says_so() {
    let world = World::with_golden(RemoteServices::default());
    let read = world.call("read_notion_page", json!({ "page_id": "x" })).await;
    assert_eq!(read["error"], "notion_not_configured");
    assert_eq!(read["message"], "Notion не налаштований. Додайте NOTION_TOKEN до .env файлу.");
    world.call("read_style_profile", json!({})).await;
    let kept = world.call("write_to_notion", page()).await;
    assert_eq!(kept["error"], "notion_not_configured");
    let message = kept["message"].as_str().unwrap();
    assert!(message.starts_with("Notion не налаштований, зберігаю локально"), "{kept}");
    assert!(std::path::Path::new(kept["file_path"].as_str().unwrap()).exists());
}

/// `tests/data/tool-texts.json` has the texts of the specification, tool by tool.
#[test]
fn the_model_reads_the_texts_of_the_specification() {
    let texts: Value =
        serde_json::from_str(include_str!("../../tests/data/tool-texts.json")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    unpack(dir.path()).unwrap();
    for id in IDS {
        let folder = dir.path().join(id.replace('_', "-"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let schema: Value = serde_json::from_str(&read("schema.json")).unwrap();
        let properties = schema["parameters"]["properties"].as_object().unwrap();
        let arguments: Vec<&str> =
            properties.values().filter_map(|one| one["description"].as_str()).collect();
        let seen = format!("{} {}", read("doc_summary.md"), arguments.join(" "));
        let seen = seen.split_whitespace().collect::<Vec<_>>().join(" ");
        let described = texts[id]["description"].as_str().unwrap();
        for sentence in described.split_inclusive(". ") {
            assert!(seen.contains(sentence.trim()), "{id}: {sentence:?} is not in {seen:?}");
        }
        for (name, text) in texts[id]["parameters"].as_object().unwrap() {
            let own = properties[name]["description"].as_str().unwrap();
            assert!(own.starts_with(text.as_str().unwrap()), "{id}.{name}: {own}");
        }
    }
}
