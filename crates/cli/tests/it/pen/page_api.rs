//! The API of Ghostpen's page: the same drafts, rules and files as in the terminal.

use std::fs;
use std::process::{Child, Command};

use fake_providers::{Gate, Turn};
use serde_json::{Value, json};
use testkit::notion::{FakeNotion, TOKEN};

use super::support::{
    BETTER, GOLDEN, GOOD, TOPIC, posts, profile, put_profile, session, with_golden,
};
use crate::serve::served_pad::served;
use crate::support::model_project::{FarSide, KEY};
use crate::support::program::exchange_with;

/// A server over a project, with one person at its page.
struct Page {
    address: String,
    headers: String,
    child: Child,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Page {
    fn open(far: &FarSide) -> Self {
        Self::with(far, &["--no-token"], "")
    }

    fn with(far: &FarSide, flags: &[&str], headers: &str) -> Self {
        Self::serving(
            &mut far.command(&[&["serve", "--listen", "127.0.0.1:0"], flags].concat()),
            headers,
        )
    }

    fn serving(command: &mut Command, headers: &str) -> Self {
        let (child, link) = served(command);
        let address = link.split('/').next().unwrap().to_owned();
        Self { address, headers: headers.to_owned(), child }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let path = format!("/api/pen{path}");
        let body = body.to_string();
        let (status, text) = exchange_with(&self.address, &self.headers, method, &path, &body);
        assert!(!text.contains(KEY), "the key is told: {text}");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, &json!({}));
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    #[track_caller]
    fn does(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, told) = self.send(method, path, body);
        assert!(status < 300, "{path}: {status} {told}");
        told
    }

    /// Begins drafts and waits until they are written.
    #[track_caller]
    fn begins(&self, idea: &Value) -> Vec<String> {
        let begun = self.does("POST", "/drafts?lang=uk", idea);
        let all = begun["drafts"].as_array().unwrap().iter();
        let ids: Vec<String> = all.map(|one| one["id"].as_str().unwrap().to_owned()).collect();
        ids.iter().for_each(|id| drop(self.rests(id)));
        ids
    }

    /// Waits for the end of the work, and gives the draft.
    #[track_caller]
    fn rests(&self, id: &str) -> Value {
        let (status, told) = self.send("GET", &format!("/drafts/{id}/stream"), &json!({}));
        assert_eq!(status, 200, "{told}");
        assert!(told.as_str().unwrap().contains("event: end"), "{told}");
        self.get(&format!("/drafts/{id}?lang=uk"))
    }

    #[track_caller]
    fn says(&self, id: &str, line: &str) -> Value {
        self.does("POST", &format!("/drafts/{id}/say?lang=uk"), &json!({ "line": line }));
        self.rests(id)
    }
}

fn written() -> Value {
    json!({ "idea": TOPIC, "write": true })
}

#[test]
fn a_draft_is_written_revised_undone_and_saved_as_in_the_terminal() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    let draft = page.get(&format!("/drafts/{id}"));
    assert_eq!((&draft["text"], &draft["platform"]), (&json!(GOOD), &json!("linkedin")));
    assert_eq!(draft["check"]["violations"], json!([]));
    let draft = page.says(&id, "занадто формально");
    assert_eq!((&draft["text"], &draft["version"]), (&json!(BETTER), &json!(2)));
    assert!(draft["changes"].as_array().unwrap().len() > 2, "{draft}");
    let draft = page.says(&id, "undo");
    assert_eq!((&draft["text"], &draft["versions"]), (&json!(GOOD), &json!(2)));
    let draft = page.says(&id, "ок, зберігай");
    assert_eq!(draft["status"], "saved");
    let saved = posts(&far);
    assert_eq!(saved.len(), 1);
    assert!(fs::read_to_string(&saved[0]).unwrap().contains(GOOD));
    far.fake.assert_used_up();
    let list = session(&far, &[], &["drafts", "--all"]);
    assert!(list.out.contains(&id), "the terminal has it too: {list:?}");
}

#[test]
fn the_terminal_and_the_page_go_on_with_each_others_drafts() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    // The page has a session open; the terminal changes the draft meanwhile.
    let run = session(&far, &["занадто формально", "exit"], &["resume", &id]);
    assert!(run.code == 0 && run.out.contains(BETTER), "{run:?}");
    let draft = page.says(&id, "undo");
    assert_eq!((&draft["text"], &draft["versions"]), (&json!(GOOD), &json!(2)), "{draft}");
}

