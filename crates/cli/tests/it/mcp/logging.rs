//! What handlers write to their console, as log messages of their client.

use serde_json::{Value, json};

use super::support::client::{Client, Era};
use super::support::fixtures::Project;

const SAYS: &str = "console.debug('d'); console.log('i'); console.warn('w'); console.error('e'); \
                    return { ok: true, data: {} };";

fn project() -> Project {
    let project = Project::new();
    project.tool("says", json!({}), SAYS);
    project
}

/// The log of one call: level and text of each message.
fn log_of(client: &mut Client, meta: Value) -> Vec<(String, String)> {
    client.heard.clear();
    client.ask("tools/call", json!({ "name": "says", "arguments": {}, "_meta": meta }));
    let messages = client.heard.iter().filter(|one| one["method"] == "notifications/message");
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    messages
        .map(|one| {
            assert_eq!(one["params"]["logger"], "says");
            (word(&one["params"]["level"]), word(&one["params"]["data"]))
        })
        .collect()
}

fn lines(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(level, text)| ((*level).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn in_the_old_era_the_client_sets_a_level() {
    let project = project();
    let mut client = Client::start(project.path(), Era::Old, json!({}));
    assert_eq!(log_of(&mut client, json!({})), lines(&[("warning", "w"), ("error", "e")]));
    client.ask("logging/setLevel", json!({ "level": "debug" }));
    let all = [("debug", "d"), ("info", "i"), ("warning", "w"), ("error", "e")];
    assert_eq!(log_of(&mut client, json!({})), lines(&all));
    client.ask("logging/setLevel", json!({ "level": "error" }));
    assert_eq!(log_of(&mut client, json!({})), lines(&[("error", "e")]));
    client.ask("logging/setLevel", json!({ "level": "critical" }));
    assert_eq!(log_of(&mut client, json!({})), lines(&[]));
}

#[test]
fn in_the_new_era_each_request_says_what_it_wants_to_hear() {
    let project = project();
    let mut client = Client::start(project.path(), Era::New, json!({}));
    assert_eq!(log_of(&mut client, json!({})), lines(&[]));
    let warnings = json!({ "io.modelcontextprotocol/logLevel": "warning" });
    assert_eq!(log_of(&mut client, warnings), lines(&[("warning", "w"), ("error", "e")]));
    let id = client.request("logging/setLevel", json!({ "level": "debug" }));
    assert_eq!(client.answer(id)["error"]["code"], -32601);
}

#[test]
fn a_secret_is_in_no_log() {
    let project = Project::new();
    let body = "const key = await context.secrets.get('LOG_KEY'); console.error(`it is ${key}`); \
                return { ok: true, data: {} };";
    let changes = json!({ "sideEffects": "read_only", "capabilities": { "secrets": ["LOG_KEY"] } });
    project.tool("says", changes, body);
    let secrets = [("LOG_KEY", "very-secret-0123456789")];
    let mut client = Client::with_variables(project.path(), Era::Old, &secrets);
    let said = log_of(&mut client, json!({}));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].1.starts_with("it is ") && !said[0].1.contains("very-secret"), "{said:?}");
}
