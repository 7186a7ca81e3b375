//! Stores of the version before the restructuring of November 2026 open, replay and import.
//!
//! That version wrote everything in `old_store/`: a conversation with an approved and a
//! declined call, an approval that expired, two ledger entries, a deck with an edit and a known
//! word; the export of the store, and what its commands printed.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::program::{Run, command, copy_tree, run_with};

fn old(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/calls/old_store").join(file)
}

fn written(file: &str) -> String {
    fs::read_to_string(old(file)).unwrap()
}

/// A project with the old tools and the old store.
fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&old("tools"), &dir.path().join("tools"));
    fs::create_dir(dir.path().join(".ghosthand")).unwrap();
    fs::copy(old("store.db"), dir.path().join(".ghosthand/store.db")).unwrap();
    dir
}

#[track_caller]
fn good(dir: &Path, args: &[&str]) -> Run {
    let run = run_with(command(dir).env("TZ", "UTC").args(args));
    assert_eq!(run.code, 0, "{run:?}");
    run
}

#[test]
fn an_old_store_is_sound_and_holds_what_it_held() {
    let dir = project();
    good(dir.path(), &["store", "check"]);
    let export = good(dir.path(), &["store", "export"]);
    assert_eq!(export.out, written("store.jsonl"));
}

#[test]
fn an_old_conversation_is_listed_and_replayed_byte_for_byte() {
    let dir = project();
    let list = good(dir.path(), &["replay"]);
    assert_eq!(list.out, "kitchen  4 turns  Count the words of \"Tea is ready at five\"\n");
    let replay = good(dir.path(), &["replay", "kitchen"]);
    assert!(replay.err.starts_with("27 events"), "{replay:?}");
    good(dir.path(), &["replay", "kitchen", "--export", "kitchen.md"]);
    let story = fs::read_to_string(dir.path().join("kitchen.md")).unwrap();
    assert_eq!(story, written("kitchen.md"));
}

#[test]
fn an_old_conversation_goes_on() {
    let dir = project();
    let message = "Count the words of \"Two cups\"";
    let chat = good(dir.path(), &["chat", message, "--conversation", "kitchen"]);
    assert!(chat.out.contains("words: 2"), "{chat:?}");
    good(dir.path(), &["replay", "kitchen"]);
}

#[test]
fn old_ledger_approvals_and_audit_read_the_same() {
    let dir = project();
    let ledger = good(dir.path(), &["ledger", "list"]);
    assert_eq!(
        ledger.out,
        "86f533f6  done       2026-11-17 08:23:45  add_note\n\
         132a4713  done       2026-11-17 08:23:50  add_note\n"
    );
    good(dir.path(), &["ledger", "show", "86f533f6"]);
    let approvals = good(dir.path(), &["approvals", "list"]);
    assert_eq!(approvals.out, "", "the question has expired");
    assert_eq!(good(dir.path(), &["audit"]).out, written("audit.jsonl"));
}

#[test]
fn old_cards_read_the_same_with_their_edits() {
    let dir = project();
    let cards = good(dir.path(), &["cards", "show", "--all", "--contexts", "3", "--json"]);
    // Since then, keys name the target language too, and cards count their sentences.
    let expected = written("cards.json").replace("lv:word:", "lv:uk:word:");
    assert_eq!(cards.out.replace(",\n    \"sentences\": 1", ""), expected);
    let status = good(dir.path(), &["cards", "status"]);
    assert!(status.out.contains("story-c5fa92bf") && status.out.contains("3 of 3"), "{status:?}");
}

#[test]
fn an_old_export_is_imported_and_gives_the_same_export() {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&old("tools"), &dir.path().join("tools"));
    good(dir.path(), &["store", "import", old("store.jsonl").to_str().unwrap()]);
    assert_eq!(good(dir.path(), &["store", "export"]).out, written("store.jsonl"));
    good(dir.path(), &["replay", "kitchen"]);
}
