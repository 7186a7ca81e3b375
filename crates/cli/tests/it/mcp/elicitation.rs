//! Handlers that ask: through a client of each era, in a terminal, and where nobody can be
//! asked. The tools are also those that the conformance suite wants to find.

use serde_json::{Value, json};

use super::support::client::{Client, Era, text};
use super::support::fixtures::Project;
use crate::support::program::run;
use crate::support::terminal::at_terminal;

/// A tool whose handler asks, and may ask these.
fn asker(project: &Project, id: &str, asks: Value, body: &str) {
    project.tool(id, json!({ "asks": asks }), body);
}

/// The tools that the suite asks for input.
pub(super) fn suite(project: &Project) {
    let person = || json!(["person"]);
    let name = "{ message: 'What is your name?', schema: { type: 'object', \
                properties: { name: { type: 'string' } }, required: ['name'] } }";
    let model = "{ kind: 'model', message: 'What is the capital of France?', maxTokens: 100 }";
    let hello = format!(
        "const {{ user_name }} = context.answers; \
         if (!user_name) return context.ask({{ user_name: {name} }}); \
         return {{ ok: true, data: `Hello, ${{user_name.content?.name ?? 'you'}}!` }};"
    );
    asker(project, "test_input_required_result_elicitation", person(), &hello);
    let capital = format!(
        "const {{ capital_question }} = context.answers; \
         if (!capital_question) return context.ask({{ capital_question: {model} }}); \
         return {{ ok: true, data: capital_question.content.text }};"
    );
    let models = || json!(["model"]);
    asker(project, "test_input_required_result_sampling", models(), &capital);
    asker(project, "test_missing_capability", models(), &capital);
    let folders = "const { client_roots } = context.answers; \
                   if (!client_roots) return context.ask({ client_roots: { kind: 'folders' } }); \
                   return { ok: true, data: client_roots.content };";
    asker(project, "test_input_required_result_list_roots", json!(["folders"]), folders);
    let confirm = "if (!context.answers.confirm) return context.ask({ confirm: { \
                   message: 'Please confirm', schema: { type: 'object', \
                   properties: { ok: { type: 'boolean' } }, required: ['ok'] } } }); \
                   return { ok: true, data: 'state-ok' };";
    asker(project, "test_input_required_result_request_state", person(), confirm);
    let all = format!(
        "if (!context.answers.user_name) return context.ask({{ user_name: {name}, \
         greeting: {model}, client_roots: {{ kind: 'folders' }} }}); \
         return {{ ok: true, data: context.answers }};"
    );
    let everybody = json!(["person", "model", "folders"]);
    asker(project, "test_input_required_result_multiple_inputs", everybody, &all);
    let steps = format!(
        "const {{ step1, step2 }} = context.answers; \
         if (!step1) return context.ask({{ step1: {name} }}); \
         if (!step2) return context.ask({{ step2: {} }}); \
         return {{ ok: true, data: `${{step1.content.name}} likes ${{step2.content.color}}` }};",
        name.replace("your name", "your favourite colour").replace("name", "color"),
    );
    asker(project, "test_input_required_result_multi_round", person(), &steps);
    let whoever = format!(
        "const question = context.canAsk.includes('person') ? {name} : {model}; \
         if (!context.answers.q) return context.ask({{ q: question }}); \
         return {{ ok: true, data: context.answers.q }};"
    );
    let either = json!(["person", "model"]);
    asker(project, "test_input_required_result_capabilities", either, &whoever);
    let sampling = "const { said } = context.answers; \
                    if (!said) return context.ask({ \
                    said: { kind: 'model', message: args.prompt, maxTokens: 100 } }); \
                    return { ok: true, data: `LLM response: ${said.content.text}` };";
    let parameters = |name: &str| {
        json!({ "type": "object", "additionalProperties": false, "properties": {
            name: { "type": "string", "description": "What to ask.", "default": "What?" } } })
    };
    let prompt = json!({ "asks": ["model"], "parameters": parameters("prompt") });
    project.tool("test_sampling", prompt, sampling);
    let form = |message: &str, properties: &Value| {
        let schema = json!({ "type": "object", "properties": properties });
        format!(
            "const {{ form }} = context.answers; \
             if (!form) return context.ask({{ form: {{ message: {message}, schema: {schema} }} }}); \
             return {{ ok: true, data: `completed: action=${{form.action}}, content=${{JSON.stringify(form.content)}}` }};"
        )
    };
    let user = json!({ "username": { "type": "string", "description": "User's response" },
                       "email": { "type": "string", "description": "User's email address" } });
    let message = json!({ "asks": ["person"], "parameters": parameters("message") });
    project.tool("test_elicitation", message, &form("args.message", &user));
    let defaults = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"],
                    "default": "active" },
        "verified": { "type": "boolean", "default": true },
    });
    let what = "'Who is it?'";
    asker(project, "test_elicitation_sep1034_defaults", person(), &form(what, &defaults));
    let options = ["option1", "option2", "option3"];
    let titled: Vec<_> = (1..=3)
        .map(|n| json!({ "const": format!("value{n}"), "title": format!("No. {n}") }))
        .collect();
    let enums = json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                        "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    });
    asker(project, "test_elicitation_sep1330_enums", person(), &form(what, &enums));
}

