//! `ghosthand mcp install`, and what tools cost.

use serde_json::{Value, json};

use super::support::fixtures::Project;
use crate::support::program::{Run, command, run, run_with};

fn install(project: &Project, args: &[&str]) -> Run {
    let mut command = command(project.path());
    run_with(command.args(["mcp", "install"]).args(args).env("HOME", project.path().join("home")))
}

#[test]
fn a_host_is_told_how_to_start_us_and_its_other_settings_stay() {
    let project = Project::usual();
    let said = install(&project, &["claude-desktop"]);
    let snippet: Value = serde_json::from_str(&said.out).unwrap();
    let server = &snippet["mcpServers"]["ghosthand"];
    assert!(server["command"].as_str().unwrap().ends_with("ghosthand"), "{server}");
    assert_eq!(server["args"][0], "mcp");
    assert!(said.err.contains("claude_desktop_config.json"), "{}", said.err);
    let old = r#"{"mcpServers": {"other": {"command": "x"}}, "theme": "dark"}"#;
    let file = project.write("home/.cursor/mcp.json", old);
    let written = install(&project, &["cursor", "--write", "--name", "mine", "--facade"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let now: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(now["theme"], "dark");
    assert_eq!(now["mcpServers"]["other"], json!({ "command": "x" }));
    assert_eq!(now["mcpServers"]["mine"]["args"][3], "--facade");
    std::fs::write(&file, "{ // with a comment\n}").unwrap();
    let refused = install(&project, &["cursor", "--write"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("by hand"), "{}", refused.err);
    let vscode = install(&project, &["vscode", "--write"]);
    assert_eq!(vscode.code, 0, "{}", vscode.err);
    assert!(project.path().join(".vscode/mcp.json").exists());
    for host in ["claude-code", "codex", "goose", "windsurf", "open-webui"] {
        let said = install(&project, &[host]);
        assert_eq!((said.code, said.out.is_empty()), (0, false), "{host}: {}", said.err);
    }
}

/// Whoever says `--write` finds it written, or is told that it is not.
#[test]
fn a_file_that_is_no_json_is_written_too_and_nothing_is_left_undone_silently() {
    let project = Project::usual();
    let file = project.write("home/.codex/config.toml", "model = \"o3\"");
    let written = install(&project, &["codex", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let now = std::fs::read_to_string(&file).unwrap();
    assert!(now.starts_with("model = \"o3\"\n\n[mcp_servers.ghosthand]\ncommand = "), "{now}");
    let again = install(&project, &["codex", "--write"]);
    assert_eq!(again.code, 1, "{}", again.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), now);
    for host in ["goose", "claude-code", "open-webui"] {
        let refused = install(&project, &[host, "--write"]);
        assert_eq!((refused.code, refused.out.is_empty()), (2, false), "{host}");
        assert!(refused.err.contains("fix: omit `--write`"), "{host}: {}", refused.err);
    }
}

#[test]
fn what_tools_cost_is_shown_dearest_first() {
    let project = Project::usual();
    let shown = run(project.path(), &["show", "cost", "--json"]);
    let costs: Value = serde_json::from_str(&shown.out).unwrap();
    let tokens: Vec<_> =
        costs.as_array().unwrap().iter().map(|cost| cost["tokens"].as_u64().unwrap()).collect();
    assert_eq!(tokens.len(), 7);
    assert!(tokens.is_sorted_by(|a, b| a >= b) && tokens.iter().all(|n| *n > 10), "{tokens:?}");
}
