//! From settings to servers.

use std::path::Path;

use mcp::client::{Effect, Endpoint};

use super::fill;
use crate::config::{Config, DotEnv};

fn config(text: &str) -> Result<Config, crate::exit::Failure> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ghosthand.toml");
    std::fs::write(&path, text).unwrap();
    Config::layered(None, &path, &|_| None, DotEnv::default())
}

#[test]
fn variables_are_filled_in_and_a_missing_one_is_named() {
    let variable = |name: &str| (name == "TOKEN").then(|| "t1".to_owned());
    assert_eq!(fill("Bearer $TOKEN", &variable).unwrap(), "Bearer t1");
    assert_eq!(fill("a${TOKEN}b", &variable).unwrap(), "at1b");
    assert_eq!(fill("plain", &variable).unwrap(), "plain");
    assert_eq!(fill("$OTHER", &variable).unwrap_err(), "$OTHER is not set");
}

#[test]
fn a_program_is_found_with_its_fence_and_effects() {
    let text = "[mcp.fs]\ncommand = 'srv'\nargs = ['-x']\nwrite = ['data']\n\
                tools = ['read_*']\neffects = { 'read_*' = 'reads' }\nidle_ms = 5\n";
    let config = config(text).unwrap();
    let server = config.mcp_servers["fs"].resolve("fs", Path::new("/p"), &|_| None).unwrap();
    assert_eq!(server.effect_of("read_file"), Some(Effect::Reads));
    assert!(server.tools.allows("read_file") && !server.tools.allows("write_file"));
    assert_eq!(server.limits.idle.as_millis(), 5);
    let Endpoint::Program(program) = server.endpoint else { panic!("it is a program") };
    assert_eq!(program.write, [Path::new("/p/data")]);
    assert_eq!(program.dir, Path::new("/p"));
    assert!(!program.network);
}

#[test]
fn what_is_wrong_names_the_section_and_its_line() {
    let check = |text: &str, expected: &str| {
        let fault = match config(text) {
            Err(fault) => fault,
            Ok(config) => {
                let (name, server) = config.mcp_servers.iter().next().unwrap();
                server.resolve(name, Path::new("/p"), &|_| None).map(|_| ()).unwrap_err()
            }
        };
        let message = format!("{fault:?}");
        assert!(message.contains(expected), "{message}");
    };
    check("[mcp.a]\ncomand = 'x'\n", "[mcp.a]: unknown field `comand`");
    check("[mcp.a]\n", "neither `command` nor `url`");
    check("[mcp.a]\ncommand = 'x'\nurl = 'y'\n", "both `command` and `url`");
    check("[mcp.A]\ncommand = 'x'\n", "not a valid server name");
    check("[mcp.a]\nurl = 'x'\nheaders = { A = '$NO' }\n", "$NO is not set");
    let far = "[mcp.a]\nurl = 'https://x.example'\n";
    check(&format!("{far}scopes = ['a']\n"), "but no `auth`");
    check(&format!("{far}auth = 'token'\n"), "unknown variant `token`");
    check(&format!("{far}auth = 'oauth'\nclient_secret_env = 'NO'\n"), "$NO is not set");
    check(&format!("{far}auth = 'client_credentials'\n"), "needs `client_id`");
    let both = "auth = 'oauth'\nheaders = { authorization = 'x' }\n";
    check(&format!("{far}{both}"), "both `auth` and a header");
    check("[mcp.a]\nurl = 'http://x.example'\nauth = 'oauth'\n", "unencrypted");
}
