//! A tool with a form as an MCP App: listed, read, and drawn by a real browser.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::support::client::{Client, Era};
use super::support::fixtures::Project;

fn project() -> Project {
    let project = Project::usual();
    let schema = json!({
        "ui": "ui.json",
        "parameters": { "type": "object", "additionalProperties": false,
            "properties": {
                "text": { "type": "string", "description": "A text </script>." },
                "times": { "type": "integer", "description": "How often.", "default": 2 } } },
    });
    project.tool("shout", schema, "return { ok: true, data: { said: args.text.toUpperCase() } };");
    project.write("tools/shout/ui.json", r#"{"type": "form", "label": "Shout it"}"#);
    project
}

/// The page of the tool, as a host reads it.
fn page(client: &mut Client) -> String {
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let shout = tools.iter().find(|tool| tool["name"] == "shout").unwrap();
    let uri = shout["_meta"]["ui"]["resourceUri"].clone();
    assert_eq!(uri, "ui://ghosthand/shout");
    let echo = tools.iter().find(|tool| tool["name"] == "echo").unwrap();
    assert!(echo.get("_meta").is_none(), "{echo}");
    let read = client.ask("resources/read", json!({ "uri": uri }));
    let contents = &read["contents"][0];
    assert_eq!(contents["mimeType"], "text/html;profile=mcp-app");
    contents["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_tool_with_a_form_has_a_page_and_its_text_is_complete_without() {
    let project = project();
    for era in [Era::Old, Era::New] {
        let mut client = Client::start(project.path(), era, json!({}));
        let page = page(&mut client);
        assert!(page.contains("Shout it") && !page.contains("__TOOL__"));
        assert_eq!(page.matches("</script>").count(), 2, "a description ends no script");
        let said = client.call("shout", json!({ "text": "hi" }));
        assert_eq!(said["content"][0]["text"], r#"{"said":"HI"}"#);
        let id = client.request("resources/read", json!({ "uri": "ui://ghosthand/echo" }));
        assert!(client.answer(id)["error"]["code"].is_i64());
    }
}

/// A host that does what the extension asks of it, and writes down what it saw.
const HOST: &str = r#"<!doctype html><body><iframe id="view"></iframe><pre id="seen"></pre><script>
const view = document.getElementById('view'), seen = [];
const tell = (message) => view.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
window.addEventListener('message', ({ data }) => {
  seen.push(data);
  if (data.method === 'ui/initialize') tell({ id: data.id, result: { hostContext: {} } });
  if (data.method === 'ui/notifications/initialized') {
    tell({ method: 'ui/notifications/tool-input', params: { arguments: { text: 'hi <b>' } } });
    tell({ method: 'ui/notifications/tool-result',
           params: { structuredContent: { said: 'HI <img src=x>' } } });
  }
  if (data.method === 'ui/notifications/size-changed' && seen.length < 5) {
    const inside = view.contentDocument;
    inside.querySelector('input[name=times]').value = '3';
    inside.querySelector('button').click();
  }
  if (data.method === 'tools/call') {
    const inside = view.contentDocument;
    const found = { call: data.params, title: inside.querySelector('h1').textContent,
                    result: inside.getElementById('result').textContent,
                    markup: inside.querySelectorAll('img, b').length };
    document.getElementById('seen').textContent = JSON.stringify(found);
  }
});
view.srcdoc = PAGE;
</script></body>"#;

#[test]
fn a_browser_draws_the_page_and_its_button_calls_the_tool() {
    let project = project();
    let mut client = Client::start(project.path(), Era::New, json!({}));
    let page = json!(page(&mut client)).to_string().replace('<', "\\u003c");
    let host = project.write("host.html", &HOST.replace("PAGE", &page));
    let browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", project.path().join("browser").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", host.display()))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let Ok(output) = browser else { return eprintln!("skipped: there is no chromium") };
    let dom = String::from_utf8_lossy(&output.stdout);
    let seen = dom.split("<pre id=\"seen\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let seen = seen.unwrap_or_else(|| panic!("{dom}"));
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let seen: Value = serde_json::from_str(&seen).unwrap_or_else(|_| panic!("{dom}"));
    assert_eq!(seen["title"], "Shout it");
    let called = json!({ "name": "shout", "arguments": { "text": "hi <b>", "times": 3 } });
    assert_eq!(seen["call"], called);
    assert_eq!(seen["result"], "saidHI <img src=x>");
    assert_eq!(seen["markup"], 0, "texts are never markup");
}
