//! A call that was approved elsewhere, in another process, runs as it would here. GP-08.

use std::fs;

use fake_providers::Turn;
use serde_json::json;

use super::support::{GOOD, posts, with_golden};
use crate::support::program::{copy_unlocked, repository};

#[test]
fn gp_08_an_approval_in_another_process_saves_the_post() {
    let far = with_golden();
    fs::remove_dir_all(far.path().join("tools")).unwrap();
    copy_unlocked(&repository().join("apps/pen/tools"), &far.path().join("tools"));
    let save = json!({ "content": GOOD, "platform": "linkedin", "topic": "плани" });
    far.fake
        .then(Turn::calls("read_style_profile", json!({})))
        .then(Turn::calls("save_to_file", save));
    let asked = far.run(&["chat", "--conversation", "c", "збережи"]);
    let start =
        asked.err.find("approvals approve ").expect(&asked.err) + "approvals approve ".len();
    let id: String = asked.err[start..].chars().take(8).collect();
    let approved = far.run(&["approvals", "approve", &id]);
    assert_eq!(approved.code, 0, "{approved:?}");
    assert_eq!(posts(&far).len(), 1, "{approved:?}");
    let text = fs::read_to_string(&posts(&far)[0]).unwrap();
    assert!(text.contains("style_profile_version: 3\n") && text.contains(GOOD), "{text}");
}

#[test]
fn gp_08_a_conversation_that_read_no_profile_saves_nothing() {
    let far = with_golden();
    fs::remove_dir_all(far.path().join("tools")).unwrap();
    copy_unlocked(&repository().join("apps/pen/tools"), &far.path().join("tools"));
    let save = json!({ "content": GOOD, "platform": "linkedin", "topic": "плани" });
    far.fake.then(Turn::calls("save_to_file", save));
    let asked = far.run(&["chat", "--conversation", "c", "збережи"]);
    let start =
        asked.err.find("approvals approve ").expect(&asked.err) + "approvals approve ".len();
    let id: String = asked.err[start..].chars().take(8).collect();
    let approved = far.run(&["approvals", "approve", &id]);
    assert_ne!(approved.code, 0, "a refused save looks refused: {approved:?}");
    assert!(format!("{approved:?}").contains("profile_not_read"), "{approved:?}");
    assert!(posts(&far).is_empty());
}