#[test]
fn a_text_of_the_authors_own_counts_before_the_line_and_nothing_is_learned_without_a_model() {
    let far = with_golden();
    let page = Page::open(&far);
    let id = page.begins(&json!({ "idea": TOPIC })).remove(0);
    let path = format!("/drafts/{id}");
    page.does("PUT", &format!("{path}/text"), &json!({ "text": GOOD }));
    assert_eq!(page.rests(&id)["origin"], "hand");
    let body = json!({ "line": "заміни «роками» на «довго»", "text": format!("{GOOD}\n") });
    page.does("POST", &format!("{path}/say"), &body);
    let draft = page.rests(&id);
    assert!(draft["text"].as_str().unwrap().contains("писав їх довго"), "{draft}");
    page.says(&id, "зберігай");
    assert_eq!(posts(&far).len(), 1);
    assert!(!far.path().join("data/learned.json").exists(), "no model text was edited");
    assert_eq!(far.fake.requests().len(), 0);
}

#[test]
fn a_draft_is_taken_up_again_as_often_as_the_author_likes() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    // Each change of the language is a session of its own, which reads the profile again.
    for lang in ["en", "uk"].iter().cycle().take(8) {
        let path = format!("/drafts/{id}/say?lang={lang}");
        page.does("POST", &path, &json!({ "line": "заміни «роками» на «довго»" }));
        assert_eq!(page.rests(&id)["seat"]["fault"], Value::Null, "{lang}");
        page.does("POST", &path, &json!({ "line": "undo" }));
        assert_eq!(page.rests(&id)["text"], GOOD, "{lang}");
    }
}

#[test]
fn one_idea_becomes_a_draft_for_each_platform() {
    let far = with_golden();
    far.fake.answering(|body| {
        let is_short = body.to_string().contains("Platform: x.");
        Turn::says(if is_short { "Плани брешуть. А ви як?" } else { GOOD }).into()
    });
    let page = Page::open(&far);
    let idea = json!({ "idea": "пост про плани", "platforms": ["linkedin", "x"], "write": true });
    let ids = page.begins(&idea);
    let drafts: Vec<Value> = ids.iter().map(|id| page.get(&format!("/drafts/{id}"))).collect();
    assert_eq!(drafts[0]["text"], GOOD);
    assert_eq!(drafts[1]["text"], "Плани брешуть. А ви як?");
    assert_eq!((&drafts[0]["platform"], &drafts[1]["platform"]), (&json!("linkedin"), &json!("x")));
    assert_eq!(drafts[0]["request"], drafts[1]["request"]);
}

#[test]
fn a_draft_is_deleted_and_brought_back_and_its_posts_stay() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    let page = Page::open(&far);
    let ids = [page.begins(&written()).remove(0), page.begins(&written()).remove(0)];
    page.says(&ids[0], "зберігай");
    let path = format!("/drafts/{}", ids[0]);
    page.does("DELETE", &path, &json!({}));
    let listed = |page: &Page| {
        let all = page.get("")["drafts"].as_array().unwrap().clone();
        all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&page), [ids[1].as_str()]);
    assert_eq!(page.send("GET", &path, &json!({})).0, 404);
    assert_eq!(page.send("DELETE", &path, &json!({})).0, 404);
    assert_eq!(page.send("POST", &format!("{path}/say"), &json!({ "line": "undo" })).0, 404);
    let terminal = session(&far, &[], &["drafts", "--all"]);
    assert!(!terminal.out.contains(&ids[0]) && terminal.out.contains(&ids[1]), "{terminal:?}");
    assert_eq!(posts(&far).len(), 1, "what was saved stays");
    page.does("POST", &format!("{path}/restore"), &json!({}));
    assert_eq!(page.get(&path)["text"], GOOD);
    assert_eq!(listed(&page).len(), 2);
    assert_eq!(page.send("POST", "/drafts/pen-none/restore", &json!({})).0, 404);
}

/// Everything that the store has.
fn stored(far: &FarSide) -> String {
    let export = far.run(&["store", "export"]);
    assert_eq!(export.code, 0, "{export:?}");
    export.out
}

