//! `ghosthand serve` with the pad's own tools: real Python, real sockets, the real second.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::program::{command, copy_unlocked, exchange, exchange_with, repository, run};

/// A server with the pad's tools; it ends with the test.
struct Pad {
    address: String,
    child: Child,
    dir: tempfile::TempDir,
}

impl Drop for Pad {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Pad {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy_unlocked(&repository().join("apps/pad/tools"), &dir.path().join("tools"));
        let (child, address) = start(dir.path());
        Self { address, child, dir }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, body) = exchange(&self.address, method, path, &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, &json!({}));
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, told) = self.send("POST", path, body);
        assert!(status < 300, "{path}: {status} {told}");
        told
    }

    fn begin(&self) -> String {
        self.post("/api/conversations", &json!({}))["id"].as_str().unwrap().to_owned()
    }

    fn run(&self, id: &str, tool: &str, args: &Value) -> Value {
        self.post(&format!("/api/tools/{tool}/run"), &json!({"conversation": id, "args": args}))
    }

    fn submit(&self, id: &str, tool: &str, handler: &str, params: &Value) -> Value {
        let body = json!({"tool": tool, "handler": handler, "params": params, "conversation": id});
        self.post("/api/tool_submit", &body)
    }

    /// Is the form or widget of this tool there now?
    fn has(&self, id: &str, tool: &str) -> bool {
        let features = self.get(&format!("/api/features?conversation={id}"));
        let found = features.as_array().unwrap().iter().find(|one| one["tool"] == tool);
        found.unwrap_or_else(|| panic!("no {tool}"))["available"] == true
    }

    fn value(&self, key: &str) -> Value {
        self.get(&format!("/api/kv?key={key}"))[key].clone()
    }

    fn stream(&self, id: &str) -> BufReader<TcpStream> {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let path = format!("/api/conversations/{id}/stream");
        write!(socket, "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address).unwrap();
        let mut reader = BufReader::new(socket);
        until(&mut reader, "text/event-stream");
        reader
    }
}

/// A server that ends with its test.
pub(crate) struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(dir: &Path) -> (Child, String) {
    served(command(dir).args(["serve", "--listen", "127.0.0.1:0", "--no-token"]))
}

/// A key alone does not say which model answers; the page asks.
#[test]
fn a_key_without_a_model_does_not_keep_the_page_away() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    let mut serve = command(dir.path());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--no-token"]);
    serve.env("OPENAI_API_KEY", "sk-1").env_remove("ANTHROPIC_API_KEY");
    let (child, address) = served(&mut serve);
    let _ended = Ended(child);
    let (status, session) = exchange(&address, "GET", "/api/session", "");
    let session: Value = serde_json::from_str(&session).unwrap();
    assert_eq!((status, &session["model"]), (200, &json!("rehearsal")), "{session}");
}

/// Starts a server, and gives the link that it prints, without `http://`.
pub(crate) fn served(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let link = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
    (child, link.trim().trim_end_matches('/').to_owned())
}

/// The first line is all that a token is ever printed in, and it is the same after a restart.
#[test]
fn a_token_is_made_once_and_asked_for_on_this_machine_too() {
    let dir = tempfile::tempdir().unwrap();
    copy_unlocked(&repository().join("apps/pad/tools"), &dir.path().join("tools"));
    let begin = || served(command(dir.path()).args(["serve", "--listen", "127.0.0.1:0"]));
    let (child, link) = begin();
    let first = Ended(child);
    let (address, token) = link.split_once("/login#").unwrap();
    assert_eq!(exchange(address, "GET", "/api/session", "").0, 401);
    assert_eq!(exchange(address, "GET", "/api/approvals", "").0, 401);
    assert_eq!(exchange(address, "POST", "/mcp", "{}").0, 401);
    assert_eq!(exchange(address, "GET", "/", "").0, 401);
    let bearer = format!("authorization: Bearer {token}\r\n");
    assert_eq!(exchange_with(address, &bearer, "GET", "/api/session", "").0, 200);
    let kept = fs::read_to_string(dir.path().join(".ghosthand/serve-token")).unwrap();
    assert_eq!(kept.trim(), token);
    drop(first);
    let (child, again) = begin();
    let _again = Ended(child);
    assert_eq!(again.split_once("/login#").unwrap().1, token);
}

