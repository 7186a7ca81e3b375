//! The newest posts come first, of one platform or of all.

use std::fs;

use crate::posts::length::Platform;
use crate::workspace::Workspace;

#[test]
fn the_newest_come_first_and_other_files_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(folder.path());
    assert!(workspace.newest_posts(None, 10).is_empty(), "there is no folder yet");
    let posts = workspace.posts_dir();
    fs::create_dir_all(&posts).unwrap();
    let write = |name: &str, platform: &str, created: &str| {
        let front =
            format!("---\nplatform: {platform}\ntopic: {name}\ncreated: {created}\n---\n\n");
        fs::write(posts.join(format!("{name}.md")), format!("{front}Текст {name}.\n")).unwrap();
    };
    write("2026-02-08-b-x", "x", "2026-02-08T10:00:00Z");
    write("2026-02-08-a-linkedin", "linkedin", "2026-02-08T12:00:00Z");
    write("2026-02-07-c-x", "x", "2026-02-07T10:00:00Z");
    fs::write(posts.join("notes.txt"), "no post").unwrap();
    let check = |platform: Option<Platform>, limit: usize, expected: &[&str]| {
        let found = workspace.newest_posts(platform, limit);
        let topics: Vec<&str> = found.iter().map(|post| post.topic.as_str()).collect();
        assert_eq!(topics, expected);
    };
    check(None, 10, &["2026-02-08-a-linkedin", "2026-02-08-b-x", "2026-02-07-c-x"]);
    check(None, 2, &["2026-02-08-a-linkedin", "2026-02-08-b-x"]);
    check(Some(Platform::X), 10, &["2026-02-08-b-x", "2026-02-07-c-x"]);
    assert_eq!(workspace.newest_posts(None, 1)[0].preview, "Текст 2026-02-08-b-x.");
}