/// A tool that writes: it asks how loud, then a person agrees, then it writes, once.
fn shouting() -> Project {
    let project = Project::new();
    let body = "const n = ((await context.kv.get('shouts/n'))?.value ?? 0); \
        if (!context.answers.volume) return context.ask({ volume: { \
            message: `How loud, after ${n} shouts?`, schema: { type: 'object', \
            properties: { decibel: { type: 'integer', minimum: 1, maximum: 120 } }, \
            required: ['decibel'] } } }); \
        if (context.answers.volume.action !== 'accept') return { ok: true, data: 'silence' }; \
        await context.kv.set('shouts/n', n + 1); \
        return { ok: true, data: { n: n + 1, decibel: context.answers.volume.content.decibel } };";
    let writes = json!({
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": true, "capabilities": { "kv": ["shouts/"] }, "asks": ["person"],
    });
    project.tool("shout", writes, body);
    let eager = "await context.kv.set('shouts/n', 99); return context.ask({ q: { message: 'Eh?', \
                 schema: { type: 'object', properties: { a: { type: 'string' } } } } });";
    let writes = json!({
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": false, "capabilities": { "kv": ["shouts/"] }, "asks": ["person"],
    });
    project.tool("eager", writes, eager);
    let nosy = "return context.ask({ q: { message: 'Eh?', schema: { type: 'object', \
                properties: { a: { type: 'string' } } } } });";
    project.tool("nosy", json!({}), nosy);
    asker(&project, "endless", json!(["person"]), nosy);
    project
}

fn can_ask() -> Value {
    json!({ "elicitation": { "form": {} } })
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// Answers a question of the old era; gives what was asked.
fn reply(client: &mut Client, result: Value) -> Value {
    let question = client.hear();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
    question["params"].clone()
}

/// The next try of a call of the new era.
fn again(client: &mut Client, tool: &str, asked: &Value, responses: Value) -> Value {
    let id = client.request(
        "tools/call",
        json!({ "name": tool, "arguments": {}, "requestState": asked["requestState"],
                "inputResponses": responses }),
    );
    client.answer(id)
}

fn ledger(project: &Project) -> Vec<String> {
    let run = run(project.path(), &["ledger", "list"]);
    assert_eq!(run.code, 0, "{}", run.err);
    run.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_writing_tool_asks_then_a_person_agrees_then_it_runs_once_in_the_old_era() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::Old, can_ask());
    let id = client.request("tools/call", json!({ "name": "shout", "arguments": {} }));
    let asked = reply(&mut client, accept(json!({ "decibel": 90 })));
    assert_eq!(asked["message"], "How loud, after 0 shouts?");
    let decibel = json!({ "type": "integer", "minimum": 1, "maximum": 120 });
    assert_eq!(asked["requestedSchema"]["properties"]["decibel"], decibel);
    assert_eq!(ledger(&project), Vec::<String>::new());
    let approval = reply(&mut client, accept(json!({ "approve": true })));
    let shown = approval["message"].as_str().unwrap();
    assert!(shown.contains(r#"asked for volume: accept {"decibel":90}"#), "{shown}");
    let done = client.answer(id);
    assert_eq!(done["result"]["structuredContent"], json!({ "n": 1, "decibel": 90 }), "{done}");
    client.close();
    let entries = ledger(&project);
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert!(entries[0].contains("  done  ") && entries[0].ends_with("  shout"), "{entries:?}");
    let audit = run(project.path(), &["audit"]).out;
    let verdicts: Vec<_> = audit
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            format!("{} {}", line["verdict"].as_str().unwrap(), line["rule"].as_str().unwrap())
        })
        .collect();
    let expected = ["ask input.needed", "ask contract.confirmation", "run contract.confirmation"];
    assert_eq!(verdicts, expected);
}

