//! Saving and finding posts. GP-10, GP-11, GP-12.

use std::fs;

use saphyr::{LoadableYamlNode as _, Yaml};

use super::{NewPost, Posts, Query, split};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::workspace::Workspace;

fn now() -> Now {
    Now::at("2026-02-08T14:30:00Z".parse().unwrap())
}

fn post<'a>(topic: &'a str, content: &'a str, platform: Platform) -> NewPost<'a> {
    NewPost { content, platform, topic, profile_used: "default", style_profile_version: 3 }
}

#[track_caller]
fn names(posts: &Posts, keywords: &[&str], platform: Option<Platform>) -> (Vec<String>, usize) {
    let keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
    let (found, total) = posts.search(&Query { keywords, platform, limit: 5 });
    (found.into_iter().map(|post| post.file).collect(), total)
}

#[test]
fn gp_11_a_post_is_saved_under_its_day_topic_and_platform() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let topic = "Вигорання: \"як\"\n--- ні";
    let mut names = Vec::new();
    for _ in 0..3 {
        let saved =
            workspace.save(&post(topic, "Текст.\n---\nДалі.\n\n", Platform::X), now()).unwrap();
        names.push(saved.path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    let stem = "2026-02-08-vyhorannia-yak-ni-x";
    assert_eq!(names, [format!("{stem}.md"), format!("{stem}-2.md"), format!("{stem}-3.md")]);
    let text = fs::read_to_string(workspace.posts_dir().join(&names[0])).unwrap();
    assert_eq!(
        text,
        "---\nplatform: x\ntopic: \"Вигорання: \\\"як\\\"\\n--- ні\"\ncreated: 2026-02-08T14:30:00Z\n\
         profile_used: default\nstyle_profile_version: 3\n---\n\nТекст.\n---\nДалі.\n"
    );
    let (front, body) = split(&text);
    assert_eq!((front.topic.as_str(), front.style_profile_version), (topic, Some(3)));
    assert_eq!(body, "Текст.\n---\nДалі.\n");
    assert_eq!(fs::read_dir(workspace.posts_dir()).unwrap().count(), 3, "nothing else is left");
}

#[test]
fn gp_11_a_mix_is_named_and_strange_topics_stay_good_yaml() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    for topic in ["yes", "- a", "#x", "12", "a: b", "", "'q'", "null", "🔥"] {
        let mut mixed = post(topic, "x", Platform::Linkedin);
        mixed.profile_used = "mix:default+competitor-alex";
        let saved = workspace.save(&mixed, now()).unwrap();
        let text = fs::read_to_string(saved.path).unwrap();
        let (front, _) = split(&text);
        assert_eq!(
            (front.topic.as_str(), front.profile_used.as_str()),
            (topic, "mix:default+competitor-alex")
        );
        let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("---\n")).unwrap().0;
        let documents = Yaml::load_from_str(head).unwrap();
        let read = |key: &str| documents[0].as_mapping_get(key).and_then(Yaml::as_str);
        assert_eq!(read("topic"), Some(topic), "{head}");
        assert_eq!(read("profile_used"), Some("mix:default+competitor-alex"), "{head}");
        assert_eq!(read("created"), Some("2026-02-08T14:30:00Z"), "{head}");
    }
}

#[test]
fn headers_that_people_write_are_read_as_meant() {
    let text = "---\nplatform: x\ntopic: Launch: day one #2026\ncreated: 2026-02-08\n---\nText.";
    let (front, body) = split(text);
    assert_eq!(front.topic, "Launch: day one #2026");
    assert_eq!((front.platform.as_str(), front.created.as_str()), ("x", "2026-02-08"));
    assert_eq!(body, "Text.");
}

#[test]
fn gp_11_many_writers_take_many_names() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| workspace.save(&post("та сама", "x", Platform::X), now()).unwrap());
        }
    });
    assert_eq!(fs::read_dir(workspace.posts_dir()).unwrap().count(), 8);
}

