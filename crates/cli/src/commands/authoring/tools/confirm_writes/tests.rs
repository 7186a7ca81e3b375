//! What is added to a settings file, and what stays.

use super::*;

#[track_caller]
fn check(there: &str, expected: Option<&str>) {
    let expected = expected.map(|text| text.replace("HEAD\n", HEAD));
    assert_eq!(with_setting(there, &["set_mood", "the \"big\" one"]), expected);
}

#[test]
fn every_tool_gets_a_table_and_no_word_of_the_operator_is_changed() {
    let big = "\n['the \"big\" one']\nrequires_confirmation = true\n";
    let mood = "\n[set_mood]\nrequires_confirmation = true\n";
    check("", Some(&format!("HEAD\n{mood}{big}")));
    check(
        "[set_mood]\nrequires_confirmation = false\n",
        Some(&format!("[set_mood]\nrequires_confirmation = false\n\nHEAD\n{big}")),
    );
    check(
        "[set_mood]\nversion = \"1\"\n",
        Some(&format!("[set_mood]\nrequires_confirmation = true\nversion = \"1\"\n\nHEAD\n{big}")),
    );
    check(
        "[set_mood]\nrequires_confirmation = true\n['the \"big\" one']\nrequires_confirmation = false\n",
        None,
    );
    check("this is no TOML", None);
}
