//! The environment variables that are not settings, and a warning about misspelt ones.

use contract::nearest;

use super::settings::SETTINGS;

/// The names and what they are for; docs/reference/settings.md has the same table.
pub(super) const VARIABLES: [(&str, &str); 20] = [
    ("GHOSTHAND_LOG", "The level of logs on standard error: off, error, warn, info or debug"),
    ("GHOSTHAND_STORE", "The store of every command: a file, or postgres://… with its password"),
    (
        "GHOSTHAND_SEALING_KEY",
        "32 bytes in base64 that seal keys and logins in the store; the same for all its servers",
    ),
    ("PGPASSWORD", "The password of a store in PostgreSQL whose address has none"),
    ("ANTHROPIC_API_KEY", "The key of the provider `anthropic`"),
    ("OPENAI_API_KEY", "The key of the provider `openai`"),
    ("GEMINI_API_KEY", "The key of the provider `gemini`"),
    ("NOTION_TOKEN", "The token of Ghostpen's Notion tools"),
    ("NOTION_DATABASE_ID", "The Notion database that Ghostpen writes to"),
    ("TAVILY_API_KEY", "The key of Ghostpen's web search"),
    ("ANKICONNECT_API_KEY", "The key of AnkiConnect, if it has one"),
    (super::TELEMETRY_HEADERS, "Headers for the OpenTelemetry collector, as NAME=VALUE,NAME=VALUE"),
    ("SOURCE_DATE_EPOCH", "The time that `ghosthand build` records, in seconds since 1970"),
    ("NO_COLOR", "Any value switches colours off"),
    ("HOME", "The home folder: never a project, and the place of `.config` and `.cache`"),
    ("XDG_CONFIG_HOME", "The folder with `ghosthand/config.toml`, instead of `~/.config`"),
    ("XDG_RUNTIME_DIR", "Where Python tools get their private folders"),
    ("XDG_CACHE_HOME", "The same where that one is not set, instead of `~/.cache`"),
    ("LC_ALL, LC_MESSAGES, LANG", "The language of Ghostpen, if `pen.lang` is not set"),
    ("VISUAL, EDITOR", "The editor for drafts of Ghostpen"),
];

const PREFIX: &str = "GHOSTHAND_";
/// Variables of our own tests; programs that a test starts inherit them.
const OF_TESTS: [&str; 3] = ["GHOSTHAND_TEST_", "GHOSTHAND_GOLDENS", "GHOSTHAND_REPOSITORY"];

/// Warns about variables that look like settings and are none.
pub(crate) fn warn_about_unknown() {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for warning in names.filter_map(|name| unknown(&name)) {
        tracing::warn!("{warning}");
    }
}

/// The warning about a variable, if it has our prefix and is not known.
fn unknown(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let own = VARIABLES.iter().map(|(name, _)| (*name).to_owned());
    let known: Vec<_> = SETTINGS.iter().map(super::Setting::variable).chain(own).collect();
    let known: Vec<_> = known.iter().filter_map(|known| known.strip_prefix(PREFIX)).collect();
    if known.contains(&rest) || OF_TESTS.iter().any(|own| name.starts_with(own)) {
        return None;
    }
    let fix = match nearest(rest, known) {
        Some(near) => format!("did you mean `{PREFIX}{near}`?"),
        None => "`ghosthand config` lists the settings".to_owned(),
    };
    Some(format!("the variable `{name}` is not known and has no effect; {fix}"))
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn a_variable_that_looks_like_a_setting_and_is_none_is_named_with_the_nearest() {
        let check = |name: &str, fix: Option<&str>| {
            let warning = unknown(name);
            let expected = fix
                .map(|fix| format!("the variable `{name}` is not known and has no effect; {fix}"));
            assert_eq!(warning, expected, "{name}");
        };
        check("GHOSTHAND_MODELS", Some("did you mean `GHOSTHAND_MODEL`?"));
        check("GHOSTHAND_CHAT_ROUND", Some("did you mean `GHOSTHAND_CHAT_ROUNDS`?"));
        check("GHOSTHAND_LOGS", Some("did you mean `GHOSTHAND_LOG`?"));
        check("GHOSTHAND_NOTHING_LIKE_IT", Some("`ghosthand config` lists the settings"));
        for known in ["GHOSTHAND_MODEL", "GHOSTHAND_LOG", "GHOSTHAND_TEST_OLD", "GHOST", "MODELS"] {
            check(known, None);
        }
    }
}
