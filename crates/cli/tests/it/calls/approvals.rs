//! Questions to a person, what is remembered, and writes in doubt: the program as people use it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use fake_providers::Turn;
use serde_json::{Value, json};
use store::{Expected, Expiry, Json, PageRequest, SqliteOptions, SqliteStore, Store};

use crate::support::model_project::FarSide;
use crate::support::program::{Run, command, run};
use crate::support::terminal;
use crate::support::tool_tree::base;

/// A tool of this id, with fields of its contract changed and this handler.
fn tool(dir: &Path, id: &str, fields: &Value, body: &str) {
    let folder = dir.join("tools").join(id.replace('_', "-"));
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in base(id) {
        fs::write(folder.join(file), text).unwrap();
    }
    let mut schema: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("schema.json")).unwrap()).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        schema[name] = value.clone();
    }
    fs::write(folder.join("schema.json"), schema.to_string()).unwrap();
    let handler = format!("export async function execute({{ args, context }}) {{\n{body}\n}}\n");
    fs::write(folder.join("handler.js"), handler).unwrap();
}

const KEEPS: &str = "const n = (await context.kv.get('kept-n')) ?? 0;
    await context.kv.set('kept-n', n + 1);
    return { ok: true, data: n + 1 };";

fn asking() -> Value {
    json!({ "requiresConfirmation": true, "capabilities": { "kv": ["kept-"] } })
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    dir
}

#[track_caller]
fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

#[track_caller]
fn bad(run: Run) -> Run {
    assert_eq!(run.code, 1, "{run:?}");
    run
}

/// A conversation `c1` whose model wants to keep something and waits.
fn asked() -> FarSide {
    let far = FarSide::new();
    tool(far.path(), "keep", &asking(), KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "x" })));
    let run = bad(far.run(&["chat", "keep x", "--conversation", "c1"]));
    assert!(run.err.contains("can be answered for 5 min"), "{run:?}");
    assert!(run.err.contains("`ghosthand chat yes --conversation c1`"), "{run:?}");
    far
}

#[test]
fn tk_12_a_plain_yes_in_the_same_conversation_answers_the_question() {
    for yes in ["yes", "Так!"] {
        let far = asked();
        far.fake.then(Turn::says("Kept."));
        let run = good(far.run(&["chat", yes, "--conversation", "c1"]));
        assert_eq!(run.out, "Kept.\n", "{run:?}");
        assert!(run.err.contains("yes to `keep`"), "{run:?}");
        assert!(run.err.contains("keep text=\"x\" done"), "{run:?}");
        let told = far.fake.requests().last().unwrap().body.to_string();
        assert!(!told.contains(yes), "an answer is no message: {told}");
        far.fake.assert_used_up();
        good(far.run(&["replay", "c1"]));
    }
}

#[test]
fn tk_12_a_plain_no_declines_and_the_model_reads_so() {
    let far = asked();
    far.fake.then(Turn::says("As you like."));
    let run = good(far.run(&["chat", "ні", "--conversation", "c1"]));
    assert!(run.err.contains("keep text=\"x\" declined"), "{run:?}");
    let told = far.fake.requests().last().unwrap().body.to_string();
    assert!(told.contains("The user declined"), "{told}");
    let ledger = good(far.run(&["ledger", "list"]));
    assert!(!ledger.out.contains("keep"), "{ledger:?}");
}

#[test]
fn tk_12_another_message_withdraws_the_question_and_that_is_said() {
    let far = asked();
    far.fake.then(Turn::says("Hello."));
    let run = good(far.run(&["chat", "yes please, and also tea", "--conversation", "c1"]));
    assert!(run.err.contains("the request for `keep` is withdrawn; it did not run"), "{run:?}");
    assert!(!run.err.contains("done"), "{run:?}");
}

/// A voice has read-back and a list of its own; what is typed in its place answers nothing.
#[test]
fn tk_12_a_yes_in_voice_mode_is_no_approval() {
    let far = FarSide::new();
    let mut fields = asking();
    fields["allowedModes"] = json!(["text", "voice"]);
    tool(far.path(), "keep", &fields, KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "x" }))).then(Turn::says("Hm."));
    bad(far.run(&["chat", "keep x", "--mode", "voice", "--conversation", "v1"]));
    let run = good(far.run(&["chat", "yes", "--mode", "voice", "--conversation", "v1"]));
    assert!(run.err.contains("withdrawn") && !run.err.contains("done"), "{run:?}");
}