#[test]
fn a_draft_that_is_erased_takes_its_conversation_with_the_model_along() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    let page = Page::open(&far);
    let ids = [page.begins(&written()).remove(0), page.begins(&written()).remove(0)];
    page.says(&ids[0], "зберігай");
    page.does("DELETE", &format!("/drafts/{}", ids[0]), &json!({}));
    drop(page);
    assert!(stored(&far).contains("Плани не рятують."), "it can be brought back");
    // It was deleted more than thirty days ago.
    far.wait(async {
        let file = far.path().join(".ghosthand/store.db");
        let store = store::SqliteStore::open(&file, store::SqliteOptions::machine()).unwrap();
        let drafts = pen::session::DraftStore::new(std::sync::Arc::new(store));
        let at = "2026-01-01T00:00:00Z".to_owned();
        drafts.append(&ids[0], &pen::session::DraftEvent::Deleted { at }).await.unwrap();
    });
    let page = Page::open(&far);
    assert_eq!(page.get("")["drafts"].as_array().unwrap().len(), 1);
    drop(page);
    let left = stored(&far);
    assert!(!left.contains("Плани не рятують."), "{left}");
    // What is left of it: lines of the audit without any text, and names of logs without records.
    for line in left.lines().filter(|line| line.contains(&ids[0])) {
        let line: Value = serde_json::from_str(line).unwrap();
        let is_audit = line["record"]["body"]["event"] == "tool_execution";
        let log = &line["log"];
        let is_empty = log["first"].as_u64().zip(log["last"].as_u64()).is_some_and(|(a, b)| a > b);
        assert!(is_audit || is_empty, "{line}");
    }
    assert!(left.contains("Плани брешуть."), "the other draft stays");
    assert_eq!(posts(&far).len(), 1, "what was saved stays");
}

#[test]
fn a_draft_that_is_being_written_is_not_deleted() {
    let far = with_golden();
    let gate = Gate::new();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER).gate(&gate));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    let path = format!("/drafts/{id}");
    page.does("POST", &format!("{path}/say"), &json!({ "line": "занадто довго" }));
    assert_eq!(page.send("DELETE", &path, &json!({})).0, 409);
    gate.open();
    assert_eq!(page.rests(&id)["text"], BETTER);
    page.does("DELETE", &path, &json!({}));
}

#[test]
fn the_techniques_of_another_profile_are_mixed_in() {
    let far = with_golden();
    let alex = GOLDEN.replace("\"default\"", "\"competitor-alex\"");
    let alex =
        alex.replace("\"personal\"", "\"reference\"").replace("ось у чому штука", "fun fact");
    put_profile(&far, &alex, "competitor-alex");
    far.fake.then(Turn::says(GOOD));
    let page = Page::open(&far);
    let idea = json!({ "idea": TOPIC, "techniques": "competitor-alex", "write": true });
    let id = page.begins(&idea).remove(0);
    assert_eq!(page.get(&format!("/drafts/{id}"))["profile"], "mix:default+competitor-alex");
    assert!(far.fake.bodies().contains("competitor-alex"), "the model is told of both");
    let unknown = json!({ "idea": TOPIC, "techniques": "nobody" });
    assert_eq!(page.send("POST", "/drafts", &unknown).0, 404);
}

#[test]
fn a_draft_that_is_being_written_can_be_stopped_and_keeps_its_text() {
    let far = with_golden();
    let gate = Gate::new();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER).gate_at(3, &gate));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    let path = format!("/drafts/{id}");
    page.does("POST", &format!("{path}/say"), &json!({ "line": "занадто довго" }));
    let (status, _) = page.send("POST", &format!("{path}/say"), &json!({ "line": "undo" }));
    assert_eq!(status, 409, "one thing at a time");
    far.wait(gate.reached());
    let told = page.does("POST", &format!("{path}/stop"), &json!({}));
    assert_eq!(told["stopped"], true);
    let draft = page.rests(&id);
    assert_eq!((&draft["text"], &draft["versions"]), (&json!(GOOD), &json!(1)));
    assert_eq!(draft["seat"]["fault"]["what"], "зупинено");
    gate.open();
}

#[test]
fn a_profile_changes_only_after_a_yes_to_the_change_that_was_shown() {
    let far = with_golden();
    far.fake.otherwise(Turn::says(GOOD));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    for _ in 0..2 {
        page.says(&id, "занадто формально");
    }
    let draft = page.says(&id, "занадто формально");
    let question = &draft["question"];
    assert_eq!(
        (&question["ask"], &question["field"]),
        (&json!("proposal"), &json!("voice.formality"))
    );
    assert!(!question["changes"].as_array().unwrap().is_empty(), "{question}");
    let before = profile(&far);
    assert_eq!(page.says(&id, "ні, дякую")["question"], Value::Null);
    assert_eq!(profile(&far), before, "a no changes nothing");
}

