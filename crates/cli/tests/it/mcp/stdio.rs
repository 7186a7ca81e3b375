//! `ghosthand mcp` on standard input and output: lists, calls, progress, approvals.

use serde_json::{Value, json};

use super::support::client::{Client, Era, text};
use super::support::fixtures::Project;
use crate::support::program::run;

const BOTH: [Era; 2] = [Era::Old, Era::New];

fn nothing() -> Value {
    json!({})
}

fn can_ask() -> Value {
    json!({ "elicitation": { "form": {} } })
}

#[test]
fn tools_are_listed_in_one_order_with_what_hosts_need_to_know() {
    let project = Project::usual();
    for era in BOTH {
        let mut client = Client::start(project.path(), era, nothing());
        let listed = client.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let expected = ["echo", "fail", "long", "note", "plain", "read_result", "steps", "wait"];
        assert_eq!(names, expected);
        let note = tools.iter().find(|tool| tool["name"] == "note").unwrap();
        assert_eq!(note["title"], "Note");
        assert_eq!(note["description"], "Do note.\nUse it to test.");
        assert_eq!(note["inputSchema"]["properties"]["text"]["type"], "string");
        assert_eq!(note["outputSchema"]["required"], json!(["n"]));
        let hints = json!({
            "readOnlyHint": false, "destructiveHint": true,
            "idempotentHint": false, "openWorldHint": false
        });
        assert_eq!(note["annotations"], hints);
        assert!(
            note["icons"][0]["src"].as_str().unwrap().starts_with("data:image/svg+xml;base64,")
        );
        assert_eq!(client.close(), 0);
    }
}

#[test]
fn a_result_is_a_value_and_its_whole_text() {
    let project = Project::usual();
    for era in BOTH {
        let mut client = Client::start(project.path(), era, nothing());
        let said = client.call("echo", json!({ "text": "hello" }));
        assert_eq!(said["structuredContent"], json!({ "said": "hello" }));
        assert_eq!(text(&said), r#"{"said":"hello"}"#);
        let plain = client.call("plain", json!({}));
        assert_eq!(text(&plain), "just a text");
        assert_eq!(plain["structuredContent"], json!({ "result": "just a text" }));
    }
}

#[test]
fn errors_are_results_that_a_model_can_act_on() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::New, nothing());
    let failed = client.call("fail", json!({}));
    assert_eq!(failed["isError"], true);
    assert!(text(&failed).contains("no such thing"), "{failed}");
    let refused = client.call("echo", json!({ "txt": "hello" }));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("txt"), "{refused}");
    let id = client.request("tools/call", json!({ "name": "ehco", "arguments": {} }));
    let unknown = client.answer(id);
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "there is no tool `ehco`; did you mean `echo`?");
}

#[test]
fn chunks_and_progress_arrive_as_progress_that_only_grows() {
    let project = Project::usual();
    for era in BOTH {
        let mut client = Client::start(project.path(), era, nothing());
        let params =
            json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": "t1" } });
        client.ask("tools/call", params);
        let heard = std::mem::take(&mut client.heard);
        let notes: Vec<_> = heard.iter().map(|one| &one["params"]).collect();
        let said: Vec<_> = notes.iter().map(|one| one["message"].as_str().unwrap()).collect();
        assert_eq!(said, ["one", "half", "two"]);
        assert!(notes.iter().all(|one| one["progressToken"] == "t1"));
        assert_eq!((&notes[1]["progress"], &notes[1]["total"]), (&json!(50.0), &json!(100.0)));
        let steps: Vec<_> = notes.iter().map(|one| one["progress"].as_f64().unwrap()).collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
        client.call("steps", json!({}));
        assert!(client.heard.is_empty(), "nobody asked for progress: {:?}", client.heard);
    }
}