#[test]
fn tk_12_of_several_questions_a_yes_answers_none() {
    let far = FarSide::new();
    tool(far.path(), "keep", &asking(), KEEPS);
    let both = Turn::calls("keep", json!({ "text": "x" })).call("keep", json!({ "text": "y" }));
    far.fake.then(both);
    bad(far.run(&["chat", "keep both", "--conversation", "c1"]));
    let run = bad(far.run(&["chat", "yes", "--conversation", "c1"]));
    assert!(run.err.contains("2 questions are open; which one do you mean?"), "{run:?}");
    let list = good(far.run(&["approvals", "list"]));
    assert_eq!(list.out.matches("can be answered for").count(), 2, "{list:?}");
    let id = list.out.lines().next().unwrap();
    assert!(run.err.contains(&format!("`ghosthand approvals approve {id}`")), "{run:?}");
}

/// Five minutes are over, and nobody waits for them here.
fn expire(dir: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let file = dir.join(".ghosthand/store.db");
        let store = SqliteStore::open(&file, SqliteOptions::machine()).unwrap();
        let all = "approval/".parse().unwrap();
        for entry in store.kv().list(&all, PageRequest::first(10)).await.unwrap().items {
            let mut asked: Value = entry.value.to().unwrap();
            let at = asked["request"]["expires_at"].as_u64().unwrap();
            asked["request"]["expires_at"] = json!(at - 300_000 - 125_000);
            let asked = Json::of(&asked).unwrap();
            store.kv().set(&entry.key, asked, Expected::Any, Expiry::Never).await.unwrap();
        }
    });
}

