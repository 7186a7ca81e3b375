//! Layers, sources, and the messages for invalid values.

use std::path::Path;

use super::{Config, DotEnv};
use crate::exit::Failure;

fn load(files: &[&str], variables: &[(&str, &str)]) -> Result<Config, String> {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<_> = (0..2).map(|n| dir.path().join(format!("{n}.toml"))).collect();
    for (path, text) in paths.iter().zip(files) {
        std::fs::write(path, text).unwrap();
    }
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let shown = |failure: Failure| {
        failure.to_string().replace(&dir.path().display().to_string(), "").replace('/', "")
    };
    if let Some(text) = files.get(2) {
        std::fs::write(dir.path().join(".env"), text).unwrap();
    }
    let dot_env = DotEnv::read(&dir.path().join(".env"));
    Config::layered(Some(&paths[0]), &paths[1], &variable, dot_env).map_err(shown)
}

#[test]
fn later_layers_win_and_say_where_they_are_from() {
    let user = "model = \"anthropic:a\"\n[chat]\nrounds = 3\n";
    let project = "[chat]\nrounds = 4\n";
    let mut config = load(&[user, project], &[("GHOSTHAND_CHAT_ROUNDS", "5")]).unwrap();
    let of = |config: &Config, name: &str| {
        let found = config.all().find(|(setting, _)| setting.name == name).unwrap().1.unwrap();
        (found.value.clone(), found.source.to_string())
    };
    assert_eq!(of(&config, "chat.rounds"), ("5".into(), "$GHOSTHAND_CHAT_ROUNDS".into()));
    assert_eq!(of(&config, "tools.dir"), ("tools".into(), "built in".into()));
    assert!(of(&config, "model").1.ends_with("0.toml:1"));
    config.flag("model", "--model", Some("openai:b".into()));
    assert_eq!(of(&config, "model"), ("openai:b".into(), "--model".into()));
}

#[test]
fn a_wrong_value_names_its_place_and_its_fix() {
    let check = |project: &str, expected: &str| {
        assert_eq!(load(&["", project], &[]).unwrap_err(), expected, "{project}");
    };
    check(
        "[chat]\nround = 3",
        "1.toml:2: there is no setting `chat.round`; did you mean `chat.rounds`?",
    );
    check(
        "[chat]\nrounds = 0",
        "1.toml:2: `chat.rounds` is `0`, which is not valid; give a whole number from 1 to 100",
    );
    check(
        "model = \"x\"",
        "1.toml:1: there is no provider `x`; known providers: anthropic, openai, gemini, \
         rehearsal; add another with `[providers.x]` and `base_url = \
         \"http:127.0.0.1:8080v1\"` in ghosthand.toml",
    );
    for nameless in ["openai", "openai:", "openai: "] {
        check(
            &format!("model = \"{nameless}\""),
            &format!(
                "1.toml:1: `{nameless}` names no model of `openai`; write it as openai:NAME; \
                 `ghosthand models openai` lists the names"
            ),
        );
    }
    check(
        "[providers.here]\nkey = \"sk-1\"",
        "1.toml:2: a provider has no `key`; keys do not belong in this file; name its variable \
         with `key_env`, or a file that only you can read with `key_file`",
    );
    check(
        "[providers.here]\nwire = \"chat\"",
        "1.toml:1: `providers.here` has no `base_url`; as in `base_url = \
         \"http:127.0.0.1:8080v1\"`",
    );
    for known in ["anthropic", "rehearsal", "openai:gpt-5", "here:any"] {
        let text = format!("model = \"{known}\"\n[providers.here]\nbase_url = \"http://h/v1\"");
        assert_eq!(load(&["", &text], &[]).unwrap().get("model"), Some(known));
    }
    let wrong = load(&[], &[("GHOSTHAND_MODEL", "antropic:x")]).unwrap_err();
    assert!(wrong.starts_with("$GHOSTHAND_MODEL: there is no provider `antropic`"), "{wrong}");
    let wrong = load(&[], &[("GHOSTHAND_CHAT_ROUNDS", "many")]).unwrap_err();
    assert_eq!(
        wrong,
        "$GHOSTHAND_CHAT_ROUNDS is `many`, which is not valid; give a whole number from 1 to 100"
    );
}