/// Tokens that a person named are printed nowhere.
/// Every user of a machine reads its process list.
#[test]
fn a_token_on_the_command_line_is_refused_and_not_repeated() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    let flags = ["serve", "--listen", "127.0.0.1:0", "--token", "ana=ana-0123456789abcdef"];
    let ran = run(dir.path(), &flags);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("`--token-file FILE`"), "{}", ran.err);
    assert!(!ran.err.contains("0123456789"), "{}", ran.err);
}

#[test]
fn named_tokens_are_not_printed() {
    let dir = tempfile::tempdir().unwrap();
    copy_unlocked(&repository().join("apps/pad/tools"), &dir.path().join("tools"));
    fs::write(dir.path().join("tokens.txt"), "ana=ana-0123456789abcdef\n").unwrap();
    let flags = ["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"];
    let (child, link) = served(command(dir.path()).args(flags));
    let _server = Ended(child);
    let address = link.strip_suffix("/login").unwrap();
    let bearer = "authorization: Bearer ana-0123456789abcdef\r\n";
    assert_eq!(exchange_with(address, bearer, "GET", "/api/session", "").0, 200);
    assert!(!dir.path().join(".ghosthand/serve-token").exists());
    let open = run(dir.path(), &["serve", "--listen", "0.0.0.0:0", "--no-token"]);
    assert_eq!(open.code, 2, "{open:?}");
    assert!(open.err.contains("omit --no-token"), "{}", open.err);
    assert!(
        !open.err.contains("http://"),
        "nothing is served, so no link is printed: {}",
        open.err
    );
}

fn until(reader: &mut impl BufRead, wanted: &str) {
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "no {wanted}");
    }
}

/// GD-06, GD-10: conditions of widgets and instants, and what a click does.
#[test]
fn gd_10_a_battle_is_fought_with_buttons() {
    let pad = Pad::open();
    let (id, other) = (pad.begin(), pad.begin());
    assert!(!pad.has(&id, "battle.punch") && !pad.has(&id, "battle.enemy_health"));
    let mut stream = pad.stream(&id);
    let met = pad.run(&id, "battle.meet_enemy", &json!({"enemy": "dragon"}));
    assert_eq!(met["ok"], true, "{met}");
    until(&mut stream, "features_changed");
    assert!(pad.has(&id, "battle.punch") && pad.has(&id, "battle.enemy_health"));
    assert!(!pad.has(&other, "battle.punch"));
    let punched = pad.submit(&id, "battle.punch", "punch", &json!({}));
    let told = punched["message"].as_str().unwrap();
    assert!(told.starts_with("You punch the dragon for "), "{punched}");
    until(&mut stream, "You punch the dragon for ");
    let shown = pad.get(&format!("/api/conversations/{id}"));
    assert_eq!(shown["entries"][0]["text"], told);
    let left = pad.value(&format!("battle-enemy_health-{id}")).as_i64().unwrap();
    assert!((27..30).contains(&left), "{left}");
    let (status, refused) = pad.send(
        "POST",
        "/api/tool_submit",
        &json!({"tool": "battle.punch", "handler": "punch", "conversation": other}),
    );
    assert_eq!((status, &refused["error"]["message"]), (409, &json!("its condition is false")));
}

