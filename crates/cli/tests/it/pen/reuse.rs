//! What was read is read again when it may have changed; failures are never remembered. GP-03.

use std::fs;

use fake_providers::Turn;
use serde_json::json;
use testkit::notion::{FakeNotion, TOKEN, Trip};

use super::support::{GOLDEN, put_profile, with_golden};
use crate::support::model_project::FarSide;
use crate::support::program::{Run, copy_unlocked, repository, run_with};

fn with_pen_tools() -> FarSide {
    let far = with_golden();
    fs::remove_dir_all(far.path().join("tools")).unwrap();
    copy_unlocked(&repository().join("apps/pen/tools"), &far.path().join("tools"));
    far
}

fn chat(far: &FarSide, line: &str) -> Run {
    let run = far.run(&["chat", "--conversation", "c", line]);
    assert_eq!(run.code, 0, "{run:?}");
    run
}

fn last_request(far: &FarSide) -> String {
    far.fake.requests().last().unwrap().body.to_string()
}

#[test]
fn gp_03_a_profile_that_was_edited_by_hand_is_read_again_in_the_next_turn() {
    let far = with_pen_tools();
    let read = || Turn::calls("read_style_profile", json!({}));
    far.fake.then(read()).then(Turn::says("Ось."));
    chat(&far, "який у мене стиль?");
    put_profile(&far, &GOLDEN.replace("дружній, трохи іронічний", "сухий як степ"), "default");
    far.fake.then(read()).then(Turn::says("Ось."));
    let run = chat(&far, "я змінив профіль, подивись ще раз");
    assert!(!run.err.contains("reused"), "{}", run.err);
    assert!(last_request(&far).contains("сухий як степ"));
}

#[test]
fn gp_10_new_posts_are_found_in_the_next_turn() {
    let far = with_pen_tools();
    let search = || Turn::calls("read_past_posts", json!({ "keywords": ["вигорання"] }));
    far.fake.then(search()).then(Turn::says("Немає."));
    chat(&far, "чи писав я про вигорання?");
    let folder = far.path().join("data/output/generated");
    fs::create_dir_all(&folder).unwrap();
    let post = "---\nplatform: x\ntopic: вигорання\ncreated: 2026-02-01T00:00:00Z\n---\n\nТекст.\n";
    fs::write(folder.join("2026-02-01-a-x.md"), post).unwrap();
    far.fake.then(search()).then(Turn::says("Є."));
    chat(&far, "а тепер?");
    assert!(last_request(&far).contains("2026-02-01-a-x.md"));
}

#[test]
fn nt_06_a_page_that_was_shared_meanwhile_is_read() {
    let far = with_pen_tools();
    let notion = far.wait(FakeNotion::start()).unwrap();
    let page = notion.page("Думки", &json!([]));
    notion.trip(
        "GET /v1/pages/:id",
        Trip::Says { status: 404, code: "object_not_found", retry_after: None },
    );
    let chat = |line: &str| {
        let mut command = far.command(&["chat", "--conversation", "c", line]);
        command.env("NOTION_TOKEN", TOKEN).env("GHOSTHAND_PEN_NOTION", notion.base_url());
        run_with(&mut command)
    };
    let read = || Turn::calls("read_notion_page", json!({ "page_id": page }));
    far.fake.then(read()).then(Turn::says("Не знайдено."));
    let run = chat("візьми з Notion");
    assert!(last_request(&far).contains("page_not_found"), "{run:?}");
    far.fake.then(read()).then(Turn::says("Є."));
    let run = chat("дала доступ, спробуй ще раз");
    assert!(last_request(&far).contains("Думки"), "{run:?}");
    // Asked for again by a person: read again.
    let before = notion.asked().len();
    far.fake.then(read()).then(Turn::says("Є."));
    chat("перечитай сторінку, я її змінила");
    assert!(notion.asked().len() > before, "{:?}", notion.asked());
}