#[test]
fn gp_12_a_text_that_cannot_be_saved_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    fs::create_dir_all(dir.path().join("output")).unwrap();
    fs::write(dir.path().join("output/generated"), "a file in the way").unwrap();
    let fault = workspace.save(&post("t", "Мій текст", Platform::X), now()).unwrap_err();
    assert_eq!(fault.text, "Мій текст");
}

#[test]
fn gp_10_posts_are_found_by_forms_topic_text_and_file_name() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let posts = Posts::of(&workspace);
    assert_eq!(names(&posts, &["вигорання"], None), (vec![], 0));
    workspace.save(&post("вигорання", "Про клієнтів.", Platform::Linkedin), now()).unwrap();
    workspace.save(&post("ціни", "Боровся з ВИГОРАННЯМ і burnout.", Platform::X), now()).unwrap();
    let (burnt, prices) =
        ("2026-02-08-vyhorannia-linkedin.md".to_owned(), "2026-02-08-tsiny-x.md".to_owned());
    let check = |keywords: &[&str], platform, expected: &[&String]| {
        let (found, total) = names(&posts, keywords, platform);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{keywords:?}");
        assert_eq!(total, expected.len());
    };
    check(&["вигоранню"], None, &[&burnt, &prices]);
    check(&["вигоранню"], Some(Platform::X), &[&prices]);
    check(&["Burnouts", "вигорання"], None, &[&prices, &burnt]);
    check(&["КЛІЄНТ"], None, &[&burnt]);
    check(&["vyhorannia"], None, &[&burnt]);
    check(&["нема такого"], None, &[]);
    // What changes on the disk is seen: gone, new, edited by way of a rename.
    fs::remove_file(workspace.posts_dir().join(&burnt)).unwrap();
    check(&["вигорання"], None, &[&prices]);
    let edited = fs::read_to_string(workspace.posts_dir().join(&prices))
        .unwrap()
        .replace("burnout", "sleep");
    fs::write(workspace.posts_dir().join(".new"), edited).unwrap();
    fs::rename(workspace.posts_dir().join(".new"), workspace.posts_dir().join(&prices)).unwrap();
    check(&["burnout"], None, &[]);
    check(&["sleeping"], None, &[&prices]);
    // Another process begins with the index on the disk.
    let (again, _) = names(&Posts::of(&workspace), &["sleep"], None);
    assert_eq!(again, [prices]);
}

#[test]
fn gp_10_a_preview_is_cut_between_characters_and_all_matches_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let long = "👨‍👩‍👧‍👦".repeat(300) + " слово";
    for _ in 0..7 {
        workspace.save(&post("т", &long, Platform::X), now()).unwrap();
    }
    let posts = Posts::of(&workspace);
    let query = Query { keywords: vec!["слово".into()], platform: None, limit: 5 };
    let (found, total) = posts.search(&query);
    assert_eq!((found.len(), total), (5, 7));
    assert_eq!(found[0].preview, "👨‍👩‍👧‍👦".repeat(200));
}

#[test]
fn a_broken_index_file_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    workspace.save(&post("слово", "x", Platform::X), now()).unwrap();
    assert_eq!(names(&Posts::of(&workspace), &["слово"], None).1, 1);
    let cache = dir.path().join("output/.posts-index");
    let good = fs::read(&cache).unwrap();
    for cut in [0, 5, good.len() / 2, good.len() - 1] {
        fs::write(&cache, &good[..cut]).unwrap();
        assert_eq!(names(&Posts::of(&workspace), &["слово"], None).1, 1, "cut at {cut}");
    }
    fs::write(&cache, [good.as_slice(), &[1]].concat()).unwrap();
    assert_eq!(names(&Posts::of(&workspace), &["слово"], None).1, 1);
}

