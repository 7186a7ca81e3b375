//! Servers that want a login: what a person does, what processes share, what is never shown.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use super::support::client::{Client, Era, text};
use super::support::fixtures::Project;
use super::support::oauth_server::{CANARY, FarLogin, follow};
use crate::support::program::{Run, command, run_with};

/// A project whose server `far` wants a login, with everything said so far.
struct Person {
    project: Project,
    far: FarLogin,
}

impl Person {
    fn new(settings: &str) -> Self {
        let (project, far) = (Project::new(), FarLogin::start());
        let config = format!("[mcp.far]\nurl = '{}/mcp'\n{settings}\n", far.base);
        project.write("ghosthand.toml", &config);
        Self { project, far }
    }

    /// One who has logged in and approved the tools.
    fn inside(settings: &str) -> Self {
        let person = Self::new(settings);
        person.log_in();
        person.import();
        person
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.project.path());
        command.env("XDG_CONFIG_HOME", self.project.path().join("config"));
        command.env("GHOSTHAND_LOG", "debug").env("FAR_SECRET", format!("cs-{CANARY}"));
        command.args(args);
        command
    }

    /// Runs the program, in detail; no token is ever said.
    #[track_caller]
    fn run(&self, args: &[&str]) -> Run {
        let run = run_with(&mut self.command(args));
        assert!(!format!("{run:?}").contains(CANARY), "{args:?}: {run:?}");
        run
    }

    #[track_caller]
    fn good(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}{}", run.out, run.err);
        run.out
    }

    /// Approves all tools, and believes that `echo` only reads.
    #[track_caller]
    fn import(&self) {
        self.good(&["mcp", "import", "far", "--yes"]);
        self.good(&["mcp", "trust", "far", "echo", "--yes"]);
    }

    fn call(&self) -> Run {
        self.run(&["call", "far.echo", r#"{"text":"hello"}"#])
    }

    /// Logs in as somebody without a browser here does; gives what was said at the end.
    #[track_caller]
    fn try_log_in(&self) -> (bool, String) {
        let mut command = self.command(&["mcp", "login", "far", "--no-browser"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut link = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut link).unwrap();
        if link.starts_with("http") {
            assert_eq!(follow(link.trim()), 200);
        }
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!said.contains(CANARY), "{said}");
        (ended.status.success(), said)
    }

    #[track_caller]
    fn log_in(&self) {
        let (good, said) = self.try_log_in();
        assert!(good, "{said}");
    }

    fn files(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.project.path().join("config/ghosthand/logins"));
        folder.unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn a_person_logs_in_uses_the_server_and_logs_out() {
    let person = Person::new("auth = 'oauth'");
    let listed = person.run(&["mcp", "list"]);
    assert!(listed.err.contains("needs login: run `ghosthand mcp login far`"), "{}", listed.err);
    let stranger = person.run(&["mcp", "import", "far", "--yes"]);
    assert_eq!(stranger.code, 1);
    assert!(stranger.err.contains("run `ghosthand mcp login far`"), "{}", stranger.err);
    person.log_in();
    assert_eq!(person.far.far().asked_scopes, ["read"]);
    person.import();
    assert_eq!(person.good(&["call", "far.echo", r#"{"text":"hello"}"#]).trim(), r#""hello""#);
    assert!(!person.run(&["mcp", "list"]).err.contains("needs login"));
    person.good(&["config"]);
    for file in person.files() {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{file:?}");
    }
    person.good(&["mcp", "logout", "far"]);
    assert!(person.run(&["mcp", "list"]).err.contains("needs login"));
    let out = person.call();
    assert!(out.out.contains("ghosthand mcp login far"), "{}", out.out);
}

#[test]
fn processes_that_renew_the_token_at_once_lose_none() {
    let person = Person::new("auth = 'oauth'");
    // Too short to be used again: each request renews it, and an old one ends everything.
    person.far.far().lasts = 5;
    person.log_in();
    person.import();
    let start = |_| {
        let mut command = person.command(&["call", "far.echo", r#"{"text":"hello"}"#]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..5).map(start).collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{said}");
    }
    assert!(person.far.far().refreshed > 5);
    assert_eq!(person.call().code, 0);
}

#[test]
fn a_token_that_is_refused_is_renewed_once_and_then_a_login_is_asked_for() {
    let person = Person::inside("auth = 'oauth'");
    person.far.revoke_access();
    assert_eq!(person.call().code, 0);
    assert_eq!(person.far.far().refreshed, 1);
    person.far.revoke_access();
    person.far.revoke_refresh();
    let refused = person.call();
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("run `ghosthand mcp login far`"), "{}", refused.out);
    assert_eq!(person.far.far().refreshed, 2);
    assert!(person.run(&["mcp", "list"]).err.contains("needs login"));
    person.log_in();
    assert_eq!(person.call().code, 0);
}

#[test]
fn what_a_server_wants_more_is_asked_for_at_the_next_login() {
    let person = Person::inside("auth = 'oauth'");
    person.far.far().call_scope = Some("write");
    let refused = person.call();
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("it requires `write`"), "{}", refused.out);
    assert!(refused.out.contains("run `ghosthand mcp login far`"), "{}", refused.out);
    person.log_in();
    assert_eq!(person.far.far().asked_scopes, ["read", "read write"]);
    assert_eq!(person.call().code, 0);
}

#[test]
fn a_running_program_renews_its_token_and_takes_up_a_new_login() {
    let person = Person::inside("auth = 'oauth'");
    let mut command = person.command(&["mcp"]);
    command.env_remove("GHOSTHAND_LOG");
    let mut program = Client::of(command, Era::Old, json!({}));
    let mut echo = || {
        let result = program.call("far_echo", json!({ "text": "hello" }));
        text(&result).to_owned()
    };
    assert_eq!(echo(), "hello");
    person.far.revoke_access();
    assert_eq!(echo(), "hello", "a refused token is renewed");
    person.far.revoke_access();
    person.far.revoke_refresh();
    assert!(echo().contains("run `ghosthand mcp login far`"));
    person.log_in();
    assert_eq!(echo(), "hello");
    program.close();
}

#[test]
fn a_token_does_not_follow_a_server_to_another_place() {
    let person = Person::inside("auth = 'oauth'");
    let elsewhere = FarLogin::start();
    person.far.far().moved_to = Some(format!("{}/mcp", elsewhere.base));
    assert_eq!(person.call().code, 1);
    assert_eq!(elsewhere.far().bearers, [""; 0], "nothing came there");
}

#[test]
fn no_token_is_got_or_renewed_where_others_can_read_it() {
    let person = Person::new("auth = 'oauth'");
    let open = "http://tokens.example/token";
    person.far.far().token_endpoint = Some(open);
    let (good, said) = person.try_log_in();
    assert!(!good && said.contains("`http://tokens.example/token` does not use https"), "{said}");
    person.far.far().token_endpoint = None;
    person.log_in();
    person.import();
    person.far.far().token_endpoint = Some(open);
    assert!(person.call().out.contains("does not use https"));
}

#[test]
fn a_login_is_for_one_address() {
    let person = Person::inside("auth = 'oauth'");
    let other = FarLogin::start();
    let config = format!("[mcp.far]\nurl = '{}/mcp'\nauth = 'oauth'\n", other.base);
    person.project.write("ghosthand.toml", &config);
    assert!(person.call().out.contains("ghosthand mcp login far"));
    assert!(other.far().bearers.iter().all(String::is_empty));
}

#[test]
fn a_program_of_its_own_gets_tokens_without_a_person() {
    let settings = "auth = 'client_credentials'\nclient_id = 'robot'\n\
                    client_secret_env = 'FAR_SECRET'\nscopes = ['read']";
    let person = Person::new(settings);
    person.import();
    assert_eq!(person.call().code, 0);
    assert_eq!(person.far.far().grants, ["client_credentials"], "one token for both");
    person.far.revoke_access();
    assert_eq!(person.call().code, 0);
    assert!(!person.run(&["mcp", "list"]).err.contains("needs login"));
    person.far.far().call_scope = Some("write");
    assert!(person.call().out.contains("it requires `write`"));
    person.good(&["mcp", "login", "far"]);
    assert_eq!(person.call().code, 0);
    person.far.revoke_access();
    assert_eq!(person.call().code, 0, "what it wanted more is not forgotten");
}

#[test]
fn a_login_outlives_a_server_that_hung_up_meanwhile() {
    let person = Person::new("auth = 'oauth'");
    person.far.far().hang_ups = 1;
    person.log_in();
    assert_eq!(person.far.far().grants, ["authorization_code"]);
}

#[test]
fn a_refused_login_says_why() {
    let person = Person::new("auth = 'oauth'");
    person.far.far().refuses = true;
    let (good, said) = person.try_log_in();
    assert!(!good && said.contains("access_denied: not today"), "{said}");
    assert!(person.run(&["mcp", "list"]).err.contains("needs login"));
}

#[test]
fn a_server_that_wants_a_login_says_so_where_none_is_configured() {
    let person = Person::new("");
    let refused = person.run(&["mcp", "import", "far", "--yes"]);
    assert!(refused.err.contains("write `auth = \"oauth\"` into [mcp.far]"), "{}", refused.err);
    let (good, said) = person.try_log_in();
    assert!(!good && said.contains("no `auth = \"oauth\"`"), "{said}");
}

#[test]
fn a_server_that_does_not_say_how_one_logs_in_is_logged_in_to_all_the_same() {
    let person = Person::new("auth = 'oauth'");
    person.far.far().curt = true;
    let refused = person.run(&["mcp", "import", "far", "--yes"]);
    assert!(refused.err.contains("run `ghosthand mcp login far`"), "{}", refused.err);
    person.log_in();
    person.import();
    person.far.revoke_access();
    assert_eq!(person.call().code, 0);
    assert_eq!(person.far.far().refreshed, 1);
    person.far.revoke_access();
    person.far.revoke_refresh();
    assert!(person.call().out.contains("run `ghosthand mcp login far`"));
    assert_eq!(person.far.far().refreshed, 2);
}

#[test]
fn a_server_that_registers_nobody_wants_a_client_that_it_knows() {
    let person = Person::new("auth = 'oauth'");
    person.far.far().registers_none = true;
    let (good, said) = person.try_log_in();
    assert!(!good && said.contains("set its `client_id`"), "{said}");
    let config = format!(
        "[mcp.far]\nurl = '{}/mcp'\nauth = 'oauth'\nclient_id = 'known'\n\
         client_secret_env = 'FAR_SECRET'\n",
        person.far.base
    );
    person.project.write("ghosthand.toml", &config);
    person.log_in();
    person.import();
    person.far.revoke_access();
    assert_eq!(person.call().code, 0, "its secret is shown when a token is renewed");
}

#[test]
fn a_login_that_does_not_say_it_checks_who_asked_is_refused() {
    let person = Person::new("auth = 'oauth'");
    for pkce in [json!(null), json!([]), json!(["plain"])] {
        person.far.far().pkce = Some(pkce.clone());
        let (good, said) = person.try_log_in();
        assert!(!good && said.contains("PKCE"), "{pkce}: {said}");
        assert!(said.contains("code_challenge_methods_supported"), "{pkce}: {said}");
    }
    assert!(person.far.far().asked_scopes.is_empty(), "nobody was sent there");
    person.far.far().pkce = Some(json!(["plain", "S256"]));
    person.log_in();
}
