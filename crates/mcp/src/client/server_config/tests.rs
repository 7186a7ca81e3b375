//! Server names and declared effects.

use super::{
    AskWhen, Effect, ElicitationPolicy, Endpoint, Formats, Limits, ServerConfig, ServerName,
};
use engine::ToolFilter;

pub(in crate::client) fn config(effects: &[(&str, Effect)]) -> ServerConfig {
    let headers = [("Authorization".to_owned(), "Bearer hush".to_owned())].into();
    ServerConfig {
        name: "far".parse().unwrap(),
        endpoint: Endpoint::Http {
            url: "https://far.example/mcp".to_owned(),
            headers,
            oauth: None,
            guard: None,
        },
        tools: ToolFilter::All,
        effects: effects.iter().map(|(tool, effect)| ((*tool).to_owned(), *effect)).collect(),
        ask_when: AskWhen::ByHints,
        elicitation: ElicitationPolicy::Decline,
        formats: Formats::Noted,
        limits: Limits::usual(),
    }
}

#[test]
fn a_server_name_must_be_a_valid_id_prefix() {
    for good in ["fs", "a1", "my_server", "abcdefghijklmnopqrst"] {
        assert!(good.parse::<ServerName>().is_ok(), "{good}");
    }
    for bad in ["", "1a", "Fs", "my-server", "a.b", "abcdefghijklmnopqrstu", "ä"] {
        assert!(bad.parse::<ServerName>().is_err(), "{bad}");
    }
}

#[test]
fn an_exact_name_wins_then_the_longest_prefix() {
    let effects =
        [("read_*", Effect::Reads), ("read_and_*", Effect::Writes), ("read_x", Effect::Writes)];
    let far = config(&effects);
    assert_eq!(far.effect_of("read_file"), Some(Effect::Reads));
    assert_eq!(far.effect_of("read_and_delete"), Some(Effect::Writes));
    assert_eq!(far.effect_of("read_x"), Some(Effect::Writes));
    assert_eq!(far.effect_of("write"), None);
}

#[test]
fn headers_are_never_shown() {
    assert!(!format!("{:?}", config(&[])).contains("hush"));
}
