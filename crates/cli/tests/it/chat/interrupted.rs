//! Answers that were stopped, broke off or died with their program: nothing that was shown is
//! lost, everything runs again byte for byte, and the conversation goes on.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use fake_providers::{Fault, Turn};
use serde_json::{Value, json};
use store::{LogName, PageRequest, Sequence, SqliteOptions, SqliteStore, Store};
use testkit::Gate;

use crate::support::model_project::FarSide;
use crate::support::program::{Run, copy_unlocked, exchange, repository};
use crate::support::terminal::at_terminal;

#[track_caller]
fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// The conversation runs again, and so does the story that is made of it.
#[track_caller]
fn runs_again(far: &FarSide, id: &str) {
    let run = good(far.run(&["replay", id]));
    assert!(run.err.contains("byte for byte the same"), "{run:?}");
    let stories = far.path().join("stories");
    fs::create_dir_all(&stories).unwrap();
    good(far.run(&["replay", id, "--export", "stories/story.md"]));
    good(far.run(&["test", "stories"]));
}

/// Reads until this was said.
fn until(out: &mut impl Read, wanted: &str) -> String {
    let (mut said, mut letter) = (Vec::new(), [0]);
    while !String::from_utf8_lossy(&said).contains(wanted) {
        assert_ne!(out.read(&mut letter).unwrap(), 0, "{}", String::from_utf8_lossy(&said));
        said.push(letter[0]);
    }
    String::from_utf8(said).unwrap()
}

#[test]
fn an_answer_that_ctrl_c_stops_is_kept_for_the_person_the_model_and_a_replay() {
    let far = FarSide::new();
    let gate = Gate::new();
    far.fake.then(Turn::says("One two three four.").gate_at(4, &gate));
    let mut chat = far.command(&["chat", "--conversation", "c1"]);
    chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut chat = chat.spawn().unwrap();
    let mut said = chat.stdin.take().unwrap();
    said.write_all(b"Count\n").unwrap();
    let seen = until(chat.stdout.as_mut().unwrap(), "two");
    let kill = Command::new("kill").args(["-INT", &chat.id().to_string()]).status();
    assert!(kill.unwrap().success());
    far.wait(far.fake.abandoned(1));
    drop(said);
    let output = chat.wait_with_output().unwrap();
    let rest = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0));
    let seen = format!("{seen}{rest}");
    runs_again(&far, "c1");
    far.fake.then(Turn::says("Three."));
    good(far.run(&["chat", "--conversation", "c1", "Go on"]));
    let messages = far.fake.requests().last().unwrap().body["messages"].clone();
    let own = messages.as_array().unwrap().iter().find(|one| one["role"] == "assistant").unwrap();
    assert_eq!(own["content"].as_str().unwrap().trim(), seen.trim(), "{messages}");
    assert!(messages.to_string().contains("stopped the answer above"), "{messages}");
    runs_again(&far, "c1");
}

#[test]
fn a_turn_that_failed_at_the_model_runs_again() {
    let far = FarSide::new();
    far.fake.then(Fault::wrong_key());
    assert_eq!(far.run(&["chat", "--conversation", "c1", "Hello"]).code, 1);
    runs_again(&far, "c1");
    far.fake.then(Turn::calls("validate_email", json!({ "email": "ana@gmial.com" })));
    far.fake.then(Turn::says("One two three four.").overloaded_after(4));
    let run = far.run(&["chat", "--conversation", "c1", "Is ana@gmial.com right?"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("One two"), "{run:?}");
    runs_again(&far, "c1");
    far.fake.then(Turn::says("Fine."));
    good(far.run(&["chat", "--conversation", "c1", "And now?"]));
    let sent = far.fake.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("One two") && sent.contains("answer above broke off"), "{sent}");
    runs_again(&far, "c1");
}

/// A server of this project.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(far: &FarSide) -> Self {
        let mut child = far.command(&["serve", "--listen", "127.0.0.1:0", "--no-token"]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
        Self { address: address.trim().trim_end_matches('/').to_owned(), child }
    }

    #[track_caller]
    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, told) = exchange(&self.address, method, path, &body.to_string());
        assert!(status < 300, "{method} {path}: {status} {told}");
        serde_json::from_str(&told).unwrap_or_default()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the log of a conversation has an event of this kind.
fn logged(far: &FarSide, id: &str, event: &str) {
    let file = far.path().join(".ghosthand/store.db");
    let (log, wanted): (LogName, _) =
        (format!("talk/{id}").parse().unwrap(), format!("\"{event}\""));
    far.wait(async {
        let store = SqliteStore::open(&file, SqliteOptions::machine()).unwrap();
        let mut feed = store.log().follow(&log, Sequence::FIRST).await.unwrap();
        while !feed.next().await.unwrap().body.as_str().contains(&wanted) {}
    });
}

