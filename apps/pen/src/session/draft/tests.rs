//! The state of a draft follows from its events alone.

use super::{Draft, DraftEvent, Origin, Started, Status, Version};
use crate::posts::length::Platform;
use crate::session::ProfileSource;

fn version(text: &str, origin: Origin) -> DraftEvent {
    let at = "2026-02-08T14:30:00Z".to_owned();
    DraftEvent::Version(Version { text: text.to_owned(), origin, violations: Vec::new(), at })
}

fn started() -> DraftEvent {
    DraftEvent::Started(Started {
        request: "пост про сон".into(),
        topic: "сон".into(),
        profile: ProfileSource::One("default".into()),
        profile_used: "default".into(),
        platform: Platform::X,
        facts: false,
        variants: 0,
        at: "2026-02-08T14:00:00Z".into(),
    })
}

#[test]
fn undo_and_redo_move_over_all_versions_and_a_new_one_cuts_the_rest() {
    let moved = |version| DraftEvent::Moved { version };
    let mut draft = Draft::replay(&[
        started(),
        version("a", Origin::Model),
        version("b", Origin::Edit),
        version("c", Origin::Hand),
    ]);
    assert_eq!((draft.text(), draft.model_text()), ("c", "b"));
    draft.apply(&moved(0));
    assert_eq!((draft.text(), draft.versions.len()), ("a", 3));
    draft.apply(&moved(2));
    assert_eq!(draft.text(), "c");
    draft.apply(&moved(1));
    draft.apply(&version("d", Origin::Edit));
    let texts: Vec<_> = draft.versions.iter().map(|version| version.text.as_str()).collect();
    assert_eq!(texts, ["a", "b", "d"]);
    draft.apply(&moved(99));
    assert_eq!(draft.text(), "d");
}

#[test]
fn a_draft_is_the_same_after_a_round_through_json() {
    let events = [
        started(),
        DraftEvent::Notes { text: "нотатки".into() },
        version("a", Origin::Model),
        DraftEvent::Saved { file: "x.md".into(), at: "2026-02-08T15:00:00Z".into() },
        DraftEvent::Left { at: "2026-02-08T15:00:01Z".into() },
    ];
    let texts: Vec<String> =
        events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let again: Vec<DraftEvent> =
        texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(Draft::replay(&again), Draft::replay(&events));
    let draft = Draft::replay(&again);
    assert_eq!(draft.sources, ["пост про сон", "нотатки"]);
    assert_eq!(draft.status, Status::Saved { file: "x.md".into() }, "leaving keeps the file");
}

#[test]
fn a_planned_day_counts_until_another_or_none_is_planned() {
    let planned = |day: Option<&str>| DraftEvent::Planned {
        day: day.map(str::to_owned),
        at: "2026-02-09T08:00:00Z".to_owned(),
    };
    let mut draft = Draft::replay(&[started(), planned(Some("2026-02-14"))]);
    assert_eq!(draft.planned.as_deref(), Some("2026-02-14"));
    assert_eq!(draft.updated, "2026-02-09T08:00:00Z");
    draft.apply(&planned(None));
    assert_eq!(draft.planned, None);
}