#[test]
fn what_a_tool_tells_reaches_the_result_with_its_audience_also_without_a_token() {
    let project = Project::new();
    let tells = "await context.assistant('Looking '); await context.context('It is '); \
                 await context.assistant('it up.'); await context.context('private.'); \
                 return { ok: true, data: { found: 1 } };";
    project.tool("tells", json!({ "sideEffects": "read_only" }), tells);
    let stream = "from utils.tool_utils import assistant_chunk, context_chunk\n\n\
                  async def look():\n    yield assistant_chunk('Looking.')\n    \
                  yield context_chunk('A secret.')\n\n\
                  TOOLS = [{'function': look, 'schema': {'name': 'look', 'description': 'Look.'}}]\n";
    project.write("tools/eyes.py", stream);
    let for_model = json!({ "audience": ["assistant"] });
    let for_both = json!({ "audience": ["user", "assistant"] });
    for era in BOTH {
        let mut client = Client::start(project.path(), era, nothing());
        let told = client.call("tells", json!({}));
        assert_eq!(told["structuredContent"], json!({ "found": 1 }));
        let expected = json!([
            { "type": "text", "text": "{\"found\":1}" },
            { "type": "text", "text": "Looking it up.", "annotations": for_both },
            { "type": "text", "text": "It is private.", "annotations": for_model },
        ]);
        assert_eq!(told["content"], expected);
        let streamed = client.call("eyes_look", json!({}));
        let expected = json!([
            { "type": "text", "text": "A secret.", "annotations": for_model },
            { "type": "text", "text": "Looking.", "annotations": for_both },
        ]);
        assert_eq!(streamed["content"], expected);
    }
}

#[test]
fn a_cancelled_call_stops_its_handler_and_the_next_one_runs() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::Old, nothing());
    let params = json!({ "name": "wait", "arguments": {}, "_meta": { "progressToken": 7 } });
    let id = client.request("tools/call", params);
    assert_eq!(client.hear()["params"]["message"], "waiting");
    let params = json!({ "requestId": id, "reason": "enough" });
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params
    }));
    client.call("echo", json!({}));
    assert_eq!(client.close(), 0);
    let audit = run(project.path(), &["audit"]);
    let line = audit.out.lines().find(|line| line.contains(r#""tool":"wait""#)).unwrap();
    assert!(line.contains(r#""error":"PERMANENT""#), "{line}");
}

#[test]
fn a_long_result_is_read_in_pieces() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::New, nothing());
    let first = client.call("long", json!({}));
    assert!(first.get("structuredContent").is_none());
    let mut whole = text(&first).to_owned();
    let mut note = first["content"][1]["text"].as_str().unwrap().to_owned();
    assert!(note.contains("The call succeeded"), "{note}");
    while let Some(at) = note.find('{') {
        let end = note.find('}').unwrap();
        let cursor: Value = serde_json::from_str(&note[at..=end]).unwrap();
        let piece = client.call("read_result", cursor);
        whole.push_str(text(&piece));
        note = piece["content"][1]["text"].as_str().unwrap().to_owned();
    }
    let data: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(data["lines"].as_array().unwrap().len(), 5_000);
    let lost = client.call("read_result", json!({ "cursor": "0.1" }));
    assert_eq!(lost["isError"], true);
}

#[test]
fn an_old_client_asks_its_person_while_the_call_waits() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::Old, can_ask());
    for (action, approve, ran) in
        [("accept", true, true), ("accept", false, false), ("decline", true, false)]
    {
        let args = json!({ "text": format!("{action}{approve}") });
        let id = client.request("tools/call", json!({ "name": "note", "arguments": args }));
        let asked = client.hear();
        assert_eq!(asked["method"], "elicitation/create");
        assert!(asked["params"]["message"].as_str().unwrap().contains("`note`"), "{asked}");
        let mut result = json!({ "action": action });
        if action == "accept" {
            result["content"] = json!({ "approve": approve });
        }
        client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }));
        let answer = client.answer(id);
        assert_eq!(answer["result"]["isError"] == json!(false), ran, "{answer}");
    }
    let once = client.heard.iter().filter(|one| one["method"] == "elicitation/create").count();
    assert_eq!(once, 0, "nothing was asked twice");
}