#[test]
fn gp_10_a_large_cache_is_not_written_for_every_new_post() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    for number in 0..200 {
        let topic = format!("тема {number}");
        workspace.save(&post(&topic, "слово", Platform::X), now()).unwrap();
    }
    let posts = Posts::of(&workspace);
    let cache = dir.path().join("output/.posts-index");
    assert_eq!(names(&posts, &["слово"], None).1, 200);
    let before = fs::read(&cache).unwrap();
    workspace.save(&post("нова", "слово", Platform::X), now()).unwrap();
    assert_eq!(names(&posts, &["слово"], None).1, 201, "the new post is found");
    assert_eq!(fs::read(&cache).unwrap(), before, "and the cache is left as it was");
    assert_eq!(names(&Posts::of(&workspace), &["слово"], None).1, 201, "in another process too");
    for number in 0..5 {
        workspace.save(&post(&format!("ще {number}"), "x", Platform::X), now()).unwrap();
    }
    assert_eq!(names(&posts, &["слово"], None).1, 201);
    assert_ne!(fs::read(&cache).unwrap(), before, "many changes are written");
}

#[test]
#[cfg(target_os = "linux")]
fn gp_26_a_change_in_a_watched_folder_is_noticed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    let path = |name: &str| workspace.posts_dir().join(name);
    for number in 0..20 {
        workspace.save(&post(&format!("тема {number}"), "слово", Platform::X), now()).unwrap();
    }
    let posts = Posts::of(&workspace);
    assert_eq!(names(&posts, &["слово"], None).1, 20);
    // Edited in place, to the same size, within the same tick of the clock.
    for (text, found) in [("аааааа", "аааааа"), ("бббббб", "бббббб"), ("вввввв", "вввввв")]
    {
        fs::write(path("own.md"), text).unwrap();
        assert_eq!(names(&posts, &[found], None).0, ["own.md"]);
    }
    assert_eq!(names(&posts, &["аааааа"], None).1, 0, "what was edited away is gone");
    fs::rename(path("own.md"), path("other.md")).unwrap();
    assert_eq!(names(&posts, &["вввввв"], None).0, ["other.md"]);
    fs::remove_file(path("other.md")).unwrap();
    assert_eq!(names(&posts, &["вввввв"], None).1, 0);
    assert_eq!(names(&posts, &["слово"], None).1, 20, "the others stay");
}

#[test]
fn gp_26_a_folder_that_is_replaced_is_read_anew() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    workspace.save(&post("стара", "слово", Platform::X), now()).unwrap();
    let posts = Posts::of(&workspace);
    assert_eq!(names(&posts, &["слово"], None).1, 1);
    fs::rename(workspace.posts_dir(), dir.path().join("aside")).unwrap();
    assert_eq!(names(&posts, &["слово"], None).1, 0);
    workspace.save(&post("нова", "слово", Platform::X), now()).unwrap();
    workspace.save(&post("друга", "слово", Platform::X), now()).unwrap();
    assert_eq!(names(&posts, &["слово"], None).1, 2);
}

/// The first index reads files without a look at them before; a later one compares their stamps.
#[cfg(unix)]
#[test]
fn gp_26_the_first_index_has_what_a_scan_sees() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Workspace::new(dir.path()).posts_dir();
    fs::create_dir_all(folder.join("folder.md")).unwrap();
    fs::write(folder.join("a.md"), "Плани.").unwrap();
    fs::write(folder.join("not-text.md"), b"\xff\xfe plans").unwrap();
    fs::write(folder.join("note.txt"), "Плани.").unwrap();
    fs::write(folder.join(".hidden.md"), "Плани.").unwrap();
    std::os::unix::fs::symlink(folder.join("a.md"), folder.join("link.md")).unwrap();
    let mut index = super::Index::default();
    assert_eq!(index.refresh(&folder), 2);
    let files: Vec<_> = index.entries.iter().map(|entry| entry.file.as_str()).collect();
    assert_eq!(files, ["a.md", "not-text.md"]);
    assert_eq!(index.refresh(&folder), 0, "nothing has changed since");
    assert_eq!(index.posts_with(&crate::text::stem::stem("плани")), [0]);
    fs::write(folder.join("a.md"), "Сон і тиша.").unwrap();
    assert_eq!(index.refresh(&folder), 2, "one went and came");
}