#[test]
fn the_same_in_the_new_era_and_what_comes_back_is_checked() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::New, can_ask());
    let first = client.call("shout", json!({}));
    assert_eq!(first["resultType"], "input_required", "{first}");
    let wrong =
        again(&mut client, "shout", &first, json!({ "volume": accept(json!({ "decibel": 500 })) }));
    let said = wrong["error"]["message"].as_str().unwrap();
    assert!(said.starts_with("`volume`: /decibel:"), "{said}");
    let none = again(&mut client, "shout", &first, json!({ "other": accept(json!({})) }));
    assert_eq!(none["result"]["inputRequests"], first["inputRequests"], "{none}");
    let mut changed = first.clone();
    let state = first["requestState"].as_str().unwrap().replace('A', "B");
    changed["requestState"] = format!("{state}x").into();
    let forged =
        again(&mut client, "shout", &changed, json!({ "volume": accept(json!({ "decibel": 5 })) }));
    assert_eq!(forged["error"]["code"], -32602, "{forged}");
    let good = json!({ "volume": accept(json!({ "decibel": 5 })) });
    let approval = again(&mut client, "shout", &first, good);
    assert_eq!(approval["result"]["resultType"], "input_required", "{approval}");
    let yes = json!({ "approval": accept(json!({ "approve": true })) });
    let done = again(&mut client, "shout", &approval["result"], yes.clone());
    assert_eq!(done["result"]["structuredContent"], json!({ "n": 1, "decibel": 5 }), "{done}");
    let late = again(&mut client, "shout", &approval["result"], yes);
    assert_eq!(late["result"]["structuredContent"], json!({ "n": 1, "decibel": 5 }), "{late}");
    client.close();
    assert_eq!(ledger(&project).len(), 1);
}

#[test]
fn an_old_client_that_answers_something_else_is_told_so_and_nothing_runs() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::Old, can_ask());
    let id = client.request("tools/call", json!({ "name": "shout", "arguments": {} }));
    reply(&mut client, accept(json!({ "decibel": "very" })));
    let refused = client.answer(id);
    assert_eq!(refused["result"]["isError"], true);
    assert!(text(&refused["result"]).contains("`volume`: /decibel:"), "{refused}");
    client.close();
    assert_eq!(ledger(&project), Vec::<String>::new());
}

#[test]
fn a_person_may_decline_and_the_handler_says_what_then() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::Old, can_ask());
    let id = client.request("tools/call", json!({ "name": "shout", "arguments": {} }));
    reply(&mut client, json!({ "action": "decline" }));
    let approval = reply(&mut client, accept(json!({ "approve": true })));
    assert!(approval["message"].as_str().unwrap().contains("asked for volume: decline"));
    assert_eq!(text(&client.answer(id)["result"]), "silence");
}