#[test]
fn without_a_key_it_checks_counts_and_writes_the_prompt_of_a_session() {
    let far = with_golden();
    fs::remove_file(far.path().join("ghosthand.toml")).unwrap();
    let page = Page::open(&far);
    assert_eq!(page.get("?lang=uk")["model"], Value::Null);
    let body = json!({ "text": "Друзі, у рамках контент-плану.", "platform": "x" });
    let found = page.does("POST", "/check?lang=uk", &body);
    assert_eq!((&found["length"], &found["lengthMax"]), (&json!(30), &json!(280)));
    let rules: Vec<&str> = found["violations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    assert!(rules.contains(&"avoid-word"), "{rules:?}");
    let id = page.begins(&written()).remove(0);
    let prompt = page.does("POST", &format!("/drafts/{id}/prompt"), &json!({}));
    let prompt = prompt["text"].as_str().unwrap();
    assert!(prompt.contains("You are Ghostpen") && prompt.contains(TOPIC), "{prompt}");
    assert!(prompt.contains("ось у чому штука"), "the profile is in it");
    page.does("PUT", &format!("/drafts/{id}/text"), &json!({ "text": GOOD }));
    page.rests(&id);
    let draft = page.says(&id, "занадто формально");
    assert!(draft["seat"]["fault"]["fix"].as_str().unwrap().contains("API_KEY"), "{draft}");
    let about = json!({ "remark": "занадто формально" });
    let prompt = page.does("POST", &format!("/drafts/{id}/prompt"), &about);
    assert!(prompt["text"].as_str().unwrap().contains("занадто формально"), "{prompt}");
    assert_eq!(page.says(&id, "зберігай")["status"], "saved");
    assert_eq!(far.fake.requests().len(), 0);
}

#[test]
fn a_long_text_is_shown_as_posts_with_the_counts_of_each_platform() {
    let far = with_golden();
    let page = Page::open(&far);
    let text = "Слово за словом іде. ".repeat(40);
    let found = page.does("POST", "/check", &json!({ "text": text }));
    let threads = found["threads"].as_array().unwrap();
    for one in threads {
        let limit = one["limit"].as_u64().unwrap();
        let posts = one["posts"].as_array().unwrap();
        assert!(!posts.is_empty(), "{one}");
        assert!(posts.iter().all(|post| post["length"].as_u64().unwrap() <= limit), "{one}");
    }
    let of = |name: &str| threads.iter().find(|one| one["platform"] == name).unwrap();
    assert_eq!(of("linkedin")["posts"].as_array().unwrap().len(), 1);
    assert!(of("x")["posts"].as_array().unwrap().len() >= 3);
    let first = &of("x")["posts"][0];
    assert!(first["text"].as_str().unwrap().starts_with("1/"), "{first}");
}

#[test]
fn drafts_are_planned_and_posts_are_listed_found_and_read() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let page = Page::open(&far);
    let id = page.begins(&written()).remove(0);
    let path = format!("/drafts/{id}/plan");
    page.does("PUT", &path, &json!({ "day": "2026-12-24" }));
    assert_eq!(page.get("/drafts")[0]["planned"], "2026-12-24");
    assert_eq!(page.send("PUT", &path, &json!({ "day": "24.12." })).0, 400);
    page.does("PUT", &path, &json!({ "day": null }));
    assert_eq!(page.get("/drafts")[0]["planned"], Value::Null);
    page.says(&id, "зберігай");
    let newest = page.get("/posts");
    assert_eq!((&newest["total"], &newest["posts"][0]["topic"]), (&json!(1), &json!("плани")));
    let found = page.get("/posts?search=%D0%BF%D0%BB%D0%B0%D0%BD%D1%96%D0%B2");
    assert_eq!(found["total"], 1, "any form of a word: {found}");
    let file = newest["posts"][0]["file"].as_str().unwrap();
    assert_eq!(page.get(&format!("/posts/{file}"))["text"], GOOD);
    for name in ["..%2F..%2Fghosthand.toml", ".md", "none.md"] {
        assert_eq!(page.send("GET", &format!("/posts/{name}"), &json!({})).0, 404, "{name}");
    }
}

