//! Folders and searches, in several languages.

mod meaning;

use std::sync::Arc;

use attachments::{AttachmentFault, AttachmentLimits, Attachments};
use contract::Digest;
use store::{ManualClock, SqliteOptions, SqliteStore, Timestamp};

use crate::{FolderScope, Knowledge, KnowledgeFault, KnowledgeLimits, Place};

fn knowledge(limits: KnowledgeLimits) -> Knowledge {
    let store = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_000_000)));
    let attachments = Attachments::new(store.clone(), clock, AttachmentLimits::machine());
    Knowledge::new(attachments, store, limits)
}

async fn upload(knowledge: &Knowledge, name: &str, bytes: &[u8]) -> Digest {
    let mut upload = knowledge.attachments.begin("ana").await.unwrap();
    upload.write(bytes).await.unwrap();
    upload.finish(name).await.unwrap().digest
}

async fn filled(limits: KnowledgeLimits, files: &[(&str, &str)]) -> (Knowledge, String) {
    let knowledge = knowledge(limits);
    let folder = knowledge.create("ana", "Docs", FolderScope::Owner).await.unwrap();
    for (name, text) in files {
        let digest = upload(&knowledge, name, text.as_bytes()).await;
        knowledge.add_file("ana", &folder.id, &digest, name).await.unwrap();
    }
    (knowledge, folder.id)
}

#[tokio::test]
async fn the_best_passage_comes_first_whatever_the_language() {
    let long = "Nothing of interest is here.\n".repeat(80);
    let handbook = format!("{long}The warranty lasts 24 months.\n{long}");
    let (knowledge, _) = filled(
        KnowledgeLimits::machine(),
        &[
            ("handbook.txt", &handbook),
            ("договір.txt", "Строк дії ДОГОВОРУ — п’ять років.\nҐарантія не надається."),
            ("письмо.txt", "Ёлка стоит в зале.\nВсе документы подписаны."),
        ],
    )
    .await;
    let check = async |query: &str, file: &str, words: &str| {
        let found = knowledge.search("ana", None, query, 3).await.unwrap();
        let first = found.passages.first().unwrap_or_else(|| panic!("nothing for {query}"));
        assert_eq!(first.file, file, "{query}: {found:#?}");
        assert!(first.excerpt.contains(words), "{query}: {}", first.excerpt);
    };
    check("How long is the WARRANTY?", "handbook.txt", "24 months").await;
    check("договір", "договір.txt", "Строк").await;
    check("договорами", "договір.txt", "Строк").await;
    check("п'ять", "договір.txt", "п’ять").await;
    check("гарантія", "договір.txt", "Ґарантія").await;
    check("елка", "письмо.txt", "Ёлка").await;
    check("документами", "письмо.txt", "документы").await;
    let nothing = knowledge.search("ana", None, "zebra", 3).await.unwrap();
    assert_eq!((nothing.passages.len(), nothing.searched), (0, 3));
    assert_eq!(knowledge.search("ben", None, "warranty", 3).await.unwrap().searched, 0);
}

#[tokio::test]
async fn a_passage_says_where_it_is_and_can_be_read_on() {
    let pages = "one\ntwo\u{c}three\nfour about whales\nfive\u{c}six";
    let (knowledge, _) = filled(KnowledgeLimits::machine(), &[("a.txt", pages)]).await;
    let found = knowledge.search("ana", None, "whale whales", 3).await.unwrap();
    let place = Place { page: Some(2), first_line: 3, last_line: 5 };
    assert_eq!(found.passages[0].place, place);
    let document = found.passages[0].document.clone();
    let section = knowledge.section("ana", None, &document, Some(place)).await.unwrap();
    assert_eq!(section.text, "three\nfour about whales\nfive\n");
    assert_eq!((section.place, section.lines_in_file), (place, 6));
    let whole = knowledge.section("ana", None, "a.txt", None).await.unwrap();
    assert_eq!(whole.text, "one\ntwo\nthree\nfour about whales\nfive\nsix\n");
    let beyond = Place { page: None, first_line: 99, last_line: 100 };
    let beyond = knowledge.section("ana", None, "a.txt", Some(beyond)).await.unwrap();
    assert_eq!(beyond.text, "");
    let missing = knowledge.section("ben", None, "a.txt", None).await;
    assert_eq!(missing, Err(KnowledgeFault::NoFile));
}

