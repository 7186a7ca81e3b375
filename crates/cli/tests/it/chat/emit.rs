//! `ghosthand emit` with a model at the far side.

use contract::Wire;
use fake_providers::{Fault, Turn};
use serde_json::{Value, json};

use crate::support::model_project::FarSide;
use crate::support::program::Run;

/// A project with the schema of flash cards and a text to make them of.
fn project(far: &FarSide) {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["cards"],
        "properties": { "cards": { "type": "array", "items": {
            "type": "object", "additionalProperties": false, "required": ["front", "back"],
            "properties": {
                "front": { "type": "string" }, "back": { "type": "string", "minLength": 1 } } } } },
    });
    std::fs::write(far.path().join("schema.json"), schema.to_string()).unwrap();
    std::fs::write(far.path().join("words.txt"), "der Hund, die Katze").unwrap();
}

fn emit(far: &FarSide, more: &[&str]) -> Run {
    project(far);
    far.run(&[&["emit", "--schema", "schema.json", "words.txt"], more].concat())
}

fn cards() -> Value {
    json!({ "cards": [
        { "front": "der Hund", "back": "the dog" }, { "front": "die Katze", "back": "the cat" } ] })
}

/// Says how answers are shaped at this server.
fn set_rungs(far: &FarSide, rungs: &str) {
    let file = far.path().join("ghosthand.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{settings}rungs = \"{rungs}\"\n")).unwrap();
}

fn lines(run: &Run) -> Vec<Value> {
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_whole_answer_is_one_line() {
    for wire in Wire::ALL {
        let far = FarSide::speaking(*wire);
        far.fake.then(Turn::calls("answer", cards()));
        let run = emit(&far, &["--instructions", "Make flash cards."]);
        assert_eq!((run.code, lines(&run)), (0, vec![cards()]), "{wire}: {run:?}");
        assert!(run.err.contains("1 request: 12 tokens in"), "{wire}: {run:?}");
        let sent = far.fake.requests()[0].body.to_string();
        assert!(sent.contains("Make flash cards.") && sent.contains("die Katze"), "{wire}");
        far.fake.assert_used_up();
    }
}

/// Without a model the answer is made up, which must not look like a model's.
#[test]
fn the_stand_in_names_itself() {
    let far = FarSide::new();
    let run = emit(&far, &["--model", "rehearsal"]);
    assert!(run.err.contains("rehearsal, the stand-in, made this answer"), "{run:?}");
    assert!(far.fake.requests().is_empty());
}

#[test]
fn each_record_is_a_line() {
    let far = FarSide::new();
    far.fake.then(Turn::calls("answer", cards()));
    let run = emit(&far, &["--each", "/cards"]);
    let records = cards()["cards"].as_array().unwrap().clone();
    assert_eq!((run.code, lines(&run)), (0, records), "{run:?}");
}

#[test]
fn what_does_not_fit_is_repaired_once() {
    let far = FarSide::new();
    let bad = json!({ "cards": [{ "front": "der Hund", "back": "" }] });
    far.fake.then(Turn::calls("answer", bad)).then(Turn::calls("answer", cards()));
    let run = emit(&far, &[]);
    assert_eq!((run.code, lines(&run)), (0, vec![cards()]), "{run:?}");
    assert!(far.fake.requests()[1].body.to_string().contains("/cards/0/back"));
    far.fake.assert_used_up();
}

#[test]
fn an_answer_that_is_cut_off_gives_its_whole_records_and_fails() {
    let torn = r#"{"cards":[{"front":"der Hund","back":"the dog"},{"front":"die Ka"#;
    let far = FarSide::new();
    set_rungs(&far, "automatic");
    far.fake.otherwise(Turn::new().torn_call("answer", torn));
    let run = emit(&far, &["--each", "/cards"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(lines(&run)[0], json!({ "front": "der Hund", "back": "the dog" }), "{run:?}");
    assert!(!run.out.contains("die Ka") && run.err.contains("fix: "), "{run:?}");
    let whole = emit(&far, &[]);
    assert_eq!((whole.code, whole.out.as_str()), (1, ""), "{whole:?}");
}

#[test]
fn a_refusal_is_told() {
    let far = FarSide::new();
    far.fake.otherwise(Turn::refuses("I would rather not."));
    let run = emit(&far, &[]);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("I would rather not."), "{run:?}");
}

/// A compatible server is asked in the best way first; what it refuses or ignores is left.
#[test]
fn a_server_is_asked_from_the_best_way_down() {
    let far = FarSide::new();
    far.fake.then(Turn::says(&cards().to_string()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    assert_eq!(far.fake.requests()[0].body["response_format"]["type"], "json_schema");
    let far = FarSide::new();
    far.fake.then(Fault::bad_request("unknown field `response_format`"));
    far.fake.then(Turn::calls("answer", cards()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    let sent = &far.fake.requests()[1].body;
    assert_eq!(sent["tool_choice"], "required", "there is one tool: {sent}");
    let far = FarSide::new();
    far.fake.then(Turn::says("Here are your cards!")).then(Turn::calls("answer", cards()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    assert_eq!(far.fake.requests()[1].body["messages"].as_array().unwrap().len(), 1);
}

/// What one process found out, the next one knows; what the operator says counts more.
#[test]
fn what_a_server_refused_is_not_asked_for_again_by_another_process() {
    let far = FarSide::new();
    far.fake.then(Fault::bad_request("unknown field `response_format`"));
    far.fake.then(Turn::calls("answer", cards())).then(Turn::calls("answer", cards()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    far.fake.assert_used_up();
    assert_eq!(far.fake.requests()[2].body["tool_choice"], "required");
    set_rungs(&far, "native");
    far.fake.then(Turn::says(&cards().to_string()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    assert_eq!(far.fake.requests()[3].body["response_format"]["type"], "json_schema");
}

#[test]
fn a_lone_call_under_a_made_up_name_is_the_answer() {
    let far = FarSide::new();
    set_rungs(&far, "automatic");
    far.fake.then(Turn::calls("make_flash_cards", cards()));
    assert_eq!(lines(&emit(&far, &[])), [cards()]);
    far.fake.assert_used_up();
    let far = FarSide::new();
    set_rungs(&far, "best");
    let wrong = emit(&far, &[]);
    assert!(wrong.err.contains("rungs"), "{wrong:?}");
}
