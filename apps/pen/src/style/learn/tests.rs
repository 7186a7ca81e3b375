//! What is learned from edits by hand.

use super::{Suggestion, difference};
use crate::style::profile::Profile;
use crate::workspace::Workspace;

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");

#[test]
fn words_that_go_and_words_that_come_are_found() {
    let found = difference(
        "Отже, ми маємо план. Він працює добре для всіх.",
        "Коротше, ми маємо план. Він працює для всіх нас, правда?",
    );
    assert_eq!(found.removed, ["отже", "добре"]);
    assert_eq!(found.added, ["коротше", "нас правда"]);
    assert_eq!(difference("те саме", "Те саме!"), super::Difference::default());
}

#[test]
fn three_times_make_a_suggestion_until_the_profile_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let profile = Profile::parse(GOLDEN).unwrap();
    let change = difference("Отже, я пишу. Давайте так.", "Коротко: я пишу. Погнали так.");
    for times in 1..=3 {
        let learned = workspace.learn(&change).unwrap();
        assert_eq!(learned.suggestions(&profile).is_empty(), times < 3);
    }
    let suggestions = workspace.learned().suggestions(&profile);
    let avoid = |value: &str| Suggestion { field: "voice.avoid", value: value.into(), times: 3 };
    assert_eq!(
        suggestions,
        [
            avoid("давайте"),
            avoid("отже"),
            Suggestion {
                field: "voice.signature_phrases", value: "погнали".into(), times: 3
            }
        ],
        "«коротко» is a signature phrase already"
    );
}
