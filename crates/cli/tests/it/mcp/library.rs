//! A project's prompts and resources, as clients of both eras find them.

use serde_json::{Value, json};

use super::http::ask;
use super::support::client::{Client, Era};
use super::support::fixtures::Project;
use super::support::http_server::Listening;
use crate::support::program::run;

const BOTH: [Era; 2] = [Era::Old, Era::New];

const REVIEW: &str = "+++
title = 'Review'
description = 'Says what to improve in a text.'

[arguments.text]
description = 'The text.'

[arguments.tone]
default = 'kind'
values = ['kind', 'strict', 'kindly strict']
+++
Be {tone}:

{text}

[assistant]
Which rules?

[user]
![](docs://rules)
";

/// A project with a prompt, a few resources and a tool.
fn project() -> Project {
    let project = Project::new();
    project.tool("echo", json!({}), "return { ok: true, data: { said: args.text } };");
    project.write("prompts/review.md", REVIEW);
    project.write("docs/rules.md", "Be kind.");
    project.write("docs/issues/7.md", "Seven.");
    project.write(
        "resources.toml",
        "[rules]\nuri = 'docs://rules'\nfile = 'docs/rules.md'\ntitle = 'The rules'\n\
         [issue]\nuri = 'issues://{id}'\nfile = 'docs/issues/{id}.md'\n",
    );
    project
}

fn start(project: &Project, era: Era) -> Client {
    Client::start(project.path(), era, json!({}))
}

/// The error of a request that must fail.
fn refused(client: &mut Client, method: &str, params: Value) -> Value {
    let id = client.request(method, params);
    let answer = client.answer(id);
    answer.get("error").unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let project = project();
    for era in BOTH {
        let mut client = start(&project, era);
        let listed = client.ask("prompts/list", json!({}));
        let expected = json!([{
            "name": "review", "title": "Review", "description": "Says what to improve in a text.",
            "arguments": [
                { "name": "text", "description": "The text.", "required": true },
                { "name": "tone", "required": false }
            ]
        }]);
        assert_eq!(listed["prompts"], expected);
        let params = json!({ "name": "review", "arguments": { "text": "{tone} stays" } });
        let got = client.ask("prompts/get", params);
        let text = |text: &str| json!({ "type": "text", "text": text });
        let rules = json!({ "type": "resource", "resource": {
            "uri": "docs://rules", "mimeType": "text/markdown", "text": "Be kind." } });
        let expected = json!([
            { "role": "user", "content": text("Be kind:\n\n{tone} stays") },
            { "role": "assistant", "content": text("Which rules?") },
            { "role": "user", "content": rules },
        ]);
        assert_eq!(got["messages"], expected);
    }
}

#[test]
fn a_prompt_says_what_is_missing_or_unknown() {
    let project = project();
    for era in BOTH {
        let mut client = start(&project, era);
        let mut says = |name: &str, arguments: Value, expected: &str| {
            let params = json!({ "name": name, "arguments": arguments });
            let error = refused(&mut client, "prompts/get", params);
            assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(expected)));
        };
        says("review", json!({}), "the prompt `review` needs `text`");
        says("reviw", json!({}), "there is no prompt `reviw`; did you mean `review`?");
        let unknown = "the prompt `review` has no argument `txt`; did you mean `text`?";
        says("review", json!({ "txt": "x" }), unknown);
        says("review", json!({ "text": 1 }), "the argument `text` must be a text");
    }
}

#[test]
fn what_a_prompt_misses_is_asked_for_in_a_client_that_can() {
    let project = project();
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut client = Client::start(project.path(), Era::New, capabilities);
    let mut get = |responses: Option<Value>| {
        let mut params = json!({ "name": "review" });
        if let Some(responses) = responses {
            params["inputResponses"] = responses;
        }
        let id = client.request("prompts/get", params);
        client.answer(id)
    };
    let asked = get(None)["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    let schema = &asked["inputRequests"]["arguments"]["params"]["requestedSchema"];
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["properties"]["text"]["description"], "The text.");
    let answer = json!({ "arguments": { "action": "accept", "content": { "text": "Hi." } } });
    let got = get(Some(answer));
    assert_eq!(got["result"]["messages"][0]["content"]["text"], "Be kind:\n\nHi.");
    let declined = get(Some(json!({ "arguments": { "action": "decline" } })));
    assert_eq!(declined["error"]["message"], "the prompt `review` needs `text`");
}