#[tokio::test]
async fn a_section_has_a_limit() {
    let limits = KnowledgeLimits { section_lines_max: 2, ..KnowledgeLimits::machine() };
    let (knowledge, _) = filled(limits, &[("a.txt", "1\n2\n3\n4")]).await;
    let section = knowledge.section("ana", None, "a.txt", None).await.unwrap();
    assert_eq!((section.text.as_str(), section.place.last_line), ("1\n2\n", 2));
}

#[tokio::test]
async fn a_folder_of_a_conversation_is_searched_only_there() {
    let (knowledge, _) = filled(KnowledgeLimits::machine(), &[]).await;
    let scope = FolderScope::Conversation("c1".into());
    let folder = knowledge.create("ana", "Here", scope).await.unwrap();
    let digest = upload(&knowledge, "a.txt", b"whales").await;
    knowledge.add_file("ana", &folder.id, &digest, "a.txt").await.unwrap();
    let searched = async |conversation| {
        knowledge.search("ana", conversation, "whales", 3).await.unwrap().passages.len()
    };
    assert_eq!(searched(Some("c1")).await, 1);
    assert_eq!((searched(Some("c2")).await, searched(None).await), (0, 0));
    knowledge.delete_conversation("ana", "c1").await.unwrap();
    assert_eq!(searched(Some("c1")).await, 0);
    assert_eq!(knowledge.attachments.find("ana", &digest).await, Err(AttachmentFault::NotFound));
    assert_eq!(knowledge.folders("ana").await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_removed_document_is_gone_and_limits_hold() {
    let limits = KnowledgeLimits {
        folders_max: 2,
        files_per_folder_max: 1,
        searched_bytes_max: 3,
        ..KnowledgeLimits::machine()
    };
    let (knowledge, folder) = filled(limits, &[("a.txt", "one")]).await;
    let second = upload(&knowledge, "b.txt", b"two").await;
    let full = knowledge.add_file("ana", &folder, &second, "").await;
    assert_eq!(full, Err(KnowledgeFault::TooManyFiles { max: 1 }));
    let other = knowledge.create("ana", "Other", FolderScope::Owner).await.unwrap();
    let again = upload(&knowledge, "b.txt", b"two").await;
    knowledge.add_file("ana", &other.id, &again, "").await.unwrap();
    let found = knowledge.search("ana", None, "one two", 5).await.unwrap();
    assert_eq!((found.searched, found.left_out), (1, 1));
    let third = knowledge.create("ana", "Third", FolderScope::Owner).await;
    assert_eq!(third, Err(KnowledgeFault::TooManyFolders { max: 2 }));
    let one = Digest::of(b"one");
    knowledge.remove_file("ana", &folder, &one).await.unwrap();
    assert_eq!(knowledge.attachments.find("ana", &one).await, Err(AttachmentFault::NotFound));
    knowledge.delete("ana", &other.id).await.unwrap();
    assert_eq!(knowledge.attachments.find("ana", &again).await, Err(AttachmentFault::NotFound));
    for id in ["", "../x", "nothing"] {
        assert_eq!(knowledge.delete("ana", id).await, Err(KnowledgeFault::NoFolder), "{id}");
    }
    assert_eq!(
        knowledge.create("ana", " ", FolderScope::Owner).await,
        Err(KnowledgeFault::BadName)
    );
    let picture = upload(&knowledge, "a.png", b"\x89PNG\r\n\x1a\n").await;
    let refused = knowledge.add_file("ana", &folder, &picture, "").await;
    assert_eq!(refused, Err(KnowledgeFault::NoText));
}
