//! Models that cannot be asked: a sentence that says what to do, and never a key.

use contract::Wire;
use fake_providers::{Fault, Turn};
use serde_json::json;

use crate::support::model_project::{FarSide, KEY, NOBODY};
use crate::support::program::{Run, run_with};

/// A failure that says what is wrong and what to do.
#[track_caller]
fn told(run: &Run, what: &str, fix: &str) {
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.out, "", "{run:?}");
    let said = run.err.split_once("fix: ");
    assert!(said.is_some_and(|(error, _)| error.contains(what)), "{what}: {run:?}");
    assert!(said.is_some_and(|(_, mend)| mend.contains(fix)), "{fix}: {run:?}");
}

/// The same of a chat and of `emit`.
#[track_caller]
fn both(far: &FarSide, what: &str, fix: &str) {
    told(&far.run(&["chat", "Hello"]), what, fix);
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    std::fs::write(far.path().join("schema.json"), schema.to_string()).unwrap();
    std::fs::write(far.path().join("input.txt"), "Hello").unwrap();
    told(&without_talk(&far.run(&["emit", "--schema", "schema.json", "input.txt"])), what, fix);
}

/// `emit` also says what it took.
fn without_talk(run: &Run) -> Run {
    let from = run.err.find("error").unwrap_or_default();
    Run { code: run.code, out: run.out.clone(), err: run.err[from..].to_owned() }
}

#[test]
fn a_wrong_key() {
    let far = FarSide::new();
    far.fake.key("another").otherwise(Turn::says("Never."));
    both(&far, "fake does not accept the key", "set FAKE_KEY");
    let models = far.run(&["models", "fake"]);
    assert!(models.out.contains("does not accept the key"), "{models:?}");
}

/// A provider that repeats what it was sent does not get it shown.
#[test]
fn a_key_that_comes_back() {
    let far = FarSide::new();
    far.fake.otherwise(Fault::status(401, &format!("Incorrect API key provided: {KEY}")));
    both(&far, "Incorrect API key provided", "set FAKE_KEY");
}

#[test]
fn no_key() {
    let far = FarSide::new();
    let run = run_with(far.command(&["chat", "Hello"]).env_remove("FAKE_KEY"));
    told(&run, "there is no key for fake", "set FAKE_KEY");
    assert!(far.fake.requests().is_empty());
    let left = far.run(&["replay"]);
    assert!(left.err.contains("no conversations yet"), "nothing is left of it: {left:?}");
}

#[test]
fn no_network() {
    let far = FarSide::new();
    far.configure(Wire::Chat, "any-model", NOBODY);
    both(&far, "fake cannot be reached at http://127.0.0.1:", "check the network");
}

#[test]
fn an_unknown_model() {
    let far = FarSide::original("gpt-99");
    both(&far, "fake has no model `gpt-99`", "`ghosthand models` lists");
}

#[test]
fn an_unknown_provider() {
    let far = FarSide::new();
    told(&far.run(&["chat", "--model", "fkae:x", "Hello"]), "no provider `fkae`", "`fake`");
    told(&far.run(&["models", "fkae"]), "no provider `fkae`", "`fake`");
}

#[test]
fn a_web_page_at_the_base_address() {
    for (status, what) in
        [(200, "fake: the server"), (404, "there is no `chat` API at http://127.0.0.1:")]
    {
        let far = FarSide::new();
        far.fake.otherwise(Fault::page(status, "<!doctype html><html>Welcome!</html>"));
        both(&far, what, "base address");
    }
    let far = FarSide::new();
    far.configure(Wire::Chat, "any-model", "no address");
    both(&far, "`no address`", "http://localhost:11434/v1");
}

#[test]
fn a_refused_schema_is_told_by_its_tool() {
    let far = FarSide::new();
    let place = "tools[1].function.parameters: this schema is too strange";
    far.fake.then(Turn::says("Hello.")).then(Fault::bad_request(place));
    assert_eq!(far.run(&["chat", "Hello"]).code, 0);
    let tool = far.fake.requests()[0].body["tools"][1]["function"]["name"].clone();
    let tool = tool.as_str().unwrap();
    far.fake.then(Turn::says("Without it."));
    let run = far.run(&["chat", "Hello"]);
    assert_eq!((run.code, run.out.as_str()), (0, "Without it.\n"), "{run:?}");
    let said = format!("`{tool}` is left out of this conversation: fake does not accept it (400: ");
    assert!(run.err.contains(&said) && run.err.contains(place), "{run:?}");
}

#[test]
fn models_are_listed_with_why_not() {
    let far = FarSide::new();
    let settings = std::fs::read_to_string(far.path().join("ghosthand.toml")).unwrap();
    let away = format!("{settings}\n[providers.away]\nbase_url = \"{NOBODY}\"\n");
    std::fs::write(far.path().join("ghosthand.toml"), away).unwrap();
    let run = far.run(&["models"]);
    assert_eq!(run.code, 0, "{run:?}");
    for line in ["rehearsal  built in", "fake:gpt-5", "anthropic  no key; set ANTHROPIC_API_KEY"] {
        assert!(run.out.contains(line), "{line}: {run:?}");
    }
    let away = run.out.lines().find(|line| line.starts_with("away  ")).unwrap();
    assert!(away.contains("cannot be reached") && away.contains("check the network"), "{away}");
}

#[test]
fn settings_are_shown_with_their_sources_and_without_keys() {
    let far = FarSide::new();
    let hidden = format!("http://ana:{KEY}@127.0.0.1:9/v1?key={KEY}");
    far.configure(Wire::Chat, "any-model", &hidden);
    let run = run_with(far.command(&["config"]).env("GHOSTHAND_CHAT_ROUNDS", "3"));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.out.contains(KEY) && !run.err.contains(KEY), "{run:?}");
    let line = |name: &str| {
        let found = run.out.lines().find(|line| line.starts_with(name));
        found.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("model"), "model fake:any-model ghosthand.toml:1");
    assert_eq!(line("chat.rounds"), "chat.rounds 3 $GHOSTHAND_CHAT_ROUNDS");
    assert_eq!(line("tools.dir"), "tools.dir tools built in");
    assert_eq!(line("providers.fake"), "providers.fake http://127.0.0.1:9/v1 key from FAKE_KEY");
    assert!(line("providers.openai").ends_with("no key: OPENAI_API_KEY is not set"), "{run:?}");
}
