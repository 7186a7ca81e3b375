//! The table of models.

use super::*;

#[test]
fn the_table_can_be_read_and_names_each_model_once() {
    let table: Table = toml::from_str(include_str!("../../data/models.toml")).unwrap();
    let mut names: Vec<_> = table.model.iter().map(|row| &row.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), table.model.len());
    for road in RoadKind::ALL {
        assert!(table.model.iter().any(|row| row.road == road), "{road:?}");
    }
    assert_eq!(table.checked.len(), "2026-11-16".len());
}

#[test]
fn a_dated_name_has_the_row_of_its_model() {
    let name = |wanted| capabilities(wanted).map(|row| row.name.as_str());
    assert_eq!(name("gpt-realtime-2.1"), Some("gpt-realtime-2.1"));
    assert_eq!(name("gpt-realtime-2025-08-28"), Some("gpt-realtime"));
    assert_eq!(name("gpt-realtime-mini-2025-10-06"), Some("gpt-realtime-mini"));
    assert_eq!(
        name("gemini-3.8-live-extended-thinking"),
        Some("gemini-3.8-live-extended-thinking")
    );
    assert_eq!(name("gpt-realtime-9"), None);
    assert_eq!(name("gpt-realtime-huge"), None);
    assert_eq!(name("something"), None);
}