#[test]
fn a_first_profile_is_measured_from_pasted_posts_and_never_replaced() {
    let far = FarSide::new();
    let page = Page::open(&far);
    let body = json!({ "idea": TOPIC });
    assert_eq!(page.send("POST", "/drafts", &body).0, 404, "no draft without a profile");
    assert_eq!(page.send("POST", "/profiles", &json!({ "posts": "GM" })).0, 400);
    let pasted: Vec<String> = (1..=3)
        .map(|n| format!("Я теж боявся писати цей пост, день {n}.\n\nІ це нормально."))
        .collect();
    let made = page.does("POST", "/profiles", &json!({ "posts": pasted.join("\n---\n") }));
    assert_eq!((&made["name"], &made["measured"]["posts"]), (&json!("default"), &json!(3)));
    let again = json!({ "posts": pasted.join("\n---\n") });
    assert_eq!(page.send("POST", "/profiles", &again).0, 409);
    assert_eq!(page.get("/profiles/default")["version"], 1);
}

#[test]
fn only_the_operator_uses_the_folder() {
    let far = with_golden();
    let secrets = ["a".repeat(32), "b".repeat(32)];
    let tokens = format!("anna={}\nbohdan={}\n", secrets[0], secrets[1]);
    fs::write(far.path().join("tokens.txt"), tokens).unwrap();
    let bearer = |secret: &str| format!("authorization: Bearer {secret}\r\n");
    let mut page = Page::with(&far, &["--token-file", "tokens.txt"], &bearer(&secrets[0]));
    assert_eq!(page.send("GET", "", &json!({})).0, 200);
    let id = page.begins(&json!({ "idea": TOPIC })).remove(0);
    page.headers = bearer(&secrets[1]);
    let text = json!({ "text": "x", "line": "ok", "idea": TOPIC, "posts": "x" });
    let paths = [("GET", ""), ("GET", "/drafts"), ("GET", "/posts"), ("GET", "/profiles/default")];
    for (method, path) in paths {
        assert_eq!(page.send(method, path, &text).0, 403, "{method} {path}");
    }
    for (method, rest) in [("GET", ""), ("GET", "/stream")] {
        assert_eq!(page.send(method, &format!("/drafts/{id}{rest}"), &text).0, 403, "{rest}");
    }
    let writes = [
        ("POST", "/say", json!({ "line": "ok" })),
        ("POST", "/stop", json!({})),
        ("PUT", "/text", json!({ "text": "x" })),
        ("PUT", "/plan", json!({ "day": null })),
        ("DELETE", "", json!({})),
        ("POST", "/restore", json!({})),
    ];
    for (method, rest, body) in writes {
        assert_eq!(page.send(method, &format!("/drafts/{id}{rest}"), &body).0, 403, "{rest}");
    }
    page.headers.clear();
    assert_eq!(page.send("GET", "", &json!({})).0, 401);
}

#[test]
fn a_page_of_notion_is_read_and_a_post_is_written_there_after_a_yes() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let notion = far.wait(FakeNotion::start()).unwrap();
    let source = notion.page("Нотатки", &json!([]));
    notion.markdown(&source, "Плани кидають 9 з 10.", false);
    let columns = json!({ "Назва": { "type": "title", "title": {} } });
    let (database, _) = notion.database(&[("Пости", columns)]);
    let settings = far.path().join("ghosthand.toml");
    let before = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{before}\n[pen]\nnotion = \"{}\"\n", notion.base_url())).unwrap();
    let mut command = far.command(&["serve", "--listen", "127.0.0.1:0", "--no-token"]);
    command.env("NOTION_TOKEN", TOKEN).env("NOTION_DATABASE_ID", database);
    let page = Page::serving(&mut command, "");
    assert_eq!(page.get("")["notion"], "ready");
    let id = page.begins(&json!({ "idea": TOPIC, "notion": source, "write": true })).remove(0);
    assert!(far.fake.bodies().contains("Плани кидають"), "the notes are material");
    assert!(notion.made().is_empty());
    let draft = page.says(&id, "зберігай");
    assert_eq!((&draft["question"]["ask"], posts(&far).len()), (&json!("notion"), 1));
    assert!(notion.made().is_empty(), "nothing without a yes");
    let draft = page.says(&id, "так");
    assert_eq!((&draft["question"], notion.made().len()), (&Value::Null, 1));
}