/// Kills the server while the model answers, starts another at once, and gives the
/// conversation when it is at rest.
fn killed(far: &FarSide, begin: &[Turn], gate: &Gate, event: &str) -> (Served, Value) {
    far.fake.script(begin.iter().cloned());
    let served = Served::start(far);
    let id = served.send("POST", "/api/conversations", &json!({}))["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let path = format!("/api/conversations/{id}");
    served.send("POST", &format!("{path}/messages"), &json!({ "text": "Count" }));
    far.wait(gate.reached());
    logged(far, &id, event);
    served.kill();
    far.fake.then(Turn::says("Five."));
    let served = Served::start(far);
    loop {
        let view = served.send("GET", &path, &json!({}));
        if view["open"] == false {
            assert_eq!(view["running"], false);
            runs_again(far, &id);
            return (served, view);
        }
    }
}

fn texts(view: &Value) -> Vec<&str> {
    let entries = view["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["text"].as_str().or(entry["entry"].as_str()).unwrap()).collect()
}

#[test]
fn a_server_that_is_killed_before_a_word_is_followed_by_one_that_answers() {
    let (far, gate) = (FarSide::new(), Gate::new());
    let (_served, view) = killed(&far, &[Turn::says("Never.").gate(&gate)], &gate, "offered");
    assert_eq!(texts(&view), ["Count", "Five."]);
}

#[test]
fn a_server_that_is_killed_in_an_answer_leaves_what_was_shown_and_the_next_one_answers() {
    let (far, gate) = (FarSide::new(), Gate::new());
    let turn = Turn::says("One two three four.").gate_at(4, &gate);
    let (served, view) = killed(&far, &[turn], &gate, "partial");
    let shown = texts(&view);
    assert_eq!((shown.len(), &shown[2..]), (4, &["broke_off", "Five."][..]), "{shown:?}");
    assert!(shown[1].starts_with("One two"), "{shown:?}");
    let messages = far.fake.requests().last().unwrap().body["messages"].clone();
    assert_eq!(messages[2]["content"], shown[1], "{messages}");
    // A reload shows the same, and the conversation goes on.
    let path = format!("/api/conversations/{}", view["id"].as_str().unwrap());
    assert_eq!(served.send("GET", &path, &json!({}))["entries"], view["entries"]);
    far.fake.then(Turn::says("Six."));
    served.send("POST", &format!("{path}/messages"), &json!({ "text": "And?" }));
}

#[test]
fn a_server_that_is_killed_after_a_call_does_not_make_it_again() {
    let (far, gate) = (FarSide::new(), Gate::new());
    let call = Turn::calls("validate_email", json!({ "email": "ana@gmial.com" }));
    let turns = [call, Turn::says("One two three four.").gate_at(4, &gate)];
    let (_served, view) = killed(&far, &turns, &gate, "partial");
    let shown = texts(&view);
    assert_eq!(shown.last(), Some(&"Five."), "{shown:?}");
    assert_eq!(shown.iter().filter(|one| **one == "step").count(), 1, "{shown:?}");
}

/// Every shipped tool that keeps something for a conversation.
const KEEPERS: &[(&str, &str)] = &[
    ("private_notes.keep_secret", r#"{"text": "my PIN is 1234"}"#),
    ("dice.roll_dice", r#"{"dice": "2d6"}"#),
    ("mood.set_mood", r#"{"mood": "grumpy"}"#),
    ("battle.meet_enemy", r#"{"enemy": "goblin"}"#),
    ("notebook.add_note", r#"{"text": "Milk"}"#),
    ("timer.set_timer", r#"{"minutes": 4}"#),
    ("guidance.set_guidance", r#"{"text": "Be brief."}"#),
];

/// GD-12
#[test]
fn gd_12_a_deleted_conversation_takes_along_what_every_shipped_tool_kept_for_it() {
    let far = FarSide::new();
    fs::remove_dir_all(far.path().join("tools")).unwrap();
    copy_unlocked(&repository().join("apps/pad/tools"), &far.path().join("tools"));
    let served = Served::start(&far);
    let begin = || {
        let told = served.send("POST", "/api/conversations", &json!({}));
        told["id"].as_str().unwrap().to_owned()
    };
    let (gone, stays) = (begin(), begin());
    for id in [&gone, &stays] {
        for (tool, args) in KEEPERS {
            let args: Value = serde_json::from_str(args).unwrap();
            let body = json!({ "conversation": id, "args": args });
            let told = served.send("POST", &format!("/api/tools/{tool}/run"), &body);
            if let Some(request) = told["waiting"]["request"].as_str() {
                let yes = json!({ "answer": "approve" });
                served.send("POST", &format!("/api/approvals/{request}"), &yes);
            } else {
                assert_eq!(told["ok"], true, "{tool}: {told}");
            }
        }
    }
    served.send("PUT", "/api/kv/user_name", &json!({ "value": "Ana" }));
    let keys = |id: &str| -> Vec<String> {
        let store =
            SqliteStore::open(&far.path().join(".ghosthand/store.db"), SqliteOptions::machine())
                .unwrap();
        let all = "tool-kv/".parse().unwrap();
        let page = far.wait(store.kv().keys(&all, PageRequest::first(1_000))).unwrap();
        let names = page.items.iter().map(|key| key.as_str().to_owned());
        names.filter(|key| key.contains(id)).collect()
    };
    let (before, others) = (keys(&gone), keys(&stays));
    assert!(before.len() > KEEPERS.len(), "{before:?}");
    served.send("DELETE", &format!("/api/conversations/{gone}"), &json!({}));
    assert_eq!(keys(&gone), Vec::<String>::new());
    assert_eq!(keys(&stays), others);
    assert_eq!(keys("user_name").len(), 1);
}

const COUNT: &str = r#"
from utils.tool_utils import assistant_chunk


async def count(wait: bool = False):
    """Count aloud."""
    yield assistant_chunk("Starting... ")
    yield assistant_chunk("go!")
    if wait:
        import asyncio
        await asyncio.sleep(100)


TOOLS = [{"function": count, "version": "1.0.0", "schema": {
    "name": "count", "description": "Count aloud.",
    "parameters": {"type": "object", "properties": {"wait": {"type": "boolean"}}, "required": []}}}]
"#;

/// Runs a chat in a real terminal; everything that was written to it.
#[track_caller]
fn terminal(far: &FarSide, args: &[&str], steps: &[(&str, &str)]) -> String {
    let program = [&[env!("CARGO_BIN_EXE_ghosthand"), "chat"], args].concat();
    at_terminal(far.path(), &program, &steps, None)
}

/// A person who looks and leaves has not begun a conversation.
#[test]
fn a_chat_without_a_message_leaves_no_conversation() {
    let far = FarSide::new();
    let steps = [("/help lists", "/cost"), ("0 tokens in", "/why kb_search"), ("ledger", "\u{4}")];
    terminal(&far, &[], &steps);
    let left = far.run(&["replay"]);
    assert!(left.err.contains("no conversations yet"), "{left:?}");
}

/// What is on the screen in the end, line by line.
fn screen(written: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in written.split('\n') {
        let mut shown = String::new();
        for part in line.split('\r') {
            match part.strip_prefix("\u{1b}[2K") {
                Some(fresh) => fresh.clone_into(&mut shown),
                None if part.is_empty() => {}
                None => part.clone_into(&mut shown),
            }
        }
        lines.push(anstream::adapter::strip_str(&shown).to_string());
    }
    lines
}

#[test]
fn a_terminal_keeps_the_last_line_of_a_tool_and_of_the_model() {
    let far = FarSide::new();
    fs::write(far.path().join("tools/counter.py"), COUNT).unwrap();
    far.fake.then(Turn::calls("counter_count", json!({}))).then(Turn::says("Done."));
    let written = terminal(&far, &["Count"], &[]);
    let shown = screen(&written);
    assert!(shown.iter().any(|line| line == "Starting... go!"), "{shown:#?}\n{written:?}");
    assert!(shown.iter().any(|line| line == "Done."), "{shown:#?}");
    // Stopped in the middle of a line.
    far.fake.then(Turn::calls("counter_count", json!({ "wait": true })));
    let steps = [("Starting... go!", "\u{3}")];
    let written = terminal(&far, &["--conversation", "c1", "Count"], &steps);
    let shown = screen(&written);
    assert!(
        shown.iter().any(|line| line.starts_with("Starting... go!")),
        "{shown:#?}\n{written:?}"
    );
    assert!(shown.iter().any(|line| line.contains("(stopped)")), "{shown:#?}");
    runs_again(&far, "c1");
    let gate = Gate::new();
    far.fake.then(Turn::says("One two three four.").gate_at(4, &gate));
    let written = terminal(&far, &["--conversation", "c2", "Count"], &[("One two", "\u{3}")]);
    let shown = screen(&written);
    assert!(shown.iter().any(|line| line.starts_with("One two")), "{shown:#?}\n{written:?}");
    runs_again(&far, "c2");
}
