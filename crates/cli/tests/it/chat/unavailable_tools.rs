//! What a model cannot have, or does not say: the conversation goes on, and the person knows.

use std::fs;

use contract::Wire;
use fake_providers::{Fault, Step, Turn};
use serde_json::{Value, json};

use crate::support::model_project::FarSide;
use crate::support::program::{Run, copy_tree, repository};

/// The names of the tools in a request, whatever its wire.
fn offered(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let inner = |tool: &Value| match tool["functionDeclarations"].as_array() {
        Some(declared) => declared.clone(),
        None => vec![tool.clone()],
    };
    let name = |tool: &Value| {
        let name = tool["name"].as_str().or_else(|| tool["function"]["name"].as_str());
        name.unwrap_or_default().to_owned()
    };
    tools.iter().flat_map(inner).map(|tool| name(&tool)).collect()
}

#[track_caller]
fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// As llama.cpp does it: the complaint names no tool.
const NAMELESS: &str = "Pattern must start with '^' and end with '$'";

fn refuses(far: &FarSide, tool: &'static str) {
    far.fake.answering(move |body| match offered(body).iter().any(|name| name == tool) {
        true => Step::from(Fault::bad_request(NAMELESS)),
        false => Step::from(Turn::says("Fine.")),
    });
}

#[test]
fn a_tool_that_a_complaint_does_not_name_is_found_left_out_and_remembered() {
    let far = FarSide::new();
    refuses(&far, "kb_search");
    let first = good(far.run(&["chat", "--conversation", "c1", "Hello"]));
    assert_eq!(first.out, "Fine.\n");
    let said = "`kb_search` is left out of this conversation: fake does not accept it (400: ";
    assert!(first.err.contains(said) && first.err.contains(NAMELESS), "{}", first.err);
    let asked = far.fake.requests().len();
    assert!(asked <= 16, "{asked} requests");
    good(far.run(&["chat", "--conversation", "c1", "And now?"]));
    let other = good(far.run(&["chat", "--conversation", "c2", "Hello"]));
    assert!(other.err.contains(said), "{}", other.err);
    assert_eq!(far.fake.requests().len(), asked + 2, "nobody pays twice");
    for conversation in ["c1", "c2"] {
        good(far.run(&["replay", conversation]));
    }
    let why = good(far.run(&["why", "kb_search", r#"{"query": "x"}"#]));
    assert!(why.out.contains("not offered to `fake:any-model`: fake does not"), "{}", why.out);
}

#[test]
fn a_complaint_that_is_not_about_tools_blames_none() {
    let far = FarSide::new();
    far.fake.otherwise(Fault::bad_request("`messages` must not be empty"));
    let run = far.run(&["chat", "Hello"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!run.err.contains("left out"), "{}", run.err);
    assert!(far.fake.requests().len() <= 2, "asked without tools once, and then no more");
}

#[test]
fn a_named_tool_is_left_out_on_every_wire() {
    for wire in Wire::ALL {
        let far = FarSide::speaking(*wire);
        let complaint = match wire {
            Wire::Anthropic => "tools.1.custom.input_schema.properties.x: is invalid",
            Wire::Chat | Wire::Responses => {
                "Invalid schema for function 'kb_get': In context=('properties', 'id')"
            }
            Wire::Gemini => {
                "* GenerateContentRequest.tools[0].function_declarations[1].parameters: wrong"
            }
        };
        far.fake.then(Fault::bad_request(complaint)).then(Turn::says("Fine."));
        let run = good(far.run(&["chat", "--conversation", "c1", "Hello"]));
        let requests = far.fake.requests();
        let (before, after) = (offered(&requests[0].body), offered(&requests[1].body));
        let gone: Vec<_> = before.iter().filter(|name| !after.contains(name)).collect();
        let expected = match wire {
            Wire::Chat | Wire::Responses => "kb_get",
            Wire::Anthropic | Wire::Gemini => before[1].as_str(),
        };
        assert_eq!(gone, [expected], "{wire}");
        assert!(run.err.contains(&format!("`{expected}` is left out")), "{wire}: {}", run.err);
        assert_eq!(requests.len(), 2, "{wire}");
        good(far.run(&["replay", "c1"]));
    }
}

#[test]
fn more_tools_than_a_provider_takes_are_never_sent() {
    let far = FarSide::speaking(Wire::Gemini);
    for number in 0..520 {
        let folder = far.path().join(format!("tools/more-{number}"));
        copy_tree(&repository().join("tools/validate-email"), &folder);
        let file = folder.join("schema.json");
        let schema = fs::read_to_string(&file).unwrap();
        fs::write(file, schema.replace("validate_email", &format!("more_{number}"))).unwrap();
    }
    far.fake.then(Turn::says("Fine.")).then(Turn::says("Fine."));
    let run = good(far.run(&["chat", "--conversation", "c1", "Hello"]));
    assert!(run.err.contains("takes at most 512 tools"), "{}", run.err);
    let again = good(far.run(&["chat", "--conversation", "c1", "Hello"]));
    assert!(!again.err.contains("takes at most"), "said once: {}", again.err);
    let requests = far.fake.requests();
    let first = offered(&requests[0].body);
    assert_eq!(first.len(), 512);
    assert_eq!(offered(&requests[1].body), first);
    good(far.run(&["replay", "c1"]));
}

#[test]
fn a_model_without_a_word_is_asked_once_more_and_then_that_is_said() {
    let call = || Turn::calls("validate_email", json!({ "email": "ana@example.org" }));
    let far = FarSide::new();
    far.fake.then(call()).then(Turn::says("")).then(Turn::says("It is."));
    let run = good(far.run(&["chat", "--conversation", "c1", "Is ana@example.org right?"]));
    assert_eq!(run.out, "It is.\n");
    far.fake.then(call()).then(Turn::says("")).then(Turn::says(""));
    let run = far.run(&["chat", "--conversation", "c2", "Is ana@example.org right?"]);
    assert_eq!((run.code, run.out.trim()), (1, ""), "{run:?}");
    assert!(run.err.contains("The model gave no answer."), "{}", run.err);
    far.fake.assert_used_up();
    for conversation in ["c1", "c2"] {
        good(far.run(&["replay", conversation]));
    }
}

#[test]
fn errors_name_a_tool_as_the_model_knows_it() {
    let far = FarSide::new();
    let server = repository().join("crates/cli/tests/it/mcp/scripts/remote_server.py");
    let file = far.path().join("ghosthand.toml");
    let settings = fs::read_to_string(&file).unwrap();
    let more = format!("[mcp.dn]\ncommand = 'python3'\nargs = [{server:?}, 'good']\n");
    fs::write(file, format!("{settings}\n{more}")).unwrap();
    good(far.run(&["mcp", "import", "dn", "--yes"]));
    far.fake.then(Turn::calls("dn_echo", json!({ "text": 7 })));
    far.fake.then(Turn::calls("dn_ecko", json!({}))).then(Turn::says("Well."));
    good(far.run(&["chat", "--conversation", "c1", "Say it."]));
    let requests = far.fake.requests();
    let last = &requests.last().unwrap().body;
    assert!(offered(last).contains(&"dn_echo".to_owned()), "{:?}", offered(last));
    let messages = last["messages"].to_string();
    assert!(!messages.contains("dn.echo"), "{messages}");
}