/// GD-11, GD-13: what a form answers, and whose property it counts.
#[test]
fn gd_11_a_note_is_written_counted_and_refused() {
    let pad = Pad::open();
    let id = pad.begin();
    let noted = pad.submit(&id, "notebook.add_note", "add_from_form", &json!({"text": "Milk"}));
    let expected = json!({"success": true, "message": "Noted.", "clear_inputs": ["note_text"],
        "refresh_components": ["notes", "authors"]});
    assert_eq!(noted, expected);
    let empty = pad.submit(&id, "notebook.add_note", "add_from_form", &json!({"text": " "}));
    assert_eq!(empty, json!({"success": false, "error": "A note needs a text."}));
    pad.run(&id, "notebook.add_note", &json!({"text": "Bread"}));
    let list = pad.get(&format!("/api/kv/notebook-notes-{id}/list"));
    assert_eq!(list, json!({"items": ["Milk (You)", "Bread (Assistant)"], "len": 2}));
    assert_eq!(pad.value(&format!("notebook-count-{id}-user")), 1);
    let count = format!("notebook-count-{id}-assistant");
    assert_eq!(pad.value(&count), 1);
    let (status, _) = pad.send("PUT", "/api/personas/assistant", &json!({"name": "Ada Byron"}));
    assert_eq!(status, 204);
    assert_eq!(pad.value(&format!("notebook-count-{id}-ada-byron")), 1);
    assert_eq!(pad.value(&count), Value::Null);
}

/// GD-01: the reference's own examples, as a person meets them in the page.
#[test]
fn gd_01_the_references_examples_do_what_they_say() {
    let pad = Pad::open();
    let id = pad.begin();
    let sum = json!({"operation": "multiply", "a": 12, "b": 7});
    let told = pad.run(&id, "calculator.calculator", &sum);
    assert_eq!(told["content"], "12 multiply 7 = 84", "{told}");
    let found = pad.run(&id, "web_search.web_search", &json!({"query": "bread"}));
    let said: String = found["said"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    assert!(
        said.contains("Searching for: bread...") && said.contains("Search complete!"),
        "{said}"
    );
    assert!(!said.contains("Found 3 relevant"), "that is for the model alone: {said}");
    let form = json!({"username": "john", "email": "john@example.com", "theme": "dark"});
    let saved = pad.submit(&id, "settings_manager.settings_ui", "save_settings", &form);
    let expected = json!({"success": true, "message": "Settings saved successfully",
        "clear_inputs": [], "refresh_components": ["settings_table"], "close_modal": true});
    assert_eq!(saved, expected);
    assert_eq!(pad.value("user_theme"), "dark");
    let wrong = json!({"username": "john", "email": "nowhere"});
    let refused = pad.submit(&id, "settings_manager.settings_ui", "save_settings", &wrong);
    assert_eq!(refused, json!({"success": false, "error": "Invalid email address"}));
    assert!(pad.has(&id, "balance_widget.balance_widget"));
}

/// GD-18: a form without handlers calls its tool, and that asks.
#[test]
fn gd_18_a_form_that_leaves_the_pad_asks_a_person() {
    let pad = Pad::open();
    let id = pad.begin();
    let params = json!({"url": "https://example.com/", "conversation_id": id});
    let asked = pad.submit(&id, "read_page", "read_page", &params);
    assert!(asked["waiting"]["request"].is_string(), "{asked}");
    assert_eq!(pad.get("/api/approvals").as_array().unwrap().len(), 1);
}

const LATE: &str = r#"
async def late() -> str:
    return "here"

TOOLS = [{"function": late, "schema": {"name": "late", "description": "Comes late."}}]
"#;

/// GD-15
#[test]
fn gd_15_a_new_file_appears_in_a_running_server_and_switches_outlive_it() {
    let mut pad = Pad::open();
    let id = pad.begin();
    let mut stream = pad.stream(&id);
    fs::write(pad.dir.path().join("tools/late.py"), LATE).unwrap();
    until(&mut stream, "features_changed");
    assert_eq!(pad.run(&id, "late.late", &json!({}))["content"], "here");
    pad.post("/api/files/switch", &json!({"file": "battle.py", "on": false}));
    pad.post("/api/tools/battle.heal/switch", &json!({"on": true}));
    pad.child.kill().unwrap();
    pad.child.wait().unwrap();
    (pad.child, pad.address) = start(pad.dir.path());
    let tools = pad.get("/api/tools");
    let off = tools.as_array().unwrap().iter().filter(|tool| tool["on"] == false);
    let off: Vec<_> = off.map(|tool| tool["id"].as_str().unwrap()).collect();
    assert_eq!(off.len(), 7, "{off:?}");
    assert!(off.iter().all(|id| id.starts_with("battle.") && *id != "battle.heal"), "{off:?}");
}