/// Somebody else may have written the file of a project.
#[test]
fn a_project_cannot_weaken_the_sandbox_or_send_a_key_elsewhere() {
    let key = [("OPENAI_API_KEY", "sk-1")];
    let elsewhere = "[providers.openai]\nbase_url = \"https://h.test/v1\"\n";
    let named = "[providers.h]\nbase_url = \"https://h.test/v1\"\nkey_env = \"OPENAI_API_KEY\"\n";
    let cases = [
        ("[python]\nsandbox = \"off\"\n", "1.toml:2: `python.sandbox` weakens the sandbox"),
        ("[sandbox]\naccept = [\"files\"]\n", "1.toml:2: `sandbox.accept` weakens the sandbox"),
        (
            "[mcp.x]\ncommand = \"x\"\nsandbox = \"off\"\n",
            "1.toml:1: `mcp.x` runs a program outside the sandbox",
        ),
        (
            "[serve]\nmcp_commands = \"sandbox\"\n",
            "1.toml:2: `serve.mcp_commands` lets the page start programs",
        ),
        (elsewhere, "1.toml:1: `providers.openai` sends $OPENAI_API_KEY to https:h.testv1"),
        (named, "1.toml:1: `providers.h` sends $OPENAI_API_KEY to https:h.testv1"),
    ];
    for (text, expected) in cases {
        let refused = load(&["", text], &key).unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
        assert!(refused.contains("which a project must not choose; move "), "{refused}");
        assert!(!refused.contains("sk-1"), "{refused}");
        load(&[text, ""], &key).unwrap();
    }
    // The project's own key, a name of its own, this machine.
    load(&["", elsewhere, "OPENAI_API_KEY=sk-2\n"], &[]).unwrap();
    load(&["", &named.replace("OPENAI_API", "CORP"), ""], &[("CORP_KEY", "sk-1")]).unwrap();
    load(&["", &elsewhere.replace("https://h.test", "http://127.0.0.1:1")], &key).unwrap();
    load(&["", "[python]\nsandbox = \"required\"\n"], &key).unwrap();
}

#[test]
fn keys_come_from_the_environment_or_a_file_that_is_the_owners_alone() {
    let config = load(&[], &[("ANTHROPIC_API_KEY", "sk-canary")]).unwrap();
    let anthropic = config.providers.iter().find(|one| one.provider.name == "anthropic").unwrap();
    assert!(has_given_key(anthropic));
    assert!(!format!("{config:?}").contains("sk-canary"), "a key is never printed");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key");
    std::fs::write(&file, "sk-file\n").unwrap();
    let text = format!(
        "[providers.mine]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_file = {:?}\n",
        file.display().to_string()
    );
    set_mode(&file, 0o644);
    let open = load(&["", &text], &[]).unwrap_err();
    assert!(open.contains("others can read") && open.contains("chmod 600"), "{open}");
    set_mode(&file, 0o600);
    assert!(load(&["", &text], &[]).unwrap().providers.iter().any(has_given_key));
}

fn has_given_key(one: &super::Configured) -> bool {
    matches!(one.provider.key, models::Key::Given(_))
}

fn set_mode(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn keys_come_from_dot_env_and_settings_do_not() {
    let key = |config: &Config, name: &str| {
        let found = config.providers.iter().find(|one| one.provider.name == name).unwrap();
        match &found.provider.key {
            models::Key::Given(key) => Some(key.expose().to_owned()),
            models::Key::Missing | models::Key::NotNeeded => None,
        }
    };
    let dot_env = "OPENAI_API_KEY=from-file\nGEMINI_API_KEY=from-file\nGHOSTHAND_MODEL=x\n";
    let config = load(&["", "", dot_env], &[("GEMINI_API_KEY", "from-environment")]).unwrap();
    assert_eq!(key(&config, "openai").as_deref(), Some("from-file"));
    assert_eq!(key(&config, "gemini").as_deref(), Some("from-environment"));
    assert_eq!(config.get("model"), load(&[], &[]).unwrap().get("model"));
    assert!(!format!("{config:?}").contains("from-file"), "a key is never printed");
}