#[test]
fn nothing_changes_before_a_question_and_what_is_not_declared_is_not_asked() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::New, can_ask());
    // Its first run may change nothing, and the real one may not ask.
    let eager = client.call("eager", json!({}));
    assert_eq!(eager["isError"], true, "{eager}");
    let nosy = client.call("nosy", json!({}));
    assert!(text(&nosy).contains("asked an invalid question"), "{nosy}");
    client.close();
    let run = run(project.path(), &["call", "nosy"]);
    assert!(run.err.contains(r#"write "asks": ["person"] in schema.json"#), "{}", run.err);
}

#[test]
fn a_handler_that_never_stops_asking_is_stopped() {
    let project = shouting();
    let mut client = Client::start(project.path(), Era::Old, can_ask());
    let id = client.request("tools/call", json!({ "name": "endless", "arguments": {} }));
    for _ in 0..8 {
        reply(&mut client, accept(json!({ "a": "b" })));
    }
    let ended = client.answer(id);
    assert!(text(&ended["result"]).contains("has asked 8 times"), "{ended}");
}

#[test]
fn a_client_that_cannot_be_asked_is_told_what_is_wanted() {
    let project = shouting();
    let mut old = Client::start(project.path(), Era::Old, json!({}));
    let said = old.call("shout", json!({}));
    assert_eq!(said["isError"], true);
    let words = text(&said);
    assert!(words.contains("How loud, after 0 shouts? (decibel: integer)"), "{words}");
    assert!(words.contains("nothing has happened"), "{words}");
    let mut new = Client::start(project.path(), Era::New, json!({}));
    let id = new.request("tools/call", json!({ "name": "shout", "arguments": {} }));
    let refused = new.answer(id);
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let required = json!({ "requiredCapabilities": { "elicitation": {} } });
    assert_eq!(refused["error"]["data"], required);
}

#[test]
fn without_a_terminal_a_call_says_what_it_wants_to_know() {
    let project = shouting();
    let run = run(project.path(), &["call", "shout"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("How loud, after 0 shouts? (decibel: integer)"), "{}", run.out);
    assert!(run.err.contains("waiting for an answer: call it in a terminal"), "{}", run.err);
    assert_eq!(ledger(&project), Vec::<String>::new());
}

/// Types into the program in a real terminal; everything it showed.
fn terminal(project: &Project, args: &[&str], steps: &Value) -> String {
    let program = [&[env!("CARGO_BIN_EXE_ghosthand")], args].concat();
    at_terminal(project.path(), &program, steps, None)
}

#[test]
fn in_a_terminal_the_person_is_asked_field_by_field() {
    let project = shouting();
    let steps = json!([
        ["decibel [integer]:", "loud"],
        ["this value does not fit", "500"],
        ["`volume`: /decibel:", "80"],
        ["run it? [y/N]", "y"],
    ]);
    let shown = terminal(&project, &["call", "shout"], &steps);
    assert!(shown.contains("How loud, after 0 shouts?"), "{shown}");
    assert!(shown.contains(r#"asked for volume: accept {"decibel":80}"#), "{shown}");
    assert!(shown.contains(r#"{"n":1,"decibel":80}"#), "{shown}");
    assert_eq!(ledger(&project).len(), 1);
}

#[test]
fn python_handlers_ask_too() {
    let project = Project::new();
    project.tool("greet", json!({ "asks": ["person"] }), "");
    std::fs::remove_file(project.path().join("tools/greet/handler.js")).unwrap();
    let question = r#"{"who": {"message": "Who?", "schema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}}}"#;
    let body = format!(
        "    if \"who\" not in context.answers:\n        return context.ask({question})\n    \
         return \"Hello, \" + context.answers[\"who\"][\"content\"][\"name\"]\n"
    );
    let handler = format!("async def execute(args, context):\n{body}");
    project.write("tools/greet/handler.py", &handler);
    let module = format!(
        "async def hail(context):\n{body}\n\
         TOOLS = [{{\"function\": hail, \"asks\": [\"person\"], \"schema\": \
         {{\"name\": \"hail\", \"description\": \"Hail somebody.\"}}}}]\n"
    );
    project.write("tools/hails.py", &module);
    for tool in ["greet", "hails_hail"] {
        let mut client = Client::start(project.path(), Era::Old, can_ask());
        let id = client.request("tools/call", json!({ "name": tool, "arguments": {} }));
        assert_eq!(reply(&mut client, accept(json!({ "name": "Ana" })))["message"], "Who?");
        let done = client.answer(id);
        assert_eq!(text(&done["result"]), "Hello, Ana", "{tool}: {done}");
        client.close();
    }
}
