//! The prompt to paste is what a session sends.

use std::fs;
use std::sync::Arc;

use super::{DraftProfile, paste_prompt};
use crate::feedback::Category;
use crate::posts::NewPost;
use crate::posts::length::Platform;
use crate::remote::RemoteServices;
use crate::session::prompt::{self, Brief};
use crate::session::{Draft, DraftEvent, Origin, ProfileSource, Started, Version};
use crate::tools::{Pen, ReadsInMemory};
use crate::{Lang, Now, Workspace};

const GOLDEN: &str = include_str!("../../../tests/data/golden-profile.json");
const REQUEST: &str = "напиши пост про вигорання для LinkedIn";

fn with_golden(folder: &std::path::Path) -> Pen {
    let workspace = Workspace::new(folder);
    fs::create_dir_all(workspace.profiles_dir()).unwrap();
    fs::write(workspace.profiles_dir().join("default.json"), GOLDEN).unwrap();
    Pen::new(workspace, Lang::Uk, RemoteServices::default(), Arc::<ReadsInMemory>::default())
}

fn begun() -> Draft {
    let started = Started {
        request: REQUEST.to_owned(),
        topic: "вигорання".to_owned(),
        profile: ProfileSource::One("default".to_owned()),
        profile_used: "default".to_owned(),
        platform: Platform::Linkedin,
        facts: false,
        variants: 0,
        at: "2026-02-08T14:00:00Z".to_owned(),
    };
    Draft::replay(&[DraftEvent::Started(started)])
}

#[test]
fn it_has_the_rules_the_profile_the_past_posts_and_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let pen = with_golden(folder.path());
    let post = NewPost {
        content: "Вигорання приходить тихо.",
        platform: Platform::Linkedin,
        topic: "вигорання",
        profile_used: "default",
        style_profile_version: 3,
    };
    pen.workspace().save(&post, Now::read()).unwrap();
    let text = paste_prompt(&begun(), None, &pen, Lang::Uk).unwrap();
    let source = ProfileSource::One("default".to_owned());
    let read = DraftProfile::read(&source, &pen, Lang::Uk).unwrap();
    let past = crate::session::sources::past_posts("вигорання", &pen);
    assert_eq!(past.len(), 1);
    let brief = Brief { request: REQUEST, past: &past, ..Brief::default() };
    let rules = prompt::without_tools(&read.profile, Platform::Linkedin, None);
    assert_eq!(text, format!("{rules}\n\n{}\n", prompt::first(&brief)));
}

#[test]
fn a_remark_on_a_text_becomes_the_message_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let pen = with_golden(folder.path());
    let mut draft = begun();
    let before = paste_prompt(&draft, Some("занадто формально"), &pen, Lang::Uk).unwrap();
    assert!(before.contains("Write the post."), "there is no text yet: {before}");
    draft.apply(&DraftEvent::Version(Version {
        text: "Плани брешуть.".to_owned(),
        origin: Origin::Hand,
        violations: Vec::new(),
        at: "2026-02-08T14:01:00Z".to_owned(),
    }));
    let check = |remark: &str, message: String| {
        let text = paste_prompt(&draft, Some(remark), &pen, Lang::Uk).unwrap();
        assert!(text.ends_with(&format!("\n\n{message}\n")), "{remark}: {text}");
    };
    let text = "Плани брешуть.";
    let remark = "занадто формально";
    check(remark, prompt::restyled(text, remark, Category::TooFormal));
    check("почни спочатку", prompt::again(REQUEST, text));
    check("додай щось про котів", prompt::revised(text, "додай щось про котів"));
}

#[test]
fn without_its_profile_there_is_no_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let pen = with_golden(folder.path());
    fs::remove_file(pen.workspace().profiles_dir().join("default.json")).unwrap();
    assert!(paste_prompt(&begun(), None, &pen, Lang::Uk).is_err());
    assert!(paste_prompt(&Draft::default(), None, &pen, Lang::Uk).is_err());
}
