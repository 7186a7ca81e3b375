//! Posts from pastes, files and folders. GP-24.

use std::fs;

use super::{Pasted, ReadPosts};

#[test]
fn gp_24_posts_are_parted_by_dashes_and_short_ones_left_out() {
    let text =
        "Перший пост про те саме.\n\nДругий абзац.\n---\n\nGM\n---\nДругий пост, і він довший.\n";
    let intake = ReadPosts::of_text(text);
    assert_eq!(
        intake.posts,
        ["Перший пост про те саме.\n\nДругий абзац.", "Другий пост, і він довший."]
    );
    assert_eq!(intake.too_short, 1);
    assert_eq!(ReadPosts::of_text(" \n---\n\n"), ReadPosts::default());
}

#[test]
fn gp_24_a_folder_is_read_in_the_order_of_names() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("b.md"), "---\ntopic: x\n---\n\nДругий пост має кілька слів.")
        .unwrap();
    fs::write(dir.path().join("a.txt"), "Перший пост має кілька слів.").unwrap();
    fs::write(dir.path().join("c.json"), "{}").unwrap();
    let intake = ReadPosts::of_path(dir.path()).unwrap();
    assert_eq!(intake.posts, ["Перший пост має кілька слів.", "Другий пост має кілька слів."]);
    assert!(ReadPosts::of_path(&dir.path().join("missing")).is_err());
}

#[test]
fn gp_24_two_empty_lines_end_a_paste() {
    let mut pasted = Pasted::default();
    let ends: Vec<_> =
        ["один", "", "два", "---", "три", "", ""].iter().map(|line| pasted.push(line)).collect();
    assert_eq!(ends, [false, false, false, false, false, false, true]);
    assert_eq!(pasted.into_text(), "один\n\nдва\n---\nтри\n\n\n");
}