#[test]
fn an_expired_request_is_named_as_expired_and_says_how_to_ask_again() {
    let dir = project();
    tool(dir.path(), "keep", &asking(), KEEPS);
    let asked = bad(run(dir.path(), &["call", "keep", r#"{"text": "it's"}"#]));
    assert!(asked.err.contains("can be answered for"), "{asked:?}");
    let list = good(run(dir.path(), &["approvals", "list"]));
    let id = list.out.lines().next().unwrap();
    expire(dir.path());
    let late = bad(run(dir.path(), &["approvals", "approve", id]));
    assert!(late.err.contains("the request about `keep` expired 2 min ago"), "{late:?}");
    let again = r#"request it again with `ghosthand call keep '{"text":"it'\''s"}'`"#;
    assert!(late.err.contains(again), "{late:?}");
    assert_eq!(good(run(dir.path(), &["approvals", "list"])).out, "");
    let none = bad(run(dir.path(), &["approvals", "approve", "ffff"]));
    assert!(none.err.contains("there is no request `ffff`"), "{none:?}");
}

#[test]
fn an_answered_request_is_named_as_answered() {
    let dir = project();
    tool(dir.path(), "keep", &asking(), KEEPS);
    bad(run(dir.path(), &["call", "keep", r#"{"text": "x"}"#]));
    let list = good(run(dir.path(), &["approvals", "list"]));
    let id = list.out.lines().next().unwrap();
    good(run(dir.path(), &["approvals", "approve", id]));
    let again = bad(run(dir.path(), &["approvals", "approve", id]));
    assert!(again.err.contains("the request was answered before"), "{again:?}");
}

/// The id of the newest question.
fn newest(dir: &Path) -> String {
    let list = good(run(dir, &["approvals", "list"])).out;
    list.lines().rfind(|line| !line.starts_with(' ')).unwrap_or_default().to_owned()
}

#[test]
fn a_no_is_no_failure_and_a_yes_to_something_new_says_what_is_new() {
    let dir = project();
    let body = "return { ok: true, data: args.text };";
    tool(dir.path(), "send", &json!({ "requiresConfirmation": true }), body);
    let ask = || {
        bad(run(dir.path(), &["call", "send", r#"{"text":"hi"}"#]));
        newest(dir.path())
    };
    let id = ask();
    let declined = good(run(dir.path(), &["approvals", "decline", &id]));
    assert_eq!(declined.out, "");
    assert!(declined.err.contains("declined; `send` did not run"), "{declined:?}");
    // Both were asked before either ran, so the second has something to add.
    let (first, second) = (ask(), ask());
    good(run(dir.path(), &["approvals", "approve", &first]));
    let again = bad(run(dir.path(), &["approvals", "approve", &second]));
    assert_eq!(again.out, "", "these words are for people");
    assert!(again.err.contains("did not run: it needs another approval"), "{again:?}");
    let third = newest(dir.path());
    assert!(again.err.contains(&format!("`ghosthand approvals approve {third}`")), "{again:?}");
    good(run(dir.path(), &["approvals", "approve", &third]));
}

#[test]
fn a_call_that_failed_is_not_called_run_and_a_plain_answer_is_explained() {
    let dir = project();
    tool(dir.path(), "plain", &json!({}), "return { text: args.text };");
    let failed = bad(run(dir.path(), &["call", "plain", r#"{"text":"hi"}"#]));
    assert!(failed.err.contains("plain failed (default.run)"), "{failed:?}");
    assert!(failed.err.contains("returns `{ ok: true, data: … }`"), "{failed:?}");
    let typed = run(dir.path(), &["call", "plain", "{text: hi}"]);
    assert_eq!(typed.code, 2, "{typed:?}");
    assert!(typed.err.contains("error: the arguments are not valid JSON"), "{typed:?}");
    assert!(typed.err.contains("single quotes"), "{typed:?}");
}

/// What was shown at a terminal where these lines are typed, each after its text has come.
fn at_terminal(far: &FarSide, args: &[&str], steps: &[(&str, &str)]) -> String {
    let program = [&[env!("CARGO_BIN_EXE_ghosthand")], args].concat();
    terminal::at_terminal(far.path(), &program, &steps, None)
}

#[test]
fn always_is_offered_only_where_it_holds_and_there_it_holds_in_the_next_process() {
    let far = FarSide::new();
    tool(far.path(), "keep", &asking(), KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "x" }))).then(Turn::says("Kept."));
    let shown = at_terminal(&far, &["chat", "keep x"], &[("[e] edit", "y")]);
    assert!(!shown.contains("always"), "{shown}");

    let rules = "[[rule]]\nid = \"note\"\neffect = \"ask\"\nbecause = \"notes stay\"\n\
                 may_be_remembered = true\ntools = \"note\"\n";
    fs::write(far.path().join("rules.toml"), rules).unwrap();
    tool(far.path(), "note", &json!({ "capabilities": { "kv": ["kept-"] } }), KEEPS);
    let note = |text: &str| Turn::calls("note", json!({ "text": text }));
    far.fake.then(note("one")).then(Turn::says("Noted."));
    let args = ["chat", "note one", "--conversation", "c1", "--rules", "rules.toml"];
    let shown = at_terminal(&far, &args, &[("[a] always in this conversation", "a")]);
    assert!(shown.contains("Noted."), "{shown}");
    far.fake.then(note("two")).then(Turn::says("Noted too."));
    let args = ["chat", "note two", "--conversation", "c1", "--rules", "rules.toml"];
    let run = good(far.run(&args));
    assert!(run.err.contains("note text=\"two\" done"), "{run:?}");
}

/// A conversation `c1` at a terminal in which `keep` waits for a person.
fn waits_at_terminal(far: &FarSide, steps: &[(&str, &str)]) -> String {
    tool(far.path(), "keep", &asking(), KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "hello" })));
    let mut all = vec![(READY, "keep hello")];
    all.extend(steps);
    at_terminal(far, &["chat", "--conversation", "c1"], &all)
}

fn waiting(far: &FarSide) -> usize {
    let list = good(far.run(&["approvals", "list", "--json"]));
    serde_json::from_str::<Value>(&list.out).unwrap().as_array().unwrap().len()
}

/// What a chat says before its first prompt.
const READY: &str = "/help lists";
/// Nothing is typed.
const LOOK: &str = "\0";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

#[test]
fn ctrl_c_at_a_question_stops_the_turn_and_the_chat_goes_on() {
    let far = FarSide::new();
    let steps = [("[e] edit", CTRL_C), ("did not run)", "/quit")];
    let shown = waits_at_terminal(&far, &steps);
    assert!(shown.contains("(stopped; `keep` did not run)"), "{shown}");
    assert_eq!(waiting(&far), 0, "the question is withdrawn");
    let run = good(far.run(&["replay", "c1"]));
    assert!(run.err.contains("byte for byte the same"), "{run:?}");
}

#[test]
fn ctrl_d_at_a_question_ends_the_chat_and_leaves_it_open() {
    for leave in [CTRL_D, "/quit"] {
        let far = FarSide::new();
        let shown = waits_at_terminal(&far, &[("[e] edit", leave)]);
        assert!(shown.contains("waiting: `ghosthand chat yes --conversation c1`"), "{shown}");
        assert_eq!(waiting(&far), 1);
        far.fake.then(Turn::says("Kept."));
        let run = good(far.run(&["chat", "yes", "--conversation", "c1"]));
        assert!(run.out.contains("Kept."), "{run:?}");
    }
}

#[test]
fn what_is_no_answer_is_not_taken_for_one_and_changed_arguments_begin_with_the_old() {
    let far = FarSide::new();
    tool(far.path(), "keep", &asking(), KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "hello" }))).then(Turn::says("Kept."));
    // Enter alone; something else; then the old text: a letter less is no JSON, a name more does
    // not fit, and another text does. Each try begins with the one before.
    let old = "arguments (Ctrl-C goes back): {\"text\":\"hello\"}";
    let steps = [
        (READY, "keep hello"),
        ("[e] edit", ""),
        ("answer y, n, e", "what?"),
        ("answer y, n, e", "e"),
        (old, "\u{7f}"),
        ("not valid JSON", ",\"x\":1}"),
        ("the changed arguments do not fit", LOOK),
        ("arguments (Ctrl-C goes back): ", CTRL_C),
        ("[e] edit", "e"),
        (old, "\u{7f}\u{7f} there\"}"),
        ("Kept.", "/quit"),
    ];
    let shown = at_terminal(&far, &["chat", "--conversation", "c1"], &steps);
    assert!(shown.contains("arguments changed"), "{shown}");
    let (before, _) = shown.split_once("Approve this call?").unwrap();
    assert!(before.rfind("\r\u{1b}[2K") > before.rfind("running"), "{before}");
    let events = good(far.run(&["replay", "c1", "--events"]));
    assert!(events.out.contains("\"edited\":{\"text\":\"hello there\"}"), "{events:?}");
    let audit = good(far.run(&["audit"]));
    assert!(audit.out.contains("\"args\":{\"text\":\"string(11)\"},\"edited\":true"), "{audit:?}");
}

#[test]
fn d23_a_result_that_says_it_failed_looks_failed_and_is_not_remembered() {
    let far = FarSide::new();
    let body = "const n = (await context.kv.get('kept-n')) ?? 0;
        return { ok: true, data: { success: false, message: 'the shelf is locked', tries: 3 } };";
    let fields = json!({ "category": "retrieval", "sideEffects": "read_only", "idempotent": true,
        "capabilities": { "kv": ["kept-"] } });
    tool(far.path(), "shelf", &fields, body);
    for _ in 0..2 {
        let args = ["call", "shelf", r#"{"text": "a"}"#, "--conversation", "c1"];
        let run = bad(far.run(&args));
        assert!(run.err.contains("shelf failed (default.run)"), "{run:?}");
        let shown: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(shown["type"], "PERMANENT");
        assert_eq!(shown["message"], "the shelf is locked {\"tries\":3}");
    }
    far.fake.then(Turn::calls("shelf", json!({ "text": "a" }))).then(Turn::says("Locked."));
    let run = good(far.run(&["chat", "look", "--conversation", "c1"]));
    assert!(run.err.contains("shelf text=\"a\" failed"), "{run:?}");
}

/// A tool that says what is in a file.
fn reader(dir: &Path) {
    let fields = json!({ "category": "retrieval", "sideEffects": "read_only", "idempotent": true,
        "capabilities": { "files": ["data"] } });
    let body = "return { ok: true, data: await context.files.read('data/a.txt') };";
    tool(dir, "reader", &fields, body);
    fs::create_dir_all(dir.join("data")).unwrap();
}

#[test]
fn a_call_that_names_no_conversation_runs_each_time() {
    let dir = project();
    reader(dir.path());
    let write = |text: &str| fs::write(dir.path().join("data/a.txt"), text).unwrap();
    let call = |more: &[&str]| {
        let mut args = vec!["call", "reader", r#"{"text": "a"}"#];
        args.extend(more);
        good(run(dir.path(), &args))
    };
    write("old");
    assert_eq!(call(&[]).out, "\"old\"\n");
    assert_eq!(call(&["--conversation", "c1"]).out, "\"old\"\n");
    write("new");
    assert_eq!(call(&[]).out, "\"new\"\n");
    let known = call(&["--conversation", "c1"]);
    assert_eq!(known.out, "\"old\"\n", "{known:?}");
    assert!(known.err.contains("reader reuse (duplicate.retrieval)"), "{known:?}");
    assert_eq!(call(&["--conversation", "c1", "--fresh"]).out, "\"new\"\n");
    // What was asked for afresh is what the conversation knows from now on.
    assert_eq!(call(&["--conversation", "c1"]).out, "\"new\"\n");
    let why = good(run(dir.path(), &["why", "reader", r#"{"text": "a"}"#]));
    assert!(why.out.starts_with("reader: it runs"), "{why:?}");
}

/// Starts a call whose handler never ends, and kills the program with it.
fn killed_while_it_wrote(dir: &Path, tool: &str) {
    let mut child = command(dir)
        .args(["call", tool, r#"{"text": "K1"}"#])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("begun")), "the handler has begun");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_write_in_doubt_is_asked_about_even_if_it_writes_its_own_keys_alone() {
    let dir = project();
    let fields = json!({ "capabilities": { "kv": ["kept-"] }, "timeoutMs": 60_000 });
    let body = "if ((await context.kv.get('kept-on')) !== null)
          return { ok: true, data: 'booked' };
        await context.kv.set('kept-on', 1);
        console.log('begun');
        await new Promise(() => {});";
    tool(dir.path(), "book", &fields, body);
    killed_while_it_wrote(dir.path(), "book");
    let why = good(run(dir.path(), &["why", "book", r#"{"text": "K1"}"#]));
    assert!(why.out.starts_with("book: a person is asked first"), "{why:?}");
    assert!(why.out.contains("and its outcome is unknown"), "{why:?}");
    assert!(!why.out.contains("new to the ledger"), "{why:?}");
    let asked = bad(run(dir.path(), &["call", "book", r#"{"text": "K1"}"#]));
    assert!(asked.err.contains("book ask (ledger.repeated-write)"), "{asked:?}");
    let other = good(run(dir.path(), &["call", "book", r#"{"text": "K2"}"#]));
    assert_eq!(other.out, "\"booked\"\n", "{other:?}");
    let again = good(run(dir.path(), &["why", "book", r#"{"text": "K2"}"#]));
    assert!(again.out.contains("it writes nothing but its own keys"), "{again:?}");
}

/// A tool that returns its arguments.
fn echo(dir: &Path) {
    let pure = json!({ "sideEffects": "none", "category": "utility" });
    tool(dir, "echo", &pure, "return { ok: true, data: args };");
}

#[test]
fn tk_07_unknown_arguments_are_refused_or_left_out_as_the_settings_say() {
    let far = FarSide::new();
    echo(far.path());
    let args = r#"{"text": "a", "colour": "red"}"#;
    let refused = bad(far.run(&["call", "echo", args]));
    assert!(refused.out.contains("VALIDATION"), "{refused:?}");
    let mut settings = fs::read_to_string(far.path().join("ghosthand.toml")).unwrap();
    settings.push_str("\n[tools]\nunknown_arguments = \"strip\"\n");
    fs::write(far.path().join("ghosthand.toml"), settings).unwrap();
    let run = good(far.run(&["call", "echo", args]));
    assert_eq!(run.out, "{\"text\":\"a\"}\n");
    assert!(
        run.err.contains("note: removed, because the contract does not have it: /colour"),
        "{run:?}"
    );
    let call = Turn::calls("echo", json!({ "text": "a", "colour": "red" }));
    far.fake.then(call).then(Turn::says("Done."));
    let run = good(far.run(&["chat", "echo a"]));
    assert!(run.err.contains("echo") && run.err.contains("done"), "{run:?}");
    let wrong = bad(far.run(&["call", "echo", r#"{"colour": "red"}"#]));
    assert!(wrong.out.contains("text") && wrong.out.contains("VALIDATION"), "{wrong:?}");
}

#[test]
fn a_tool_can_be_called_by_its_name_without_asking_the_model() {
    let far = FarSide::new();
    echo(far.path());
    far.fake.then(Turn::says("I see."));
    let typed = "/echo text=one\n/echo {\"text\": \"two\"}\n/why echo {\"text\": 5}\n/why echo\n\
                 what did it say?\n";
    let run = good(far.pipe(typed, &["chat"]));
    assert!(run.err.contains(r#"echo text="one" done"#), "{run:?}");
    assert!(run.err.contains(r#"echo text="two" done"#), "{run:?}");
    assert!(run.err.contains("echo: it is refused"), "{run:?}");
    assert!(run.err.contains("echo: it may be called"), "{run:?}");
    assert!(!run.out.contains("rehearsal"), "{run:?}");
    let requests = far.fake.requests();
    assert_eq!(requests.len(), 1, "only the last line is for the model");
    assert!(requests[0].body.to_string().contains("two"), "it knows what was called");
    let once = good(far.run(&["chat", "/echo text=three"]));
    assert!(once.err.contains(r#"echo text="three" done"#), "{once:?}");
    assert_eq!(far.fake.requests().len(), 1);
}

#[test]
fn the_stand_in_is_named_as_the_banner_prints_it() {
    let dir = project();
    tool(
        dir.path(),
        "echo",
        &json!({ "sideEffects": "none", "category": "utility" }),
        "return { ok: true, data: args };",
    );
    for name in ["rehearsal", "rehearsal:rehearsal"] {
        let run = good(run(dir.path(), &["chat", "--model", name]));
        assert!(run.err.contains("ghosthand chat  rehearsal, 1 tool, conversation"), "{run:?}");
    }
}

#[test]
fn a_fork_at_an_event_that_is_not_there_is_refused() {
    let dir = project();
    good(run(dir.path(), &["chat", "hello", "--conversation", "c1"]));
    let events = good(run(dir.path(), &["replay", "c1", "--events"])).out.lines().count();
    for number in ["0", "999"] {
        let fork = bad(run(dir.path(), &["replay", "c1", "--fork", number]));
        assert!(fork.err.contains(&format!("`c1` has no event {number}")), "{fork:?}");
        assert!(fork.err.contains(&format!("from 1 to {events}")), "{fork:?}");
    }
}

#[test]
fn more_than_may_be_read_is_named_with_the_limit() {
    let far = FarSide::new();
    let large = format!("\"{}\"", "x".repeat(33 << 20));
    let check = |args: &[&str], limit: &str| {
        let run = far.pipe(&large, args);
        assert_eq!(run.code, 1, "{}", run.err);
        let told = format!("`standard input` is larger than {limit}");
        assert!(run.err.contains(&told), "{}", run.err);
    };
    check(&["call", "validate_email", "-"], "32 MB");
    check(&["decode", "--for", "anthropic", "--schema", "tools/kb-search/schema.json"], "32 MB");
    check(&["chat", "-"], "512 kB");
}

#[test]
fn the_faults_of_rules_are_explained_like_all_others() {
    let dir = project();
    let rules = "[[rule]]\nid = \"r\"\neffect = \"deny\"\nbecause = \"no\"\ntool = \"x\"\n";
    fs::write(dir.path().join("rules.toml"), rules).unwrap();
    let refused = bad(run(dir.path(), &["call", "x", "--rules", "rules.toml"]));
    let codes: Vec<&str> =
        refused.err.split_whitespace().filter(|word| word.starts_with("P0")).collect();
    assert!(!codes.is_empty(), "{refused:?}");
    let list = good(run(dir.path(), &["faults"])).out;
    for code in codes {
        let page = good(run(dir.path(), &["faults", code]));
        assert!(page.out.starts_with(code), "{page:?}");
        assert!(list.contains(&format!("{code}  error")), "{list}");
    }
    let all = good(run(dir.path(), &["faults", "--json"])).out;
    let all: Value = serde_json::from_str(&all).unwrap();
    assert!(all.as_array().unwrap().iter().any(|page| page["code"] == "P015"));
}