#[test]
fn a_new_client_brings_the_answer_with_the_next_try_and_it_counts_once() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::New, can_ask());
    let params = json!({ "name": "note", "arguments": { "text": "a" } });
    let asked = client.ask("tools/call", params.clone());
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create");
    let mut again = params;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] =
        json!({ "approval": { "action": "accept", "content": { "approve": true } } });
    let done = client.ask("tools/call", again.clone());
    assert_eq!(done["structuredContent"], json!({ "n": 1 }));
    let replayed = client.ask("tools/call", again.clone());
    assert_eq!(replayed["structuredContent"], json!({ "n": 1 }), "it did not run a second time");
    again["arguments"] = json!({ "text": "b" });
    let id = client.request("tools/call", again.clone());
    assert_eq!(client.answer(id)["error"]["code"], -32602, "the seal is for other arguments");
    again["arguments"] = json!({ "text": "a" });
    again["requestState"] = format!("{}x", asked["requestState"].as_str().unwrap()).into();
    let id = client.request("tools/call", again);
    assert_eq!(client.answer(id)["error"]["code"], -32602, "the seal was broken");
}

#[test]
fn without_a_way_to_ask_a_person_agrees_elsewhere_and_the_retry_runs_once() {
    let project = Project::usual();
    for (era, flags, capabilities) in
        [(Era::Old, &[][..], nothing()), (Era::New, &["--ask-here"][..], can_ask())]
    {
        let mut client = Client::with_flags(project.path(), era, capabilities, flags);
        let args = json!({ "text": format!("{era:?}") });
        let refused = client.call("note", args.clone());
        assert_eq!(refused["isError"], true);
        let said = text(&refused).to_owned();
        assert!(said.contains("CONFIRMATION_REQUIRED"), "{said}");
        let still = client.call("note", args.clone());
        assert_eq!(text(&still), said, "it is the same question");
        let id = said.split("approve ").nth(1).unwrap().split('`').next().unwrap();
        let approved = run(project.path(), &["approvals", "approve", id]);
        assert_eq!(approved.code, 0, "{}{}", approved.out, approved.err);
        assert!(approved.err.contains("when the client calls again"), "{}", approved.err);
        // Another process of the same client finds the answer too.
        client.close();
        let mut client = Client::with_flags(project.path(), era, nothing(), flags);
        let done = client.call("note", args.clone());
        assert_eq!(done["isError"], false, "{done}");
        let asks_again = client.call("note", args);
        assert_eq!(asks_again["isError"], true, "a second run is a second question");
        client.close();
    }
}

#[test]
fn a_declined_call_says_so_and_does_not_run() {
    let project = Project::usual();
    let mut client = Client::start(project.path(), Era::Old, nothing());
    let refused = client.call("note", json!({}));
    let id = text(&refused).split("approve ").nth(1).unwrap().split('`').next().unwrap();
    let declined = run(project.path(), &["approvals", "decline", id, "--reason", "not now"]);
    assert_eq!(declined.code, 0, "{}", declined.err);
    let told = client.call("note", json!({}));
    assert!(text(&told).contains("not now"), "{told}");
}

#[test]
fn the_facade_finds_describes_and_calls_the_other_tools() {
    let project = Project::usual();
    let mut client = Client::with_flags(project.path(), Era::New, can_ask(), &["--facade"]);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["call_tool", "describe_tool", "read_result", "search_tools"]);
    let found = client.call("search_tools", json!({ "query": "write a note" }));
    assert_eq!(found["structuredContent"]["tools"][0]["name"], "note");
    let nothing = client.call("search_tools", json!({ "query": "quantum" }));
    assert_eq!(nothing["structuredContent"]["tools"], json!([]));
    let described = client.call("describe_tool", json!({ "name": "note" }));
    assert_eq!(described["structuredContent"]["outputSchema"]["required"], json!(["n"]));
    let said = client.call("call_tool", json!({ "name": "echo", "arguments": { "text": "hi" } }));
    assert_eq!(said["structuredContent"], json!({ "said": "hi" }));
    let unknown = client.call("call_tool", json!({ "name": "ehco" }));
    assert!(text(&unknown).contains("did you mean `echo`?"), "{unknown}");
    let args = json!({ "name": "note", "arguments": { "text": "a" } });
    let params = json!({ "name": "call_tool", "arguments": args });
    let asked = client.ask("tools/call", params.clone());
    let mut again = params;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] =
        json!({ "approval": { "action": "accept", "content": { "approve": true } } });
    let done = client.ask("tools/call", again);
    assert_eq!(done["structuredContent"], json!({ "n": 1 }), "it asks like any other call");
}
