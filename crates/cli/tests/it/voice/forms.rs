//! One form, three ways to fill it in: spoken, typed, and sent as the page sends it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fake_providers::Turn;
use serde_json::{Value, json};
use testkit::tool_folder;

use super::{play, project};
use crate::serve::served_pad::{served, start};
use crate::support::model_project::FarSide;
use crate::support::program::exchange;
use crate::support::terminal::at_terminal;

/// The fields that both tools have: the one asks for them, the other takes them.
fn fields() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["dish", "portions"],
        "properties": {
            "dish": { "type": "string", "title": "What dish", "description": "What dish." },
            "portions": { "type": "integer", "minimum": 1, "maximum": 20,
                "title": "How many portions", "description": "How many portions." },
            "spicy": { "type": "boolean", "title": "Spicy", "description": "Spicy or not." },
            "size": { "type": "string", "enum": ["small", "large"], "title": "Which size",
                "description": "Which size." },
        },
    })
}

/// What comes of it, whoever asks.
fn filled() -> Value {
    json!({ "dish": "borscht", "portions": 4, "spicy": true, "size": "large" })
}

fn write_tools(dir: &Path) {
    let mut form = fields();
    form.as_object_mut().unwrap().remove("additionalProperties");
    let ask = format!(
        "const {{ meal }} = context.answers;\n\
         if (!meal) return context.ask({{ meal: {{ message: 'About the meal.', schema: {form} }} }});\n\
         return {{ ok: true, data: {{ got: meal.content }} }};"
    );
    let none = json!({ "type": "object", "additionalProperties": false, "properties": {} });
    write_tool(&dir.join("tools/cook_asking"), "cook_asking", &none, &ask, json!(["person"]));
    let take = "return { ok: true, data: { got: args } };";
    write_tool(&dir.join("tools/cook"), "cook", &fields(), take, json!([]));
    let folder = dir.join("tools/cook");
    let text = fs::read_to_string(folder.join("schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    schema["ui"] = json!("ui.json");
    fs::write(folder.join("schema.json"), schema.to_string()).unwrap();
    fs::write(folder.join("ui.json"), cook_form().to_string()).unwrap();
}

/// The form of `cook`, which calls it.
fn cook_form() -> Value {
    let params = json!({ "dish": "what", "portions": "many", "size": "large" });
    let submit = json!({ "type": "tool_submit", "target": "cook", "params": params });
    json!({ "id": "cook", "type": "ui_v1", "label": "Cook", "layout": { "type": "modal",
        "title": "A meal", "components": [
            { "id": "what", "type": "text_input", "props": { "label": "What dish" } },
            { "id": "many", "type": "number_input", "props": { "label": "Portions", "max": 20 } },
            { "id": "go", "type": "button", "props": { "label": "Cook" }, "actions": [submit] },
        ] } })
}

fn write_tool(folder: &Path, id: &str, parameters: &Value, body: &str, asks: Value) {
    let mut schema = json!({
        "toolId": id, "version": "1.0.0", "description": "Cooks.", "category": "utility",
        "sideEffects": "none", "idempotent": true, "requiresConfirmation": false,
        "allowedModes": ["voice", "text"], "latencyBudgetMs": 800, "parameters": parameters,
    });
    if asks != json!([]) {
        schema["asks"] = asks;
    }
    let example = if id == "cook" { filled() } else { json!({}) };
    let handler = format!("export async function execute({{ args, context }}) {{\n{body}\n}}\n");
    let (schema, example) = (schema.to_string(), example.to_string());
    tool_folder::write_tool(folder, &schema, "Cooks.", &example).unwrap();
    fs::write(folder.join("handler.js"), handler).unwrap();
}

/// The JSON after these words.
fn json_after(text: &str, words: &str) -> Value {
    let rest = text.split(words).nth(1).unwrap_or_else(|| panic!("no `{words}`:\n{text}"));
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    values.next().unwrap().unwrap()
}

fn spoken(dir: &Path) -> Value {
    let script = "at 0s user says \"cook something\" for 1s\n\
         at 2s provider calls cook_asking {} as c1\n\
         at 10s user says \"borscht\" for 0.6s\n\
         at 20s user says \"four\" for 0.6s\n\
         at 30s user says \"yes\" for 0.6s\n\
         at 40s user says \"large\" for 0.6s\n\
         at 55s user says \"yes\" for 0.6s\n\
         until 60s\n\
         expect form accept\n";
    let mut answers = Vec::new();
    for road in ["cascade", "realtime", "live", "gemini"] {
        let found = play(dir, script, &["--road", road, "--verbose"]);
        assert_eq!(found.code, 0, "{road}: {}\n{}", found.out, found.err);
        let answer = json_after(&found.out, "form accept: ");
        assert!(found.out.contains("c1 settled, Done"), "{road}: {}", found.out);
        let got = json_after(&found.out, "\"got\":");
        assert_eq!(got, answer, "{road}: the handler got what was said");
        answers.push(got);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    answers.remove(0)
}

fn typed(dir: &Path) -> Value {
    let program = [env!("CARGO_BIN_EXE_ghosthand"), "call", "cook_asking", "{}"];
    let steps =
        json!([["dish", "borscht"], ["portions", "4"], ["[y/n]", "yes"], ["Which size", "large"]]);
    let plan = json!({ "program": program, "steps": steps, "columns": 200 });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/terminal.py");
    let mut command = Command::new("python3");
    command.arg(script).current_dir(dir).env("TERM", "xterm");
    command.env("XDG_CONFIG_HOME", dir.join("home"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shown}");
    json_after(&shown, "\"got\":")
}

/// What the form of the page sends.
fn posted(dir: &Path) -> Value {
    let (mut server, address) = start(dir);
    let body = json!({ "args": filled() }).to_string();
    let (status, answer) = exchange(&address, "POST", "/api/tools/cook/run", &body);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(status, 200, "{answer}");
    json_after(&answer, "\"got\":")
}

/// A project whose model calls `cook_asking` and then ends.
fn cooking() -> FarSide {
    let far = FarSide::new();
    write_tools(far.path());
    far.fake.then(Turn::calls("cook_asking", json!({}))).then(Turn::says("It is cooked."));
    far
}

/// What the model was told of its call.
fn told(far: &FarSide) -> Value {
    let body = far.fake.requests().last().unwrap().body.clone();
    let messages = body["messages"].as_array().unwrap().clone();
    let result = messages.into_iter().rev().find(|one| one["role"] == "tool").unwrap();
    serde_json::from_str::<Value>(result["content"].as_str().unwrap()).unwrap()["got"].clone()
}

/// The handler asks in a text conversation of the page, whose form sends this.
fn asked_on_the_page() -> Value {
    let far = cooking();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--no-token"];
    let (mut server, address) = served(&mut far.command(&serve));
    let send = |method: &str, path: &str, body: &Value| {
        let (status, answer) = exchange(&address, method, path, &body.to_string());
        assert!(status < 300, "{method} {path}: {status} {answer}");
        serde_json::from_str::<Value>(&answer).unwrap_or_default()
    };
    let id = send("POST", "/api/conversations", &json!({}))["id"].clone();
    let path = format!("/api/conversations/{}", id.as_str().unwrap());
    send("POST", &format!("{path}/messages"), &json!({ "text": "Cook something" }));
    let questions = format!("{path}/questions");
    let open = loop {
        let open = send("GET", &questions, &json!({}));
        if open != json!([]) {
            break open;
        }
    };
    let answer = json!({ "name": "meal", "action": "accept", "content": filled() });
    send("POST", &format!("{questions}/{}", open[0]["call"].as_str().unwrap()), &answer);
    while send("GET", &path, &json!({}))["open"] == true {}
    server.kill().unwrap();
    server.wait().unwrap();
    far.fake.assert_used_up();
    told(&far)
}

/// The handler asks in a chat at a terminal.
fn asked_in_a_chat() -> Value {
    let far = cooking();
    let program = [env!("CARGO_BIN_EXE_ghosthand"), "chat", "Cook something"];
    let steps =
        json!([["dish", "borscht"], ["portions", "4"], ["[y/n]", "yes"], ["Which size", "large"]]);
    let shown = at_terminal(far.path(), &program, &steps, Some(200));
    assert!(shown.contains("It is cooked."), "{shown}");
    far.fake.assert_used_up();
    told(&far)
}

#[test]
fn the_same_answers_give_the_same_json_by_voice_in_the_terminal_and_from_the_page() {
    let dir = project();
    write_tools(dir.path());
    let (spoken, typed, posted) = (spoken(dir.path()), typed(dir.path()), posted(dir.path()));
    assert_eq!(spoken, filled());
    assert_eq!(typed, filled());
    assert_eq!(posted, filled());
    assert_eq!(asked_on_the_page(), filled());
    assert_eq!(asked_in_a_chat(), filled());
}

#[test]
fn the_form_of_a_tool_is_spoken_and_sent_with_the_json_of_the_page() {
    let dir = project();
    write_tools(dir.path());
    let script = "at 1s form of cook\n\
         at 8s user says \"borscht\" for 0.6s\n\
         at 16s user says \"four\" for 0.6s\n\
         at 26s user says \"yes\" for 0.6s\n\
         until 40s\n\
         expect question \"A meal. What dish? Say skip to leave it out.\"\n\
         expect form sent to cook\n\
         expect settled, Done\n\
         expect notice \"Done.\"\n\
         expect 1 times handler runs\n";
    let expected = json!({ "dish": "borscht", "portions": 4, "size": "large" });
    for road in ["cascade", "realtime", "live", "gemini"] {
        let found = play(dir.path(), script, &["--road", road, "--verbose"]);
        assert_eq!(found.code, 0, "{road}: {}\n{}", found.out, found.err);
        assert_eq!(json_after(&found.out, "\"got\":"), expected, "{road}");
    }
    let (mut server, address) = start(dir.path());
    let params = json!({ "dish": "borscht", "portions": 4, "size": "large" });
    let body = json!({ "tool": "cook", "handler": "cook", "params": params }).to_string();
    let (status, answer) = exchange(&address, "POST", "/api/tool_submit", &body);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(status, 200, "{answer}");
    assert_eq!(json_after(&answer, "\"got\":"), expected);
}
