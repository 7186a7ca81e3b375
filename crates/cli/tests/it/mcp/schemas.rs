//! The schemas of other servers: of any draft, with slips, with formats nobody holds to.

use std::path::Path;

use serde_json::{Value, json};

use super::client::{Client, Era};
use super::fixtures::Project;
use crate::program::{Run, run};

/// A project with one server `far` whose tools are as `mode` says, approved.
fn approved(mode: &str, more: &str) -> (Project, Run) {
    let project = Project::new();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/far_server.py");
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
        assert!(said.contains("check that the server runs"), "{command}: {said}");
        assert!(!said.contains("::") && !said.contains("hush"), "{command}: {said}");
    }
}
