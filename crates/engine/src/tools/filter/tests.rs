//! Which ids a pattern lets through.

use super::ToolFilter;

#[track_caller]
fn check(patterns: &[&str], id: &str, expected: bool) {
    let allowed = ToolFilter::Only(patterns.iter().map(|one| (*one).to_owned()).collect());
    assert_eq!(allowed.allows(id), expected, "{patterns:?} {id}");
}

#[test]
fn a_star_matches_every_id_with_the_prefix() {
    check(&["kb_*"], "kb_search", true);
    check(&["kb_*"], "calendar_create", false);
    check(&["kb_search"], "kb_search", true);
    check(&["kb_search"], "kb_search_all", false);
    check(&["*"], "anything", true);
    check(&[], "anything", false);
    assert!(ToolFilter::All.allows("anything"));
}
