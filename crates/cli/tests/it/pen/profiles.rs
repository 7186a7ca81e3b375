//! Profiles over time: history, restoring, and what may replace what. GP-24.

use std::fs;

use fake_providers::Turn;

use super::support::{GOLDEN, described, profile, session, with_golden};
use crate::support::model_project::{FarSide, NOBODY};
use contract::Wire;

fn golden_tone() -> serde_json::Value {
    serde_json::from_str::<serde_json::Value>(GOLDEN).unwrap()["voice"]["tone"].clone()
}

fn with_posts() -> FarSide {
    let far = with_golden();
    let folder = far.path().join("posts");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..4 {
        let text = format!("Коротко: я теж боявся писати. День {number}.\n\nІ це нормально.");
        fs::write(folder.join(format!("{number}.md")), text).unwrap();
    }
    far
}

#[test]
fn gp_24_a_described_profile_is_not_replaced_by_a_measured_one() {
    let far = with_posts();
    far.configure(Wire::Chat, "any-model", NOBODY);
    let run = session(&far, &[], &["init", "posts", "--replace", "--yes"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("--less-complete"), "the flag is named: {}", run.err);
    assert_eq!(profile(&far)["voice"]["tone"], golden_tone());
    let args = ["init", "posts", "--replace", "--yes", "--less-complete"];
    let run = session(&far, &[], &args);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(profile(&far)["voice"]["tone"], "виміряно, ще не описано");
}

#[test]
fn gp_24_what_was_replaced_is_in_the_history_and_comes_back() {
    let far = with_posts();
    far.configure(Wire::Chat, "any-model", NOBODY);
    let replaced = session(&far, &[], &["init", "posts", "--replace", "--yes", "--less-complete"]);
    assert!(replaced.out.starts_with("default v4"), "the version that is saved: {replaced:?}");
    let history = session(&far, &[], &["profile", "history"]);
    assert!(history.out.contains("v3"), "{history:?}");
    let restored = session(&far, &[], &["profile", "restore", "default"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    let text = fs::read_to_string(far.path().join("data/profiles/default.json")).unwrap();
    assert_eq!(text, GOLDEN);
    // Restoring is a change too: the measured one can come back.
    let history = session(&far, &[], &["profile", "history"]);
    assert!(history.out.contains("v4"), "{history:?}");
}

#[test]
fn gp_24_a_field_that_was_set_by_hand_survives_a_correction_by_the_model() {
    let far = with_posts();
    let mut corrected = described();
    corrected["voice"]["personality"] = "Коротко.".into();
    far.fake
        .then(Turn::calls("style_profile", described()))
        .then(Turn::calls("style_profile", corrected));
    let lines = ["voice.tone = теплий і сухий", "опиши особистість коротше", "ok"];
    let run = session(&far, &lines, &["init", "posts", "--replace"]);
    assert_eq!(run.code, 0, "{run:?}");
    let voice = &profile(&far)["voice"];
    assert_eq!(
        (&voice["tone"], &voice["personality"]),
        (&"теплий і сухий".into(), &"Коротко.".into())
    );
    far.fake.assert_used_up();
}
