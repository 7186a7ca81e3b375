//! The golden profile, broken ones, names and changes. GP-01, GP-02, GP-04, GP-05, GP-06.

use serde_json::{Value, json};

use super::{Profile, ProfileFault, ProfileName, RefusedChange};
use crate::clock::Now;

pub(crate) const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

fn golden() -> Profile {
    Profile::parse(GOLDEN).unwrap()
}

fn now() -> Now {
    Now::at("2026-03-01T09:00:00Z".parse().unwrap())
}

#[test]
fn gp_01_the_golden_profile_is_read_and_written_byte_for_byte() {
    let profile = golden();
    assert_eq!(profile.text(), GOLDEN);
    assert_eq!(profile.version(), 3);
    assert_eq!(profile.voices("avoid").len(), 7);
    assert_eq!(profile.examples().len(), 2);
    assert_eq!(profile.platforms().len(), 3);
}

#[test]
fn gp_01_a_change_touches_its_own_lines_and_no_others() {
    let changes = json!({ "voice.formality": "як з другом", "platforms.x.max_length": 250 });
    let changes = changes.as_object().unwrap();
    let (profile, changed) = golden().changed(changes, "3x фідбек", now()).unwrap();
    assert_eq!(changed.version, 4);
    let before: Vec<_> = GOLDEN.lines().collect();
    let lost: Vec<_> =
        before.iter().filter(|line| !profile.text().contains(**line)).copied().collect();
    // `"version": 3` stands in the changelog too.
    let fields = ["updated_at", "formality", "max_length\": 280"];
    assert_eq!(lost.len(), fields.len(), "{lost:#?}");
    assert!(lost.iter().zip(fields).all(|(line, field)| line.contains(field)), "{lost:#?}");
    assert!(profile.text().contains("\n\n  \"voice\": {"), "blank lines stay");
    assert!(profile.text().ends_with("]\n    }\n  ]\n}\n"), "{}", profile.text());
    assert_eq!(Profile::parse(profile.text()).unwrap(), profile);
}

#[test]
fn gp_01_unknown_fields_are_kept() {
    let text = GOLDEN.replacen("{\n", "{\n  \"mood\" : [1,2],\n", 1);
    let profile = Profile::parse(&text).unwrap();
    assert_eq!(profile.text(), text);
    let changes = json!({ "voice.tone": "інший" });
    let (changed, _) = profile.changed(changes.as_object().unwrap(), "так", now()).unwrap();
    assert!(changed.text().starts_with("{\n  \"mood\" : [1,2],\n"));
}

#[test]
fn gp_02_every_broken_field_is_named() {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    value["version"] = json!("three");
    value["language"] = json!("xx");
    value["voice"]["hooks"] = json!([]);
    value["voice"]["avoid"] = json!([]);
    value["platforms"] = json!({});
    value["examples"] = json!([]);
    let Err(ProfileFault::Fields(faults)) = Profile::from_value(&value) else { panic!() };
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "`version` must be a whole number from 1",
            "`language` must be `uk`, `en` or `uk+en`",
            "`voice.hooks` is empty",
            "`voice.avoid` is empty",
            "`platforms` has no platform",
            "`examples` has no example",
        ]
    );
    let Err(ProfileFault::Json(why)) = Profile::parse("{\"a\": }") else { panic!() };
    assert!(why.contains("line 1"), "{why}");
}

#[test]
fn gp_04_a_name_is_a_slug() {
    for good in ["default", "competitor-alex", "a", "x2"] {
        assert_eq!(good.parse::<ProfileName>().unwrap().as_str(), good);
    }
    for bad in ["../x", "/etc/x", "a\0b", "CON", "con", "com1", "", "-a", "A", "a b", "ім'я", "a.b"]
    {
        assert!(bad.parse::<ProfileName>().is_err(), "{bad:?}");
    }
    assert!("a".repeat(65).parse::<ProfileName>().is_err());
}

#[track_caller]
fn refused(changes: Value, expected: &str) {
    let profile = golden();
    let fault = profile.changed(changes.as_object().unwrap(), "why", now()).unwrap_err();
    assert_eq!(fault.to_string(), expected);
}

#[test]
fn gp_05_changes_are_checked_and_all_or_nothing() {
    for fixed in
        ["profile_name", "profile_type", "created_at", "version", "updated_at", "changelog"]
    {
        refused(json!({ fixed: "x" }), &format!("`{fixed}` cannot be changed"));
    }
    refused(
        json!({ "voice.formalty": "x" }),
        "`voice.formalty` is not a field of a profile; did you mean `voice.formality`?",
    );
    refused(json!({ "__proto__.x": 1 }), "`__proto__.x` is not a field of a profile");
    refused(json!({ "voice.hooks": [] }), "`voice.hooks` must be a non-empty list of texts");
    refused(json!({ "voice.avoid": "x" }), "`voice.avoid` must be a non-empty list of texts");
    refused(json!({ "voice.closings": "x" }), "`voice.closings` must be a list of texts");
    refused(
        json!({ "platforms.x.max_length": 0 }),
        "`platforms.x.max_length` must be a number above 0",
    );
    refused(
        json!({ "platforms.x.max_length": "9" }),
        "`platforms.x.max_length` must be a number above 0",
    );
    refused(
        json!({ "voice.tone": "добре", "voice.hooks": [1] }),
        "`voice.hooks` must be a non-empty list of texts",
    );
    refused(json!({}), "there is nothing to change");
    let good = json!({ "voice.signature_phrases": ["спойлер:"], "voice.tone": "теплий" });
    let (profile, changed) = golden().changed(good.as_object().unwrap(), " why ", now()).unwrap();
    assert_eq!(changed.changes_applied, ["voice.signature_phrases", "voice.tone"]);
    assert_eq!(
        changed.changelog_entry,
        json!({ "version": 4, "date": "2026-03-01T09:00:00Z", "action": "updated",
                "description": "why",
                "fields_changed": ["voice.signature_phrases", "voice.tone"] })
    );
    assert_eq!(profile.value()["changelog"][3], changed.changelog_entry);
    assert_eq!(profile.value()["updated_at"], "2026-03-01T09:00:00Z");
}

#[test]
fn gp_06_a_reference_profile_is_not_changed() {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    value["profile_type"] = json!("reference");
    let profile = Profile::from_value(&value).unwrap();
    let changes = json!({ "voice.tone": "x" });
    let fault = profile.changed(changes.as_object().unwrap(), "why", now()).unwrap_err();
    assert!(matches!(fault, RefusedChange::Reference(_)));
}
