//! The table of mixing, row by row. GP-18.

use serde_json::{Value, json};

use super::mix;
use crate::style::profile::Profile;

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

fn techniques() -> Profile {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    value["profile_name"] = json!("competitor-alex");
    value["profile_type"] = json!("reference");
    value["language"] = json!("en");
    for field in ["tone", "formality", "personality", "emoji_usage"] {
        value["voice"][field] = json!("theirs");
    }
    value["voice"]["sentence_style"] = json!("long");
    value["voice"]["paragraph_style"] = json!("dense");
    value["voice"]["signature_phrases"] = json!(["theirs"]);
    value["voice"]["avoid"] = json!(["слово 'контент' — каже 'пости' або 'тексти'", "'маркетинг'"]);
    value["voice"]["hooks"] =
        json!(["звертання ('Друзі, є новина')", "питання ('Чому?')", "слово 'маркетинг' першим"]);
    value["voice"]["closings"] = json!(["цитата"]);
    value["platforms"]["linkedin"]["structure"] = json!("their structure");
    value["platforms"]["linkedin"]["max_length"] = json!(900);
    value["platforms"]["linkedin"]["hashtags"] = json!("9");
    value["platforms"]["x"]["max_length"] = json!(1000);
    Profile::from_value(&value).unwrap()
}

#[test]
fn gp_18_each_field_comes_from_where_the_table_says() {
    let base = Profile::parse(GOLDEN).unwrap();
    let mixed = mix(&base, &techniques()).unwrap();
    let profile = &mixed.profile;
    assert_eq!(mixed.used, "mix:default+competitor-alex");
    for field in ["tone", "formality", "personality", "emoji_usage"] {
        assert_eq!(profile.voice(field), base.voice(field), "{field}");
    }
    assert_eq!(profile.voices("signature_phrases"), base.voices("signature_phrases"));
    assert_eq!(profile.language(), "uk");
    assert_eq!(
        (profile.voice("sentence_style"), profile.voice("paragraph_style")),
        ("long", "dense")
    );
    assert_eq!(profile.voices("closings"), ["цитата"]);
    assert_eq!(profile.voices("avoid").len(), 8, "a union, without repeating");
    let linkedin = &profile.value()["platforms"]["linkedin"];
    assert_eq!(linkedin["structure"], "their structure");
    assert_eq!(linkedin["max_length"], 900, "the smaller one");
    assert_eq!(profile.value()["platforms"]["x"]["max_length"], 280);
    assert_eq!(linkedin["hashtags"], base.value()["platforms"]["linkedin"]["hashtags"]);
    let examples = profile.value()["examples"].as_array().unwrap();
    assert_eq!((examples.len(), &examples[0]), (4, &base.value()["examples"][0]));
}

#[test]
fn gp_18_a_hook_that_collides_with_avoid_is_dropped_and_reported() {
    let mixed = mix(&Profile::parse(GOLDEN).unwrap(), &techniques()).unwrap();
    assert_eq!(mixed.profile.voices("hooks"), ["питання ('Чому?')"]);
    assert_eq!(mixed.dropped, ["звертання ('Друзі, є новина')", "слово 'маркетинг' першим"]);
}