#[test]
fn values_are_completed() {
    let project = project();
    let mut client = start(&project, Era::Old);
    let mut complete = |reference: Value, name: &str, value: &str| {
        let argument = json!({ "name": name, "value": value });
        let params = json!({ "ref": reference, "argument": argument });
        client.ask("completion/complete", params)["completion"]["values"].clone()
    };
    let prompt = json!({ "type": "ref/prompt", "name": "review" });
    assert_eq!(complete(prompt.clone(), "tone", "KI"), json!(["kind", "kindly strict"]));
    assert_eq!(complete(prompt, "text", "a"), json!([]));
    let template = json!({ "type": "ref/resource", "uri": "issues://{id}" });
    assert_eq!(complete(template, "id", ""), json!(["7"]));
}

#[test]
fn resources_are_listed_and_read() {
    let project = project();
    for era in BOTH {
        let mut client = start(&project, era);
        let listed = client.ask("resources/list", json!({}));
        let expected = json!([{
            "uri": "docs://rules", "name": "rules", "title": "The rules",
            "mimeType": "text/markdown"
        }]);
        assert_eq!(listed["resources"], expected);
        let templates = client.ask("resources/templates/list", json!({}));
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "issues://{id}");
        let read = client.ask("resources/read", json!({ "uri": "issues://7" }));
        assert_eq!(read["contents"][0]["text"], "Seven.");
        let code = match era {
            Era::Old => -32002,
            Era::New => -32602,
        };
        for uri in ["issues://8", "issues://..%2Frules", "docs://none", "file:///etc/passwd"] {
            let error = refused(&mut client, "resources/read", json!({ "uri": uri }));
            assert_eq!(error["code"], code, "{error}");
        }
    }
}

#[test]
fn results_of_the_new_era_say_who_answered_and_how_long_they_hold() {
    let project = project();
    let mut client = start(&project, Era::New);
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let listed = client.ask(method, json!({}));
        assert_eq!(listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "ghosthand");
        assert!(listed["ttlMs"].as_u64() > Some(0), "{listed}");
        assert_eq!(listed["cacheScope"], "private");
    }
    let called = client.call("echo", json!({ "text": "x" }));
    assert_eq!(called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "ghosthand");
    let mut old = start(&project, Era::Old);
    let listed = old.ask("prompts/list", json!({}));
    assert!(listed.get("_meta").is_none() && listed.get("ttlMs").is_none(), "{listed}");
}

/// Waits for a notification; the test runner ends a wait that has no end.
fn hear(client: &mut Client, method: &str) -> Value {
    loop {
        let message = client.hear();
        if message["method"] == method {
            return message["params"].clone();
        }
    }
}

#[test]
fn a_client_of_the_old_era_hears_of_changes() {
    let project = project();
    let mut client = start(&project, Era::Old);
    client.ask("resources/subscribe", json!({ "uri": "docs://rules" }));
    let error = refused(&mut client, "resources/subscribe", json!({ "uri": "docs://none" }));
    assert_eq!(error["code"], -32002);
    project.write("docs/rules.md", "Be kind, always.");
    let updated = hear(&mut client, "notifications/resources/updated");
    assert_eq!(updated["uri"], "docs://rules");
    client.ask("resources/unsubscribe", json!({ "uri": "docs://rules" }));
    project.write("prompts/second.md", "+++\ndescription = 'Second.'\n+++\nHi.\n");
    hear(&mut client, "notifications/prompts/list_changed");
    let prompts = client.ask("prompts/list", json!({}))["prompts"].as_array().unwrap().len();
    assert_eq!(prompts, 2);
    let resources = std::fs::read_to_string(project.path().join("resources.toml")).unwrap();
    let one = "[one]\nuri = 'docs://one'\ntext = 'One.'\n";
    project.write("resources.toml", &format!("{resources}{one}"));
    hear(&mut client, "notifications/resources/list_changed");
    let read = client.ask("resources/read", json!({ "uri": "docs://one" }));
    assert_eq!(read["contents"][0]["text"], "One.");
    project.tool("new_tool", json!({}), "return { ok: true, data: {} };");
    hear(&mut client, "notifications/tools/list_changed");
    client.call("new_tool", json!({}));
    assert_eq!(client.close(), 0);
}

