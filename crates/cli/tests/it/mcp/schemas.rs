//! The schemas of other servers: of any draft, with slips, with formats nobody holds to.

use std::path::Path;

use serde_json::{Value, json};

use super::support::client::{Client, Era};
use super::support::fixtures::Project;
use crate::support::program::{Run, run};

/// A project with one server `far` whose tools are as `mode` says, approved.
fn approved(mode: &str, more: &str) -> (Project, Run) {
    let project = Project::new();
    let server =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/scripts/remote_server.py");
    // The operator knows them all; nothing is asked.
    let config = format!(
        "[mcp.far]\ncommand = 'python3'\nargs = [{server:?}, {mode:?}]\n\
         effects = {{ '*' = 'reads' }}\n{more}\n"
    );
    project.write("ghosthand.toml", &config);
    let imported = run(project.path(), &["mcp", "import", "far", "--yes"]);
    assert_eq!(imported.code, 0, "{}{}", imported.out, imported.err);
    (project, imported)
}

fn call(project: &Project, tool: &str, args: &Value) -> Run {
    run(project.path(), &["call", &format!("far.{tool}"), &args.to_string()])
}

#[track_caller]
fn check(project: &Project, tool: &str, good: Value, bad: Value) {
    let taken = call(project, tool, &good);
    assert_eq!(taken.code, 0, "{tool} {good}: {}{}", taken.out, taken.err);
    let refused = call(project, tool, &bad);
    assert_eq!(refused.code, 1, "{tool} {bad}: {}", refused.out);
    assert!(refused.out.contains("VALIDATION"), "{tool} {bad}: {}", refused.out);
}

#[test]
fn a_schema_is_read_by_the_draft_that_it_names() {
    let (project, imported) = approved("drafts", "");
    assert!(!imported.err.contains("left out"), "{}", imported.err);
    check(&project, "four", json!({ "n": 1 }), json!({ "n": 0 }));
    check(&project, "six", json!({ "pair": ["a", 1] }), json!({ "pair": ["a", "b"] }));
    // Beside a reference nothing counts in this draft.
    let long = json!({ "pair": ["a"], "text": "longer than one" });
    check(&project, "seven", long, json!({ "pair": ["a", "b"], "text": "" }));
    check(&project, "seven", json!({ "text": "" }), json!({ "pair": ["a"] }));
    check(&project, "nineteen", json!({ "pair": ["a", 1] }), json!({ "pair": [1] }));
    check(&project, "silent", json!({ "pair": ["a", 1] }), json!({ "pair": [1] }));
}

#[test]
fn a_bad_entry_of_a_list_costs_only_itself_and_is_named() {
    let (project, imported) = approved("slips", "");
    for named in ["`bare`", "`always`", "`told`", "entry 5 of its list", "entry 6 of its list"] {
        let line = format!("{named} is left out: ");
        assert!(imported.err.contains(&line), "{named}: {}", imported.err);
    }
    assert_eq!(call(&project, "echo", &json!({ "text": "still here" })).code, 0);
    let seen = run(project.path(), &["mcp", "inspect", "far"]);
    assert!(seen.err.contains("`bare` is left out: it has no `inputSchema`"), "{}", seen.err);
}

#[test]
fn a_format_is_a_note_unless_the_operator_wants_it_held() {
    let undashed = json!({ "text": "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d" });
    let (project, _) = approved("formats", "");
    let taken = call(&project, "page", &undashed);
    assert_eq!(taken.code, 0, "{}{}", taken.out, taken.err);
    let listed = Client::start(project.path(), Era::New, json!({})).ask("tools/list", json!({}));
    assert!(listed.to_string().contains("Which page (format: uuid)"), "{listed}");
    let (project, _) = approved("formats", "formats = 'assert'");
    let refused = call(&project, "page", &undashed);
    assert!(refused.out.contains("VALIDATION"), "{}", refused.out);
}

#[test]
fn a_dynamic_reference_means_what_the_way_to_it_says() {
    let (project, imported) = approved("dynamic", "");
    assert!(!imported.err.contains("left out"), "{}", imported.err);
    let good = json!({ "texts": ["a"], "numbers": [1] });
    check(&project, "lists", good.clone(), json!({ "texts": [1] }));
    check(&project, "lists", good, json!({ "numbers": ["a"] }));
    for target in ["mcp", "anthropic", "openai-chat-strict", "openai-compatible", "gemini"] {
        let shown = run(project.path(), &["show", "tool", "far.lists", "--for", target]);
        assert_eq!(shown.code, 0, "{target}: {shown:?}");
        assert!(!shown.out.contains("$dynamic"), "{target}: {shown:?}");
    }
}

/// What `lower` says of the schema of `lossy` in `far_server.py`, read as ours.
fn own_losses(project: &Project, target: &str) -> Vec<String> {
    let pinned: Value =
        serde_json::from_slice(&std::fs::read(project.path().join("mcp.lock")).unwrap()).unwrap();
    let schema = find(&pinned, "inputSchema").unwrap();
    project.write("lossy.json", &schema.to_string());
    let lowered = run(project.path(), &["lower", "--for", target, "lossy.json"]);
    let lowered: Value = serde_json::from_str(&lowered.out).unwrap();
    let notes = lowered["notes"].as_array().unwrap().iter();
    notes.map(|note| note["pointer"].as_str().unwrap().to_owned()).collect()
}

/// The first value with this name, wherever it is.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => {
            fields.get(name).or_else(|| fields.values().find_map(|value| find(value, name)))
        }
        Value::Array(items) => items.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

#[test]
fn what_a_provider_does_not_get_of_an_imported_tool_is_told_as_of_our_own() {
    let (project, _) = approved("lossy", "formats = 'assert'");
    let whole = run(project.path(), &["build", "--losses", "full"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(whole.out.contains("far.lossy  MCP server `far`"), "{whole:?}");
    for target in ["openai-chat-strict", "gemini", "anthropic", "openai-compatible"] {
        let shown = run(project.path(), &["show", "tool", "far.lossy", "--for", target]);
        assert_eq!(shown.code, 0, "{target}: {shown:?}");
        let wire: Value = serde_json::from_str(&shown.out).unwrap();
        assert!(wire.to_string().contains("lossy"), "{target}: {wire}");
        let losses = own_losses(&project, target);
        assert!(target == "anthropic" || !losses.is_empty(), "{target}");
        for pointer in losses {
            assert!(shown.err.contains(&pointer), "{target} {pointer}: {}", shown.err);
            assert!(whole.out.contains(&format!("#/parameters{pointer}")), "{target} {pointer}");
        }
    }
    let shown = run(project.path(), &["show", "tool", "far.lossy"]);
    assert!(shown.out.contains("the MCP server `far`"), "{shown:?}");
}

#[test]
fn an_address_where_nothing_is_says_so_plainly() {
    let project = Project::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = format!("http://{free}/mcp");
    let config = format!("[mcp.far]\nurl = '{address}?key=hush'\nauth = 'oauth'\n");
    project.write("ghosthand.toml", &config);
    for command in ["inspect", "import", "login"] {
        let failed = run(project.path(), &["mcp", command, "far"]);
        assert_eq!(failed.code, 1, "{command}: {}", failed.err);
        let said = &failed.err;
        assert!(said.contains(&format!("`{address}` cannot be reached: ")), "{command}: {said}");
        assert!(said.contains("connection refused"), "{command}: {said}");
        assert!(said.contains("check that the server is running"), "{command}: {said}");
        assert!(!said.contains("::") && !said.contains("hush"), "{command}: {said}");
    }
}
