//! Which store is chosen, and that no password is ever shown.

use std::path::Path;

use super::{StoreAddress, check_setting};
use crate::config::Config;

fn chosen(flag: Option<&str>, variables: &[(&str, &str)]) -> String {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let dir = tempfile::tempdir().unwrap();
    let user = dir.path().join("user.toml");
    let settings = "[store]\nurl = \"postgres://ana@db.test/pad\"\npassword_env = \"DB_WORD\"\n";
    std::fs::write(&user, settings).unwrap();
    let user = variables.iter().any(|(name, _)| *name == "USER_FILE").then_some(user.as_path());
    let none = |_: &str| None;
    let project = dir.path().join("ghosthand.toml");
    let config = Config::layered(user, &project, &none, Default::default()).unwrap();
    match StoreAddress::chosen(flag.map(Path::new), &config, &variable) {
        Ok(StoreAddress::File(path)) => path.display().to_string(),
        Ok(StoreAddress::Postgres(address)) => {
            format!("{address:?} {}", if address.has_password() { "with" } else { "without" })
        }
        Err(failure) => format!("{failure:?}"),
    }
}

#[test]
fn the_flag_comes_before_the_variable_and_the_settings() {
    let check = |flag: Option<&str>, variables: &[(&str, &str)], expected: &str| {
        assert_eq!(chosen(flag, variables), expected, "{flag:?} {variables:?}");
    };
    let secret = ("GHOSTHAND_STORE", "postgres://ana:s3cr3t@db.test/pad");
    let at = "PostgresConfig(postgres://db.test:5432/pad)";
    check(None, &[], ".ghosthand/store.db");
    check(Some("a.db"), &[secret], "a.db");
    check(None, &[("GHOSTHAND_STORE", "b.db")], "b.db");
    check(None, &[secret], &format!("{at} with"));
    check(Some("postgres://ana@db.test/pad"), &[], &format!("{at} without"));
    check(Some("postgres://ana@db.test/pad"), &[("PGPASSWORD", "x")], &format!("{at} with"));
    check(None, &[("USER_FILE", ""), ("DB_WORD", "x")], &format!("{at} with"));
}

#[test]
fn a_password_on_the_command_line_or_in_a_setting_is_refused_and_never_shown() {
    for address in [
        "postgres://ana:s3cr3t@db.test/pad",
        "postgres://ana@db.test/pad?password=s3cr3t",
        "postgres://ana:s3cr3t@db.test:nonsense/pad",
    ] {
        let told = chosen(Some(address), &[]);
        assert!(!told.contains("s3cr3t") && !told.starts_with("PostgresConfig"), "{told}");
        let fix = check_setting(address).unwrap_err();
        assert!(!fix.contains("s3cr3t"), "{fix}");
        let told = chosen(None, &[("GHOSTHAND_STORE", address)]);
        assert!(!told.contains("s3cr3t"), "{told}");
    }
    let told = chosen(None, &[("USER_FILE", "")]);
    assert!(told.contains("DB_WORD"), "{told}");
}