#[test]
fn a_client_of_the_new_era_hears_what_it_listens_to() {
    let project = project();
    let mut client = start(&project, Era::New);
    let notifications = json!({
        "promptsListChanged": true, "resourceSubscriptions": ["docs://rules", "docs://none"]
    });
    let id = client.request("subscriptions/listen", json!({ "notifications": notifications }));
    let accepted = hear(&mut client, "notifications/subscriptions/acknowledged");
    let expected = json!({ "promptsListChanged": true, "resourceSubscriptions": ["docs://rules"] });
    assert_eq!(accepted["notifications"], expected);
    project.write("docs/rules.md", "Be kind, always.");
    let updated = hear(&mut client, "notifications/resources/updated");
    assert_eq!(updated["uri"], "docs://rules");
    assert_eq!(updated["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    project.write("prompts/second.md", "+++\ndescription = 'Second.'\n+++\nHi.\n");
    hear(&mut client, "notifications/prompts/list_changed");
    let leaked = client
        .heard
        .iter()
        .any(|message| message["method"] == "notifications/resources/list_changed");
    assert!(!leaked, "{:?}", client.heard);
    // Whoever listens until the end is not waited for.
    assert_eq!(client.close(), 0);
}

#[test]
fn a_token_sees_the_prompts_and_resources_it_names() {
    let project = project();
    project.write(
        "ghosthand.toml",
        "[mcp_tokens.few]\ntoken_env = 'FEW'\ntools = ['echo']\n\
         [mcp_tokens.more]\ntoken_env = 'MORE'\ntools = ['prompts/*', 'resources/rules']\n",
    );
    let tokens = [("FEW", "few-0123456789abcdef"), ("MORE", "more-0123456789abcdef")];
    let server = Listening::start(project.path(), &tokens);
    let seen = |token: &str| {
        let bearer = format!("Bearer {token}");
        let list = |method: &str, field: &str| {
            let listed = ask(&server, &[("Authorization", &bearer)], method, json!({})).json();
            listed["result"][field].as_array().unwrap().len()
        };
        [
            list("prompts/list", "prompts"),
            list("resources/list", "resources"),
            list("resources/templates/list", "resourceTemplates"),
        ]
    };
    assert_eq!(seen(tokens[0].1), [0, 0, 0]);
    assert_eq!(seen(tokens[1].1), [1, 1, 0]);
    let few = [("Authorization", "Bearer few-0123456789abcdef")];
    let got = ask(&server, &few, "prompts/get", json!({ "name": "review" })).json();
    assert_eq!(got["error"]["message"], "there is no prompt `review`");
}

#[test]
fn show_library_lists_both() {
    let project = project();
    let shown = run(project.path(), &["show", "library"]);
    let expected = "review  TEXT [TONE]  Says what to improve in a text.\n\
                    docs://rules  text/markdown\nissues://{id}  text/markdown\n";
    assert_eq!(shown.out, expected, "{}", shown.err);
    let json: Value =
        serde_json::from_str(&run(project.path(), &["show", "library", "--json"]).out).unwrap();
    assert_eq!(json["resources"][1]["template"], true);
}

#[test]
fn faults_are_said_by_check_and_before_anything_is_served() {
    let project = project();
    project.write("prompts/bad.md", "+++\ndescription = 'Bad.'\n+++\nSee {this}.\n");
    let checked = run(project.path(), &["check"]);
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("there is no argument `this`"), "{}", checked.out);
    assert!(checked.out.contains("prompts/bad.md:4"), "{}", checked.out);
    let json: Value =
        serde_json::from_str(&run(project.path(), &["check", "--format", "json"]).out).unwrap();
    assert_eq!((&json["errors"], &json["library"][0]["line"]), (&json!(1), &json!(4)));
    let served = run(project.path(), &["mcp"]);
    assert_eq!(served.code, 1);
    assert!(served.err.contains("prompts/bad.md:4: there is no argument"), "{}", served.err);
}

#[test]
fn files_that_break_while_clients_are_there_leave_what_was() {
    let project = project();
    let mut client = start(&project, Era::Old);
    project.write("prompts/review.md", "no head");
    project.write("docs/issues/8.md", "Eight.");
    let got = client.ask("prompts/list", json!({}));
    assert_eq!(got["prompts"][0]["name"], "review");
    project.write("prompts/review.md", &REVIEW.replace("Says what", "Tells what"));
    hear(&mut client, "notifications/prompts/list_changed");
    let got = client.ask("prompts/list", json!({}));
    assert_eq!(got["prompts"][0]["description"], "Tells what to improve in a text.");
}
