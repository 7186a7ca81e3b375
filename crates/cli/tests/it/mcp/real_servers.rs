//! Servers that others wrote, with their schemas as they are: all of their tools are taken.

use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::packages;

use super::support::fixtures::Project;
use crate::support::program::run;

/// Where a package of npm has its program.
fn module(path: &str) -> PathBuf {
    packages::node_module("mcp-servers", path)
}

/// Keys that the servers want to see before they start; none reaches a network.
const KEYS: &str = "env = { GITHUB_PERSONAL_ACCESS_TOKEN = 'x', GITLAB_PERSONAL_ACCESS_TOKEN = 'x', \
    SLACK_BOT_TOKEN = 'x', SLACK_TEAM_ID = 'x', BRAVE_API_KEY = 'x', GOOGLE_MAPS_API_KEY = 'x', \
    NOTION_TOKEN = 'ntn_x' }";

/// A project with all of them.
fn project() -> (Project, Vec<(&'static str, usize)>) {
    let project = Project::new();
    let own = |name: &str| module(&format!("@modelcontextprotocol/server-{name}/dist/index.js"));
    let node = packages::node();
    let servers = [
        ("thinking", own("sequential-thinking"), 1),
        ("github", own("github"), 26),
        ("gitlab", own("gitlab"), 9),
        ("slack", own("slack"), 8),
        ("brave", own("brave-search"), 2),
        ("maps", own("google-maps"), 7),
        ("notion", module("@notionhq/notion-mcp-server/bin/cli.mjs"), 24),
        ("context7", module("@upstash/context7-mcp/dist/index.js"), 2),
    ];
    let section = |name: &str, program: &PathBuf| {
        format!("[mcp.{name}]\ncommand = {node:?}\nargs = [{program:?}]\n{KEYS}\n")
    };
    let mut config: String = servers.iter().map(|(name, at, _)| section(name, at)).collect();
    let python = packages::python("mcp-fetch");
    config += &format!("[mcp.fetch]\ncommand = {python:?}\nargs = ['-m', 'mcp_server_fetch']\n");
    project.write("ghosthand.toml", &config);
    project.write("tools/.keep", "");
    let counts = servers.into_iter().map(|(name, _, tools)| (name, tools));
    (project, counts.chain([("fetch", 1)]).collect())
}

#[test]
fn every_tool_of_nine_servers_is_taken() {
    let (project, servers) = project();
    for (server, _) in &servers {
        let run = run(project.path(), &["mcp", "import", server, "--yes"]);
        assert_eq!(run.code, 0, "{server}: {}{}", run.out, run.err);
        assert!(!run.err.contains("left out"), "{server}: {}", run.err);
    }
    let listed = run(project.path(), &["mcp", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    let found = |name: &str| {
        let server = listed.as_array().unwrap().iter().find(|one| one["server"] == name);
        server.map_or(0, |server| server["tools"].as_array().unwrap().len())
    };
    let counts: Vec<_> = servers.iter().map(|(name, _)| (*name, found(name))).collect();
    assert_eq!(counts, servers);
    // Its own ids have no dashes, whatever its schema says of them.
    let page = json!({ "page_id": "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d" }).to_string();
    let called = run(project.path(), &["call", "notion.api_retrieve_a_page", &page, "--yes"]);
    assert!(!called.out.contains("VALIDATION"), "{}{}", called.out, called.err);
    assert!(called.out.contains("ok") || called.err.contains("notion."), "{called:?}");
}
