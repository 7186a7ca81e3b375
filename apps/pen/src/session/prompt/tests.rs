//! What a model is sent: limits, examples of both profiles of a mix, and the same for a chat.

use serde_json::{Value, json};

use super::{system, without_tools};
use crate::posts::length::Platform;
use crate::style::mix::mix;
use crate::style::profile::Profile;

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

/// A profile with examples `NAME 0`, `NAME 1` and so on.
fn with_examples(name: &str, count: usize) -> Profile {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    value["profile_name"] = json!(name);
    let example = |number: usize| json!({ "platform": "x", "text": format!("{name} {number}") });
    value["examples"] = (0..count).map(example).collect();
    Profile::from_value(&value).unwrap()
}

#[test]
fn gp_18_a_mix_sends_examples_of_both_profiles() {
    let check = |base: usize, others: usize, expected: &[&str]| {
        let (base, others) = (with_examples("base", base), with_examples("alex", others));
        let mixed = mix(&base, &others).unwrap();
        let text = system(&mixed.profile, Platform::X, Some(&mixed));
        let lines = text.lines().filter(|line| {
            line.strip_prefix("base ").or(line.strip_prefix("alex ")).is_some_and(|n| n.len() == 1)
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected);
        assert!(text.contains("Example of the second profile (x):\nalex 0"), "{text}");
    };
    check(5, 5, &["base 0", "base 1", "base 2", "alex 0", "alex 1"]);
    check(9, 1, &["base 0", "base 1", "base 2", "base 3", "alex 0"]);
    check(1, 9, &["base 0", "alex 0", "alex 1", "alex 2", "alex 3"]);
}

#[test]
fn examples_for_the_platform_come_first() {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    let example =
        |platform: &str| json!({ "platform": platform, "text": format!("on {platform}") });
    value["examples"] = json!([example("linkedin"), example("x")]);
    let text = system(&Profile::from_value(&value).unwrap(), Platform::X, None);
    assert!(text.find("on x").unwrap() < text.find("on linkedin").unwrap(), "{text}");
}

#[test]
fn the_smaller_limit_is_said() {
    let profile = Profile::parse(GOLDEN).unwrap();
    let says = |platform: Platform, expected: &str| {
        let text = system(&profile, platform, None);
        assert!(text.contains(expected), "{platform}: {text}");
    };
    says(Platform::Linkedin, "At most 1500 characters, as linkedin counts them.");
    says(Platform::Instagram, "At most 5 hashtags.");
    says(Platform::Telegram, "At most 2000 characters, as telegram counts them.");
}

#[test]
fn the_rules_for_a_chat_without_our_tools_are_those_of_a_session() {
    let profile = Profile::parse(GOLDEN).unwrap();
    let text = without_tools(&profile, Platform::Linkedin, None);
    let session = system(&profile, Platform::Linkedin, None);
    assert!(session.contains("Tools:") && !text.contains("Tools:"));
    let shared = session.split_once("Language:").unwrap().1;
    assert!(text.contains(shared), "the profile, the limits and the examples are the same");
}
